// Past questions by day, as the lines of one list.
import type { PastRow } from "../api/bindings";
import { isChanged } from "./fates";

/** A line of the list. */
export type PastLine =
  | {
      kind: "day";
      label: string;
      nQuestions: number;
      /** How many have another answer now; null before a replay. */
      nChanged: number | null;
    }
  | { kind: "question"; row: PastRow };

const DAY_MS = 86_400_000;
const WEEKDAY = new Intl.DateTimeFormat("en-GB", { weekday: "long" });
const DATE = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "long" });
const DATE_WITH_YEAR = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "long", year: "numeric" });

/** Returns "Today", "Yesterday" or the date with its weekday, in the machine's time zone; the year where it is another. */
export function dayLabel(atMs: number | null, nowMs: number): string {
  if (atMs === null) return "No date";
  const [day, today] = [midnight(atMs), midnight(nowMs)];
  if (day === today) return "Today";
  // A day of 23 or 25 hours lies between two midnights twice a year.
  if (Math.round((today - day) / DAY_MS) === 1) return "Yesterday";
  const isThisYear = new Date(atMs).getFullYear() === new Date(nowMs).getFullYear();
  return `${WEEKDAY.format(atMs)} ${(isThisYear ? DATE : DATE_WITH_YEAR).format(atMs)}`;
}

/** Returns the rows under a line for each day, in the order in which they come. */
export function dayLines(rows: readonly PastRow[], nowMs: number): PastLine[] {
  const lines: PastLine[] = [];
  let head: Extract<PastLine, { kind: "day" }> | null = null;
  let day: number | null = null;
  for (const row of rows) {
    const rowDay = row.at_ms === null ? null : midnight(row.at_ms);
    if (head === null || rowDay !== day) {
      head = { kind: "day", label: dayLabel(row.at_ms, nowMs), nQuestions: 0, nChanged: null };
      day = rowDay;
      lines.push(head);
    }
    head.nQuestions++;
    if (row.fates !== null) head.nChanged = (head.nChanged ?? 0) + (isChanged(row.fates) ? 1 : 0);
    lines.push({ kind: "question", row });
  }
  return lines;
}

function midnight(atMs: number): number {
  return new Date(atMs).setHours(0, 0, 0, 0);
}
