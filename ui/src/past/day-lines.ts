// Past questions and openings by day, as the lines of one list. A line is known before its row is read.
import type { PastDay } from "../api/bindings";

/** A line of the list. */
export type PastLine =
  | { kind: "day"; day: PastDay }
  /** `at` is the place of the question or opening among all that are listed. */
  | { kind: "question"; at: number };

const DAY_MS = 86_400_000;
const WEEKDAY = new Intl.DateTimeFormat("en-GB", { weekday: "long" });
const DATE = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "long" });
const DATE_WITH_YEAR = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "long", year: "numeric" });

/** Returns "Today", "Yesterday" or the date with its weekday, in the machine's time zone; with the year if it is another one. */
export function dayLabel(atMs: number | null, nowMs: number): string {
  if (atMs === null) return "No date";
  const [day, today] = [midnight(atMs), midnight(nowMs)];
  if (day === today) return "Today";
  // Twice a year, a day of 23 or 25 hours is between two midnights.
  if (Math.round((today - day) / DAY_MS) === 1) return "Yesterday";
  const isThisYear = new Date(atMs).getFullYear() === new Date(nowMs).getFullYear();
  return `${WEEKDAY.format(atMs)} ${(isThisYear ? DATE : DATE_WITH_YEAR).format(atMs)}`;
}

/** The lines of days, each followed by those of its questions. */
export class DayLines {
  readonly n: number;
  readonly #days: readonly PastDay[];
  /** The line of each day. */
  readonly #heads: readonly number[];

  constructor(days: readonly PastDay[]) {
    this.#days = days;
    let n = 0;
    this.#heads = days.map(({ n_questions, n_openings }) => {
      const head = n;
      n += 1 + n_questions + n_openings;
      return head;
    });
    this.n = n;
  }

  /** Returns the content of a line; null beyond the last. */
  lineAt(index: number): PastLine | null {
    const at = this.#dayOf(index);
    const day = this.#days[at];
    if (day === undefined || index >= this.n) return null;
    return this.#heads[at] === index ? { kind: "day", day } : { kind: "question", at: index - at - 1 };
  }

  /** Returns the line of the question at a place. */
  lineOf(place: number): number {
    // The questions of the days before, and their lines.
    let [low, high] = [0, this.#heads.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#heads[middle] ?? 0) - middle <= place) low = middle;
      else high = middle - 1;
    }
    return place + low + 1;
  }

  /** Returns the day that contains a line. */
  #dayOf(index: number): number {
    let [low, high] = [0, this.#heads.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#heads[middle] ?? 0) <= index) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

function midnight(atMs: number): number {
  return new Date(atMs).setHours(0, 0, 0, 0);
}
