// Texts about what an agent does not load of a file; the engine measures it.
import type { LoadedFile, UnloadedLines } from "../api/bindings";
import { bytes, count, counted } from "../shared/format";

/** Returns the limit that leaves out most of a note; null if all of it is loaded, or it has no cap. */
export function cutOf(files: readonly LoadedFile[], folder: string, path: string): LoadedFile | null {
  return tightest(files.filter((file) => file.folder === folder && file.note === path));
}

/** Returns what is not loaded of a note, by the limit that leaves out most; null if all of it is loaded. */
export function loadOf(files: readonly LoadedFile[], folder: string, path: string): LoadedFile | null {
  const own = files.filter((file) => file.folder === folder && file.note === path);
  return tightest(own) ?? own.find((file) => file.unloaded.length > 0) ?? null;
}

/** Lines of a note that its agent does not load for another reason than a limit. */
export type LoadRemark = {
  kind: "blocked" | "removed" | "removed_in_part";
  agent_name: string;
  /** First and last line. */
  from: number;
  to: number;
  /** The patterns that an entry matches, by the agent's names; otherwise empty. */
  patterns: string;
  source: string;
};

/** The entries of a note that an agent blocks, and the front matter and comments that it removes, in the order of the note. */
export function remarksOf(files: readonly LoadedFile[], folder: string, path: string): LoadRemark[] {
  const own = files.filter((file) => file.folder === folder && file.note === path);
  const file = own.find(({ blocked, unloaded }) => blocked.length > 0 || unloaded.some(isRemoved));
  if (file === undefined) return [];
  const { agent_name, source } = file;
  const blocked = file.blocked.map(([from, to, patterns]) => ({
    kind: "blocked" as const,
    from,
    to,
    patterns,
  }));
  const removed = file.unloaded.filter(isRemoved).map(({ first, last, loaded }) => ({
    kind: loaded.length > 0 ? ("removed_in_part" as const) : ("removed" as const),
    from: first,
    to: last,
    patterns: "",
  }));
  return [...blocked, ...removed]
    .toSorted((a, b) => a.from - b.from)
    .map((remark) => ({ ...remark, agent_name, source }));
}

function isRemoved(lines: UnloadedLines): boolean {
  return lines.why === "removed";
}

/** Whether a remark is about a line of which nothing is loaded. */
export function isLeftOut(remarks: readonly LoadRemark[], line: number): boolean {
  return remarks.some(({ kind, from, to }) => kind !== "removed_in_part" && from <= line && line <= to);
}

/** The sentence at lines that are left out. */
export function remarkSaid({ kind, agent_name, from, to }: LoadRemark): string {
  const lines = from === to ? `line ${count(from)}` : `lines ${count(from)} to ${count(to)}`;
  switch (kind) {
    case "blocked":
      return `Blocked by ${agent_name}: it does not load ${lines}`;
    case "removed":
      return `Removed by ${agent_name}: it does not load ${lines}`;
    case "removed_in_part":
      return `Removed by ${agent_name}: it does not load the comment in ${lines}`;
  }
}

/** Why lines are left out. */
export function remarkExplained({ kind, patterns, source }: LoadRemark): string {
  return kind === "blocked"
    ? `The entry matches ${patterns}, so the agent is given a remark in its place. Checked with ${source}.`
    : `The agent removes front matter and comments before it loads the file. Checked with ${source}.`;
}

/** Returns the limit of a file that leaves out most; null if none leaves out anything. */
export function tightest(files: readonly LoadedFile[]): LoadedFile | null {
  const cutting = files.filter((file) => file.cut !== "none");
  return cutting.toSorted((a, b) => (a.cut_at_line ?? 0) - (b.cut_at_line ?? 0))[0] ?? null;
}

/** The lines that this limit of a file leaves out, whole or in part. */
function linesCut(file: LoadedFile): readonly UnloadedLines[] {
  const from = file.cut_at_line;
  if (from === null) return [];
  return file.unloaded.filter(({ why, last }) => why === "past_cap" && last >= from);
}

/** Whether nothing of a line is loaded. */
export function isUnseen(file: LoadedFile | null, line: number): boolean {
  return areUnseen(file, line, line);
}

/** Whether nothing of these lines is loaded. */
export function areUnseen(file: LoadedFile | null, from: number, to: number): boolean {
  return unseen(file).some(({ first, last }) => first <= from && to <= last);
}

/** The lines of a file of which nothing is loaded. */
export function unseen(file: LoadedFile | null): readonly UnloadedLines[] {
  return file === null ? [] : file.unloaded.filter(({ loaded }) => loaded.length === 0);
}

/** What is left out of a file, in the unit of its limit: "212 lines", "1,625 characters". */
export function leftOut({ left_out, unit }: LoadedFile): string {
  return amount(left_out, unit);
}

/** The same beside the size and the limit, which name the unit; of several files, what is past their limit. */
export function leftOutShort(file: LoadedFile): string {
  const n = file.cut === "files" ? file.used - (file.cap ?? file.used) : file.left_out;
  return file.unit === "bytes" ? `${(n / 1000).toFixed(1)} KB` : count(n);
}

/** The sentence at the line from which on nothing is loaded. */
export function lineSaid(file: LoadedFile): string {
  const { agent_name, cut_at_line, again_at_line } = file;
  if (cut_at_line === null) return `${agent_name} does not load all of these files`;
  const cut = linesCut(file);
  const from = isInPart(cut[0]) ? `from within line ${count(cut_at_line)}` : "from here";
  const n =
    file.unit === "bytes"
      ? `${bytes(file.left_out)} of ${bytes(file.used)}`
      : `${count(file.left_out)} of ${amount(file.used, file.unit)}`;
  if (again_at_line === null) return `Not loaded by ${agent_name} ${from} on: ${n}`;
  const last = cut.at(-1);
  const to = `${isInPart(last) ? "within line" : "line"} ${count(last?.last ?? again_at_line - 1)}`;
  return `Not loaded by ${agent_name} ${from} to ${to}: ${n}`;
}

function isInPart(lines: UnloadedLines | undefined): boolean {
  return lines !== undefined && lines.loaded.length > 0;
}

/** The sentence at the line from which on the file is loaded again. */
export function againSaid(file: LoadedFile): string {
  const last = linesCut(file).at(-1);
  return isInPart(last)
    ? `Loaded again by ${file.agent_name} from within the line above`
    : `Loaded again by ${file.agent_name} from here on`;
}

/** Explanation below the first line: the limit, and what happens to the rest. */
export function lineExplained(file: LoadedFile): string {
  const total = file.is_by_total ? ", which is what the files before it leave of the total" : "";
  const limit = `It loads ${amount(file.cap ?? file.used, file.unit)} when a session begins${total}`;
  const [past, all] = file.entries ?? [0, 0];
  const entries = past > 0 ? ` ${count(past)} of ${counted(all, "entry", "entries")} begin there.` : "";
  const kept = file.again_at_line === null ? "" : ", from the beginning and from the end";
  const digest = file.digest.length > 0 ? " It loads some lines of the rest as a digest." : "";
  return `${limit}${kept}. It sees the rest only if it opens the file itself.${digest}${entries}`;
}

/** Which version was checked, and how. */
export function sourceSaid(file: LoadedFile): string {
  return `Checked with ${file.source}.`;
}

/** What is used and what is loaded at most: "412 / 200 lines", "9.3 / 10 KB"; without a limit "5,120 characters". */
export function usedOfCap(file: LoadedFile): { used: string; cap: string } {
  if (file.cap === null) return { used: count(file.used), cap: `${file.unit}, whole` };
  if (file.unit === "bytes") {
    const kilobytes = (n: number) => (n / 1000).toFixed(n % 1000 === 0 ? 0 : 1);
    return { used: kilobytes(file.used), cap: `${kilobytes(file.cap)} KB` };
  }
  return { used: count(file.used), cap: `${count(file.cap)} ${file.unit}` };
}

function amount(n: number, unit: string): string {
  return unit === "bytes" ? bytes(n) : counted(n, unit.replace(/s$/, ""), unit);
}
