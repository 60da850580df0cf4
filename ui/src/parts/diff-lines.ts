/** One line of a unified diff. */
export type DiffLine = { no: number; kind: "old" | "new" | "same" | "place"; text: string };

/** The lines of a unified diff, which has no head of file names. */
export function diffLines(diff: string): DiffLine[] {
  return diff
    .split("\n")
    .filter((text) => text !== "")
    .map((text, no) => ({ no, kind: kindOf(text), text }));
}

function kindOf(text: string): DiffLine["kind"] {
  if (text.startsWith("@@")) return "place";
  if (text.startsWith("+")) return "new";
  return text.startsWith("-") ? "old" : "same";
}
