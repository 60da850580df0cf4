/** Processes of a group, as Linux lists them under /proc. */
import { readdir, readFile, readlink, realpath } from "node:fs/promises";

/** In `/proc/<id>/stat`, counted from the state behind the name: state, parent, group. */
const GROUP_FIELD = 2;
const USER_TIME_FIELD = 11;
const SYSTEM_TIME_FIELD = 12;
/** What Linux counts these times in, on every processor that WebKit is built for. */
const TICK_MS = 10;
/** What Linux adds to the name of a program that was rebuilt since it was started. */
const REPLACED = / \(deleted\)$/;

/** Kills every process of the group that `leader` began; nothing happens when all have ended. */
export function endGroup(leader) {
  try {
    process.kill(-leader, "SIGKILL");
  } catch (error) {
    if (error.code !== "ESRCH") throw error;
  }
}

/** Ids of the processes of a group that run, in ascending order; dead ones that nobody has waited for are left out. */
export async function processesOfGroup(leader) {
  const ids = (await readdir("/proc")).map(Number).filter(Number.isInteger);
  const groups = await Promise.all(ids.map(groupOf));
  return ids.filter((_, at) => groups[at] === leader).toSorted((a, b) => a - b);
}

/** The processes among `ids` that run a program; an error where there is none. */
export async function processesOfProgram(ids, program) {
  const wanted = await realpath(program);
  const programs = await Promise.all(ids.map((id) => readlink(`/proc/${id}/exe`)));
  const found = ids.filter((_, at) => programs[at].replace(REPLACED, "") === wanted);
  if (found.length === 0) throw new Error(`no process runs ${wanted}`);
  return found;
}

/** Memory of processes in bytes, with each shared page split among those who share it (PSS). */
export async function memoryOf(ids) {
  const rollups = await Promise.all(ids.map((id) => readFile(`/proc/${id}/smaps_rollup`, "utf8")));
  return rollups.reduce((sum, text) => sum + 1024 * Number(/^Pss:\s+(\d+) kB$/m.exec(text)[1]), 0);
}

/** Time that processes have run so far, threads that ended included, in milliseconds; Linux counts in steps of 10 ms. */
export async function processorTimeOf(ids) {
  const texts = await Promise.all(ids.map((id) => readFile(`/proc/${id}/stat`, "utf8")));
  return texts.reduce((sum, text) => {
    const fields = fieldsOf(text);
    return sum + (Number(fields[USER_TIME_FIELD]) + Number(fields[SYSTEM_TIME_FIELD])) * TICK_MS;
  }, 0);
}

/** Null for a process that has ended. */
async function groupOf(id) {
  let stat;
  try {
    stat = await readFile(`/proc/${id}/stat`, "utf8");
  } catch {
    return null;
  }
  const fields = fieldsOf(stat);
  return fields[0] === "Z" ? null : Number(fields[GROUP_FIELD]);
}

/** The fields behind the name, which is in parentheses and may hold anything. */
function fieldsOf(stat) {
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}
