// What the timeline draws: periods of days with what is dated in them, in stacks.
import { scaleLinear } from "d3-scale";
import type { FolderState, TimelineDay } from "../api/bindings";
import { count, counted } from "../shared/format";

export type Unit = "day" | "week" | "month" | "year";
export type Measure = "notes" | "observations";
export type Stacking = "folder" | "agent";

/** A span of days, both as `YYYY-MM-DD`. */
export type Span = { from: string; to: string };

/** What is dated in a period. */
export type Period = Span & {
  n_notes: number;
  n_observations: number;
  /** How much of the measure each group has. */
  parts: readonly number[];
};

/** A folder or agent, or all that have no group of their own. */
export type Group = { name: string; n: number };

export type TimelineShape = {
  unit: Unit;
  groups: readonly Group[];
  /** All periods from the first day to the last, also those in which nothing is dated. */
  periods: readonly Period[];
};

/** More bars than these would be too narrow to aim at. */
export const BARS_MAX = 1_200;
/** As many bars as are easy to look at. */
const BARS_EASY = 120;
/** Groups with a pattern of their own; the rest is one more. */
const GROUPS_MAX = 3;
const DAY_MS = 24 * 60 * 60 * 1_000;
const UNITS: readonly Unit[] = ["day", "week", "month", "year"];
const MONTHS = new Intl.DateTimeFormat("en", { month: "long", year: "numeric", timeZone: "UTC" });

/** The number of a day since 1970. */
function numberOf(day: string): number {
  return Math.round(Date.parse(`${day}T00:00:00Z`) / DAY_MS);
}

function dayOf(number: number): string {
  return new Date(number * DAY_MS).toISOString().slice(0, 10);
}

/** The first day of the period that a day is in. Weeks begin on Monday. */
function startOf(day: string, unit: Unit): string {
  switch (unit) {
    case "day":
      return day;
    case "week": {
      const number = numberOf(day);
      // The first day of 1970 was a Thursday.
      return dayOf(number - ((((number + 3) % 7) + 7) % 7));
    }
    case "month":
      return `${day.slice(0, 7)}-01`;
    case "year":
      return `${day.slice(0, 4)}-01-01`;
  }
}

/** The first day of the next period. */
function after(start: string, unit: Unit): string {
  switch (unit) {
    case "day":
      return dayOf(numberOf(start) + 1);
    case "week":
      return dayOf(numberOf(start) + 7);
    case "month": {
      const [year, month] = [Number(start.slice(0, 4)), Number(start.slice(5, 7))];
      return dayOf(Date.UTC(year, month, 1) / DAY_MS);
    }
    case "year":
      return dayOf(Date.UTC(Number(start.slice(0, 4)) + 1, 0, 1) / DAY_MS);
  }
}

/** About how many bars a span of days has. */
function nBars({ from, to }: Span, unit: Unit): number {
  const days = { day: 1, week: 7, month: 30.4, year: 365 }[unit];
  return (numberOf(to) - numberOf(from) + 1) / days;
}

/** The units by which a span of days can be drawn. */
export function unitsFor(span: Span): readonly Unit[] {
  return UNITS.filter((unit) => unit === "year" || nBars(span, unit) <= BARS_MAX);
}

/** The finest unit with few bars. */
function easyUnit(span: Span): Unit {
  return UNITS.find((unit) => nBars(span, unit) <= BARS_EASY) ?? "year";
}

/** From the first day on which anything is dated to the last; null without any. */
export function spanOf(days: readonly TimelineDay[]): Span | null {
  const [first, last] = [days[0], days.at(-1)];
  return first === undefined || last === undefined ? null : { from: first.date, to: last.date };
}

type Choice = {
  measure: Measure;
  stacking: Stacking;
  /** null: by how long the span is. */
  unit: Unit | null;
};

/** Days in order become periods. */
export function shapeOf(
  days: readonly TimelineDay[],
  { measure, stacking, unit: wished }: Choice,
  folders: readonly FolderState[],
): TimelineShape | null {
  const span = spanOf(days);
  if (span === null) return null;
  const unit = wished !== null && unitsFor(span).includes(wished) ? wished : easyUnit(span);
  const nOf = (day: TimelineDay) => (measure === "notes" ? day.n_notes : day.n_observations);
  const names = new Map(folders.map((folder) => [folder.id, nameOf(folder, stacking)]));
  const groupOf = (day: TimelineDay) => names.get(day.folder) ?? "a folder that is gone";
  const totals = new Map<string, number>();
  for (const day of days) totals.set(groupOf(day), (totals.get(groupOf(day)) ?? 0) + nOf(day));
  const groups = grouped(totals);
  const rest = groups.length - 1;
  const at = new Map(groups.map(({ name }, at) => [name, at]));
  const periods: Period[] = [];
  const byStart = new Map<string, Period & { parts: number[] }>();
  for (let start = startOf(span.from, unit); start <= span.to; start = after(start, unit)) {
    const to = dayOf(numberOf(after(start, unit)) - 1);
    const period = { from: start, to, n_notes: 0, n_observations: 0, parts: groups.map(() => 0) };
    byStart.set(start, period);
    periods.push(period);
  }
  for (const day of days) {
    const period = byStart.get(startOf(day.date, unit));
    if (period === undefined) continue;
    period.n_notes += day.n_notes;
    period.n_observations += day.n_observations;
    const part = at.get(groupOf(day)) ?? rest;
    period.parts[part] = (period.parts[part] ?? 0) + nOf(day);
  }
  return { unit, groups, periods };
}

function nameOf(folder: FolderState, stacking: Stacking): string {
  return stacking === "folder" ? folder.name : (folder.agent?.name ?? "no agent");
}

/** The largest groups, and all others as one; equal ones by name. */
function grouped(totals: ReadonlyMap<string, number>): Group[] {
  const all = [...totals].map(([name, n]) => ({ name, n })).filter(({ n }) => n > 0);
  all.sort((a, b) => b.n - a.n || (a.name < b.name ? -1 : 1));
  if (all.length <= GROUPS_MAX + 1) return all;
  const others = all.slice(GROUPS_MAX);
  const n = others.reduce((sum, group) => sum + group.n, 0);
  return [...all.slice(0, GROUPS_MAX), { name: `${others.length} others`, n }];
}

/** How many things of a measure a period has. */
export function nOf({ n_notes, n_observations }: Period, measure: Measure): number {
  return measure === "notes" ? n_notes : n_observations;
}

/** The days of a period in words. */
export function daysOf({ from, to }: Span, unit: Unit | null): string {
  const span = from === to ? from : `${from} to ${to}`;
  if (unit === "month") return `${MONTHS.format(new Date(`${from}T00:00:00Z`))}, ${span}`;
  return unit === "year" ? `${from.slice(0, 4)}, ${span}` : span;
}

/** What is dated in a period in words, by group if there are several. */
export function contentOf(period: Period, { groups }: TimelineShape): string {
  const both = `${counted(period.n_notes, "note")}, ${counted(period.n_observations, "observation")}`;
  const parts = groups
    .map(({ name }, at) => ({ name, n: period.parts[at] ?? 0 }))
    .filter(({ n }) => n > 0)
    .map(({ name, n }) => `${name} ${count(n)}`);
  return groups.length > 1 && parts.length > 0 ? `${both} (${parts.join(", ")})` : both;
}

/** The days from the first of some periods to the last of others, whichever come first. */
export function spanFrom(periods: readonly Period[], a: number, b: number): Span | null {
  const [first, last] = [periods[Math.min(a, b)], periods[Math.max(a, b)]];
  return first === undefined || last === undefined ? null : { from: first.from, to: last.to };
}

/** Where a span is among the periods, in periods from the left; null if it is outside of all. An open end is the end of all. */
export function placeOfSpan(
  periods: readonly Period[],
  from: string | null,
  to: string | null,
): { from: number; to: number } | null {
  const [first, last] = [periods[0], periods.at(-1)];
  if (first === undefined || last === undefined || (from === null && to === null)) return null;
  const [start, end] = [from ?? first.from, to ?? last.to];
  if (start > last.to || end < first.from || start > end) return null;
  return {
    from: start <= first.from ? 0 : placeOfDay(periods, numberOf(start)),
    to: end >= last.to ? periods.length : placeOfDay(periods, numberOf(end) + 1),
  };
}

function placeOfDay(periods: readonly Period[], day: number): number {
  const at = periods.findIndex(({ to }) => numberOf(to) >= day);
  const period = periods[at];
  if (period === undefined) return periods.length;
  const [start, end] = [numberOf(period.from), numberOf(period.to) + 1];
  return at + (day - start) / (end - start);
}

/** The period that is shown or chosen after a key; null for any other key. */
export function periodAfterKey(key: string, at: number, n: number): number | null {
  const next = {
    ArrowRight: at + 1,
    ArrowUp: at + 1,
    ArrowLeft: at - 1,
    ArrowDown: at - 1,
    PageUp: at + 10,
    PageDown: at - 10,
    Home: 0,
    End: n - 1,
  }[key];
  return next === undefined ? null : Math.min(Math.max(next, 0), n - 1);
}

/** The scale of a bar's height, and whole numbers for its lines. */
export function heights(periods: readonly Period[], measure: Measure, base: number, top: number) {
  const most = Math.max(1, ...periods.map((period) => nOf(period, measure)));
  const y = scaleLinear().domain([0, most]).nice(3).range([base, top]);
  return { y, ticks: y.ticks(3).filter(Number.isInteger) };
}

/** Which periods are named below, so that the names neither touch nor pass the end. */
export function namedPeriods(
  { periods, unit }: TimelineShape,
  widthPx: number,
): { at: number; text: string }[] {
  const chars = { day: 10, week: 10, month: 7, year: 4 }[unit];
  const namePx = chars * 7;
  const room = Math.max(1, Math.floor(widthPx / (namePx + 14)));
  const step = Math.max(1, Math.ceil(periods.length / room));
  const isWhole = (at: number) => at === 0 || (at * widthPx) / periods.length + namePx <= widthPx;
  return periods
    .map(({ from }, at) => ({ at, text: from.slice(0, chars) }))
    .filter(({ at }) => at % step === 0 && isWhole(at));
}
