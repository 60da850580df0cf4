// What became of results, and what an agent did with them, in words.
import type { Fate, PastPlace, PastRow } from "../api/bindings";
import { counted, lines } from "../shared/format";

/** Every fate, in the order of the legend. */
export const FATES: readonly Fate[] = ["kept", "rose", "fell", "gone", "new"];

/** The last line, as the engine writes it, of what was opened from a line to the note's end. */
const OPEN_END = 4_294_967_295;

/** Whether an answer differs now. */
export function isChanged(fates: readonly Fate[]): boolean {
  return fates.some((fate) => fate !== "kept");
}

/** Fates of a question's results: "4 kept, 2 moved". */
export function fateWords({
  fates,
  n_returned: nReturned,
  has_failed: hasFailed,
}: Pick<PastRow, "fates" | "n_returned" | "has_failed">): string {
  if (nReturned === null) return hasFailed ? "search failed" : "no answer logged";
  if (fates === null) return nReturned === 0 ? "" : counted(nReturned, "result");
  if (fates.length === 0) return "still nothing";
  const n = (...wanted: Fate[]) => fates.filter((fate) => wanted.includes(fate)).length;
  return [
    { n: n("kept"), word: "kept" },
    { n: n("rose", "fell"), word: "moved" },
    { n: n("gone"), word: "gone" },
    { n: n("new"), word: "new" },
  ]
    .filter((part) => part.n > 0)
    .map((part) => `${part.n} ${part.word}`)
    .join(", ");
}

/** What the agent did with the answer: "opened memory/home-server.md:17–21". */
export function usedWords({ opened, cited }: Pick<PastRow, "opened" | "cited">): string {
  const parts = [placesWords("opened", opened), placesWords("cited", cited)].filter((part) => part !== null);
  return parts.length === 0 ? "no opening logged" : parts.join("; ");
}

/** What an opening of notes opened: "Opened memory/home-server.md:17–21 and 2 more". */
export function openedWords({ opened }: Pick<PastRow, "opened">): string {
  return placesWords("Opened", opened) ?? "Opened nothing";
}

/** A place in a note: "memory/home-server.md:17–21". */
export function placeWords(place: Omit<PastPlace, "after_ms">): string {
  const { path, start_line: start, end_line: end, is_part: isPart } = place;
  return `${shortPathOf(path)}${start === null ? "" : linesWords(start, end)}${isPart ? " (a part)" : ""}`;
}

/** Lines of a note; an open end if the agent asked for all that follows. */
export function linesWords(start: number, end: number | null): string {
  return end === OPEN_END ? `:${start}–end` : lines(start, end ?? start);
}

/** A path's last part, and what comes before it: ["memory/", "home-server.md"]. */
export function splitPath(path: string): [folder: string, name: string] {
  const name = path.split(/[\\/]/).at(-1) ?? path;
  return [path.slice(0, path.length - name.length), name];
}

/** A path's last two parts: notes of several folders have the same name. */
function shortPathOf(path: string): string {
  return path
    .split(/[\\/]/)
    .filter((part) => part !== "")
    .slice(-2)
    .join("/");
}

function placesWords(did: string, [first, ...others]: readonly PastPlace[]): string | null {
  if (first === undefined) return null;
  return `${did} ${placeWords(first)}${others.length === 0 ? "" : ` and ${others.length} more`}`;
}
