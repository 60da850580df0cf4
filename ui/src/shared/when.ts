// Dates and times for the user. The window's words are English, so its dates are too; 24 hours, day before month.

const CLOCK = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
const DAY = new Intl.DateTimeFormat("en-GB", {
  weekday: "short",
  day: "numeric",
  month: "short",
  year: "numeric",
});
const SHORT_DATE = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });
const SHORT_DATE_WITH_YEAR = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  year: "numeric",
});
const DAY_MS = 86_400_000;

/** Returns the time of day, "14:03". */
export function clock(at_ms: number): string {
  return CLOCK.format(at_ms);
}

/** Returns "Today", "Yesterday" or the date, seen from `now_ms`, in the machine's time zone. */
export function day(at_ms: number, now_ms: number): string {
  const date = DAY.format(at_ms);
  if (date === DAY.format(now_ms)) return "Today";
  if (date === DAY.format(now_ms - DAY_MS)) return "Yesterday";
  return date;
}

/** Returns the day and the time of day, within a sentence: "yesterday 22:14". */
export function lately(at_ms: number, now_ms: number): string {
  const date = day(at_ms, now_ms);
  return `${date === "Today" || date === "Yesterday" ? date.toLowerCase() : date} ${clock(at_ms)}`;
}

/** Returns what a narrow column has room for: the time of a day of this year, with its date unless it is today; else the date. */
export function shortly(at_ms: number, now_ms: number): string {
  if (DAY.format(at_ms) === DAY.format(now_ms)) return clock(at_ms);
  const isThisYear = new Date(at_ms).getFullYear() === new Date(now_ms).getFullYear();
  return isThisYear ? `${SHORT_DATE.format(at_ms)}, ${clock(at_ms)}` : SHORT_DATE_WITH_YEAR.format(at_ms);
}

/** Returns the date and the time of day. */
export function moment(at_ms: number): string {
  return `${DAY.format(at_ms)}, ${clock(at_ms)}`;
}
