import type { GoldPlace, QueryEdit } from "../api/bindings";

type Place = NonNullable<QueryEdit["relevant"]>[number];

/** Reads a place as a person types it: "note.md:12–18", "folder/note.md:7"; null where it is none. */
export function placeOf(typed: string): Place | null {
  const match = /^(.+?):(\d+)(?:\s*[-–]\s*(\d+))?$/.exec(typed.trim());
  const [path, from, to] = [match?.[1]?.trim(), match?.[2], match?.[3]];
  if (path === undefined || path === "" || from === undefined) return null;
  const [start_line, end_line] = [Number(from), Number(to ?? from)];
  return start_line >= 1 && end_line >= start_line ? { path, start_line, end_line } : null;
}

/** What became of a gold place, where it is not where it was judged. */
export function stateSaid({ state, now }: GoldPlace): string {
  switch (state) {
    case "fits":
      return "";
    case "moved":
      return now === null ? "moved" : `moved to ${now[0] === now[1] ? now[0] : `${now[0]}–${now[1]}`}`;
    case "gone":
      return "gone: no longer in the notes";
  }
}
