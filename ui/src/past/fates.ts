// What became of results, and what an agent did with them, in words.
import type { Fate, PastPlace, PastRow } from "../api/bindings";
import { counted, lines } from "../shared/format";

/** Every fate, in the order of the legend. */
export const FATES: readonly Fate[] = ["kept", "rose", "fell", "gone", "new"];

/** Tells whether an answer is another one now. */
export function isChanged(fates: readonly Fate[]): boolean {
  return fates.some((fate) => fate !== "kept");
}

/** What became of a question's results: "4 kept, 2 moved". */
export function fateWords({ fates, n_returned: nReturned }: Pick<PastRow, "fates" | "n_returned">): string {
  if (nReturned === null) return "no answer logged";
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

/** What the agent did with the answer: "opened home-server.md:17–21". */
export function usedWords({ opened, cited }: Pick<PastRow, "opened" | "cited">): string {
  const parts = [placesWords("opened", opened), placesWords("cited", cited)].filter((part) => part !== null);
  return parts.length === 0 ? "opened nothing" : parts.join("; ");
}

/** A place in a note, without its folders: "home-server.md:17–21". */
export function placeWords({ path, start_line: start, end_line: end }: Omit<PastPlace, "after_ms">): string {
  return `${nameOf(path)}${start === null ? "" : lines(start, end ?? start)}`;
}

/** A path's last part. */
export function nameOf(path: string): string {
  return path.split(/[\\/]/).at(-1) ?? path;
}

function placesWords(did: string, [first, ...others]: readonly PastPlace[]): string | null {
  if (first === undefined) return null;
  return `${did} ${placeWords(first)}${others.length === 0 ? "" : ` and ${others.length} more`}`;
}
