// Texts about what an agent does not load of a file; the engine measures it.
import type { LoadedFile } from "../api/bindings";
import { bytes, count, counted } from "../shared/format";

/** Returns the limit that leaves out most of a note; null if all of it is loaded, or it has no cap. */
export function cutOf(files: readonly LoadedFile[], folder: string, path: string): LoadedFile | null {
  return tightest(files.filter((file) => file.folder === folder && file.note === path));
}

/** An entry of a note that its agent takes for a threat and does not load. */
export type BlockedEntry = {
  agent_name: string;
  /** First and last line. */
  from: number;
  to: number;
  /** The patterns that it matches, by the agent's names. */
  patterns: string;
  source: string;
};

/** The entries of a note that an agent blocks, in the order of the note. */
export function blockedOf(files: readonly LoadedFile[], folder: string, path: string): BlockedEntry[] {
  const file = files.find((file) => file.folder === folder && file.note === path && file.blocked.length > 0);
  if (file === undefined) return [];
  const { agent_name, source } = file;
  return file.blocked.map(([from, to, patterns]) => ({ agent_name, from, to, patterns, source }));
}

/** The sentence at an entry that is blocked. */
export function blockedSaid({ agent_name, from, to }: BlockedEntry): string {
  const lines = from === to ? `line ${count(from)}` : `lines ${count(from)} to ${count(to)}`;
  return `Blocked by ${agent_name}: it does not load ${lines}`;
}

/** Why an entry is blocked. */
export function blockedExplained({ patterns, source }: BlockedEntry): string {
  return `The entry matches ${patterns}, so the agent is given a remark in its place. Checked with ${source}.`;
}

/** Returns the limit of a file that leaves out most; null if none leaves out anything. */
export function tightest(files: readonly LoadedFile[]): LoadedFile | null {
  const cutting = files.filter((file) => file.cut !== "none");
  return cutting.toSorted((a, b) => (a.cut_at_line ?? 0) - (b.cut_at_line ?? 0))[0] ?? null;
}

/** The lines that are not loaded, in the middle or at the end; null for a limit over several files. */
export function linesCut(file: LoadedFile): { from: number; to: number } | null {
  if (file.cut_at_line === null) return null;
  return { from: file.cut_at_line, to: (file.again_at_line ?? file.n_lines + 1) - 1 };
}

/** Whether a line is not loaded. A line of the digest is. */
export function isUnseen(file: LoadedFile | null, line: number): boolean {
  const lines = file === null ? null : linesCut(file);
  return (
    file !== null &&
    lines !== null &&
    line >= lines.from &&
    line <= lines.to &&
    !file.digest.some(([first, last]) => first <= line && line <= last)
  );
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
  const { agent_name } = file;
  const lines = linesCut(file);
  if (lines === null) return `${agent_name} does not load all of these files`;
  const n =
    file.unit === "bytes"
      ? `${bytes(file.left_out)} of ${bytes(file.used)}`
      : `${count(file.left_out)} of ${amount(file.used, file.unit)}`;
  return file.again_at_line === null
    ? `Not loaded by ${agent_name} from here on: ${n}`
    : `Not loaded by ${agent_name} from here to line ${count(lines.to)}: ${n}`;
}

/** The sentence at the line from which on the file is loaded again. */
export function againSaid(file: LoadedFile): string {
  return `Loaded again by ${file.agent_name} from here on`;
}

/** Explanation below the first line: the limit, and what happens to the rest. */
export function lineExplained(file: LoadedFile): string {
  const total = file.is_by_total ? ", which is what the files before it leave of the total" : "";
  const limit = `It loads ${amount(file.cap ?? file.used, file.unit)} when a session begins${total}`;
  const [past, all] = file.entries ?? [0, 0];
  const entries = past > 0 ? ` ${count(past)} of ${counted(all, "entry", "entries")} begin there.` : "";
  const kept = file.again_at_line === null ? "" : ", from the beginning and from the end";
  const digest = file.digest.length > 0 ? " Its policy lines are loaded as a digest." : "";
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
