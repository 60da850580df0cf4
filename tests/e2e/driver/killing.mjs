/** Programs that are killed at one of their writes, as strace sees them. */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";

/** Calls that change a folder's names. */
const NAMES = ["rename", "renameat", "renameat2", "unlink", "unlinkat"];
/** Calls that bring to the disk what was written. */
const SYNCS = ["fsync", "fdatasync"];
/** Calls that change what a file holds. */
const BYTES = ["write", "writev", "pwrite64", "pwritev", "pwritev2"];
const CALLS = [...NAMES, ...SYNCS, ...BYTES, "ftruncate"];

/** A call as it begins: thread, name of the thread, call, and its arguments. */
const BEGINS = /^(\d+)<(.*?)> (\w+)\((.*)/s;
/** End of the line of a call that failed. */
const FAILS = / = -1 E[A-Z]+ \([^()]*\)$/;
/** The same of a call that other lines came into. */
const FAILS_LATER = /^(\d+)<.*?> <\.\.\. \w+ resumed>.* = -1 E[A-Z]+ \([^()]*\)$/;
/** The file that a descriptor stands for. */
const DESCRIPTOR = /^\d+<([^>]*)>/;
/** How long a thread is held at its call: a busy machine has to see it meanwhile. */
const HELD_US = 150_000;
/** A thread is held at so many calls before and after as well: how often it makes others, such as removals, varies from run to run. */
const N_HELD_AROUND = 2;

/**
 * The writes of a program in `folder`, in order, those that failed left out.
 *
 * A write is named by its `call`, the name of its `thread`, the `kind` of its file, and which of such calls it is: the `nth`
 * of all threads of this name. `nthOfOne` counts the calls of its own thread, whatever the file. `path` is the file that it
 * changes, in the folder. Calls that leave what the next call leaves are left out as well: a file is brought to the disk
 * before it is renamed.
 */
export async function writesOf(folder, [program, ...args], { env, file }) {
  await promisify(execFile)(
    "strace",
    [...follow(CALLS), "--decode-fds=path", `--output=${file}`, "--", program, ...args],
    { env },
  );
  const counted = new Map();
  const count = (...key) => {
    const n = (counted.get(key.join(" ")) ?? 0) + 1;
    counted.set(key.join(" "), n);
    return n;
  };
  const begun = [];
  for (const line of (await readFile(file, "utf8")).split("\n")) {
    const [, ended] = FAILS_LATER.exec(line) ?? [];
    if (ended !== undefined) begun.findLast((write) => write.id === ended).fails = true;
    const [, id, thread, call, rest] = BEGINS.exec(line) ?? [];
    if (id === undefined) continue;
    const path = pathOf(rest);
    const kind = kindOf(path);
    const [nth, nthOfOne] = [count(thread, call, kind), count(thread, call, id)];
    begun.push({ thread, call, nth, nthOfOne, path, kind, id, fails: FAILS.test(rest) });
  }
  const writes = begun
    .filter(({ path, fails }) => path?.startsWith(`${folder}/`) && !fails)
    .map((write) => ({ ...write, path: write.path.slice(folder.length + 1) }));
  return writes.filter((write, at) => {
    const next = writes.slice(at + 1).find((later) => later.id === write.id);
    return !(SYNCS.includes(write.call) && next?.call.startsWith("rename"));
  });
}

/** The file that a call changes; undefined if it names none. */
function pathOf(rest) {
  return (
    DESCRIPTOR.exec(rest)?.[1] ??
    rest
      .match(/"[^"]*"/g)
      ?.at(-1)
      .slice(1, -1)
  );
}

/** The name of a file without its folders and without what differs from run to run. */
function kindOf(path) {
  return path
    ?.split("/")
    .at(-1)
    .replaceAll(/[0-9a-f]{32}|\d+/g, "#");
}

/** Whether a write changes what names the folder holds. */
export function changesNames(write) {
  return NAMES.includes(write.call);
}

/** Whether a write only brings to the disk what was written. */
export function syncs(write) {
  return SYNCS.includes(write.call);
}

/** Whether a write only fills a file. There are many of these. */
export function fillsFile(write) {
  return BYTES.includes(write.call);
}

/**
 * Runs a program until it is about to make `write`, kills it there, and returns the signal that ended it.
 *
 * strace counts the calls of each thread by themselves and cannot kill at those of one thread. So it holds each thread at
 * such calls, and the program is killed once the right one is held.
 */
export async function killAt(write, [program, ...args], { env }) {
  const [first, last] = [Math.max(1, write.nthOfOne - N_HELD_AROUND), write.nthOfOne + N_HELD_AROUND];
  const hold = `--inject=${write.call}:delay_enter=${HELD_US}:when=${first}..${last}`;
  const traced = spawn(
    "strace",
    [...follow([write.call]), hold, "--decode-fds=path", "--output=|exec cat >&3", "--", program, ...args],
    { env, stdio: ["ignore", "ignore", "ignore", "pipe"] },
  );
  const ended = once(traced, "exit");
  let n = 0;
  let begun = "";
  traced.stdio[3].setEncoding("utf8").on("data", (text) => {
    // A call that is held is there without the end of its line.
    begun += text;
    const lines = begun.split("\n");
    begun = lines.pop();
    for (const line of lines) see(line);
    if (see(begun)) begun = "";
  });
  function see(line) {
    const [, id, thread, call, rest] = BEGINS.exec(line) ?? [];
    if (thread !== write.thread || call !== write.call || kindOf(pathOf(rest)) !== write.kind) return false;
    if (++n === write.nth) kill(Number(id));
    return true;
  }
  const [, signal] = await ended;
  return signal;
}

function kill(id) {
  try {
    process.kill(id, "SIGKILL");
  } catch (error) {
    // It was not held long enough and ended; its exit is checked.
    if (error.code !== "ESRCH") throw error;
  }
}

/** Arguments of strace whenever it follows a program. */
function follow(calls) {
  return [
    "--follow-forks",
    "--seccomp-bpf",
    "--decode-pids=comm",
    "--quiet=attach,personality,exit",
    "--signal=none",
    `--trace=${calls.join(",")}`,
  ];
}
