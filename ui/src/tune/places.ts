import type { GoldPlace, QueryEdit } from "../api/bindings";

type Place = NonNullable<QueryEdit["relevant"]>[number];

/** The last line of a place that is a whole note: the greatest that the engine knows. */
const TO_THE_END = 4_294_967_295;

/** Reads a place as the user types it: "note.md:12–18", "folder/note.md:7", "note.md" for the whole note; null where it is none. */
export function placeOf(typed: string): Place | null {
  const whole = typed.trim();
  if (/\.[A-Za-z]\w*$/.test(whole)) return { path: whole, start_line: 1, end_line: TO_THE_END };
  const match = /^(.+?):(\d+)(?:\s*[-–]\s*(\d+))?$/.exec(typed.trim());
  const [path, from, to] = [match?.[1]?.trim(), match?.[2], match?.[3]];
  if (path === undefined || path === "" || from === undefined) return null;
  const [start_line, end_line] = [Number(from), Number(to ?? from)];
  return start_line >= 1 && end_line >= start_line ? { path, start_line, end_line } : null;
}

/** The lines of a place: "7", "12–18", "from 12 on", "whole note". */
export function linesSaid({ start_line, end_line }: { start_line: number; end_line: number }): string {
  if (end_line === TO_THE_END) return start_line === 1 ? "whole note" : `from ${start_line} on`;
  return start_line === end_line ? String(start_line) : `${start_line}–${end_line}`;
}

/** What became of a gold place, where it is not where it was judged. */
export function stateSaid({ state, now }: GoldPlace): string {
  switch (state) {
    case "fits":
      return "";
    case "moved":
      return now === null ? "moved" : `moved to ${linesSaid({ start_line: now[0], end_line: now[1] })}`;
    case "gone":
      return "gone: no longer in the notes";
  }
}
