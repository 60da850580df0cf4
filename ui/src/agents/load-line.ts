// What an agent does not load of a file, in words; the engine measures, and says where.
import type { LoadedFile } from "../api/bindings";
import { bytes, count, counted } from "../shared/format";

/** Returns the limit that leaves out most of a note; null where all of it is loaded, or it has no cap. */
export function cutOf(files: readonly LoadedFile[], folder: string, path: string): LoadedFile | null {
  return tightest(files.filter((file) => file.folder === folder && file.note === path));
}

/** Returns the limit that leaves out most, of those of one file; null where none leaves out anything. */
export function tightest(files: readonly LoadedFile[]): LoadedFile | null {
  const cutting = files.filter((file) => file.cut !== "none");
  return cutting.toSorted((a, b) => (a.cut_at_line ?? 0) - (b.cut_at_line ?? 0))[0] ?? null;
}

/** What is left out, short: "212 lines", "610 characters". */
export function leftOut(file: LoadedFile): string {
  if (file.cut_at_line !== null) return counted(file.n_lines - file.cut_at_line + 1, "line");
  return amount(file.used - file.cap, file.unit);
}

/** How much is past a cap, in the cap's own unit: "610", "4.2 KB". */
export function pastCap(file: LoadedFile): string {
  const past = file.used - file.cap;
  return file.unit === "bytes" ? `${(past / 1000).toFixed(1)} KB` : count(past);
}

/** The sentence on the load line. */
export function lineSaid(file: LoadedFile): string {
  const { agent_name, n_lines, cut_at_line } = file;
  if (cut_at_line !== null)
    return `From here on ${agent_name} does not see this: ${count(n_lines - cut_at_line + 1)} of ${counted(n_lines, "line")}`;
  return `${agent_name} does not see the middle of this: ${count(file.used - file.cap)} of ${amount(file.used, file.unit)}`;
}

/** What stands below it: the limit, what becomes of the rest, and who says so. */
export function lineExplained(file: LoadedFile): string {
  const limit = `It loads ${file.is_estimate ? "about " : ""}${amount(file.cap, file.unit)} when a session begins`;
  const [past, all] = file.entries ?? [0, 0];
  const entries = past > 0 ? ` ${count(past)} of ${counted(all, "entry", "entries")} begin past that.` : "";
  const rest =
    file.cut_at_line === null
      ? "; which lines are cut is not known."
      : " and sees the rest only if it opens the file itself.";
  return `${limit}${rest}${entries}`;
}

/** Who says so, where that is not the agent's makers. */
export function sourceSaid(file: LoadedFile): string {
  return file.is_reported ? "Reported by its users, not documented." : `From ${file.source}.`;
}

/** What is used and what is loaded at most: "412 / 200 lines", "19.3 / 25 KB". */
export function usedOfCap(file: LoadedFile): { used: string; cap: string } {
  const about = file.is_estimate ? "about " : "";
  if (file.unit === "bytes") {
    const kilobytes = (n: number) => (n / 1000).toFixed(n % 1000 === 0 ? 0 : 1);
    return { used: about + kilobytes(file.used), cap: `${kilobytes(file.cap)} KB` };
  }
  return { used: about + count(file.used), cap: `${count(file.cap)} ${file.unit}` };
}

function amount(n: number, unit: string): string {
  return unit === "bytes" ? bytes(n) : counted(n, unit.replace(/s$/, ""), unit);
}
