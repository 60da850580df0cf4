// Days become bars, and bars become spans of days.
import { expect, test } from "vitest";
import type { FolderState, TimelineDay } from "../api/bindings";
import {
  BARS_MAX,
  contentOf,
  daysOf,
  heights,
  namedPeriods,
  periodAfterKey,
  placeOfSpan,
  shapeOf,
  spanFrom,
  unitsFor,
  type Measure,
  type Unit,
} from "./timeline-shape";

const day = (date: string, n_notes = 1, folder = "a", n_observations = 0): TimelineDay => ({
  date,
  folder,
  n_notes,
  n_observations,
});
const folder = (id: string, agent: string | null = null) =>
  ({ id, name: `notes ${id}`, agent: agent === null ? null : { id: agent, name: agent } }) as FolderState;
const shape = (
  days: TimelineDay[],
  unit: Unit | null = null,
  stacking: "folder" | "agent" = "folder",
  measure: Measure = "notes",
) => {
  const made = shapeOf(days, { measure, stacking, unit }, [
    folder("a", "Iris"),
    folder("b", "Iris"),
    folder("c"),
  ]);
  if (made === null) throw new Error("there are days");
  return made;
};

test.each<[Unit, [string, string][]]>([
  ["day", [["2026-02-27", "2026-02-27"]]],
  ["week", [["2026-02-23", "2026-03-01"]]],
  ["month", [["2026-02-01", "2026-02-28"]]],
  ["year", [["2026-01-01", "2026-12-31"]]],
])("a bar by %s holds whole days", (unit, first) => {
  const { periods } = shape([day("2026-02-27"), day("2026-03-01")], unit);
  expect(periods.slice(0, 1).map(({ from, to }) => [from, to])).toEqual(first);
  expect(periods.reduce((sum, { n_notes }) => sum + n_notes, 0)).toBe(2);
});

test("empty periods between others are kept, and February has 29 days in a leap year", () => {
  const { periods } = shape([day("2024-01-31"), day("2024-03-01")], "month");
  expect(periods.map(({ from, to, n_notes }) => [from, to, n_notes])).toEqual([
    ["2024-01-01", "2024-01-31", 1],
    ["2024-02-01", "2024-02-29", 0],
    ["2024-03-01", "2024-03-31", 1],
  ]);
});

test("the unit follows the length of the span, and one with too many bars is not used", () => {
  expect(shape([day("2026-02-01"), day("2026-02-28")]).unit).toBe("day");
  expect(shape([day("2025-02-01"), day("2026-02-28")]).unit).toBe("week");
  expect(shape([day("2019-02-01"), day("2026-02-28")]).unit).toBe("month");
  const long = [day("1971-01-01"), day("2026-02-28")];
  expect(shape(long).unit).toBe("year");
  expect(unitsFor({ from: "1971-01-01", to: "2026-02-28" })).toEqual(["month", "year"]);
  expect(shape(long, "day").unit).toBe("year");
  expect(shape(long, "month").periods.length).toBeLessThan(BARS_MAX);
});

test("the largest groups are stacked, and the others are one", () => {
  const days = [day("2026-02-01", 5, "a"), day("2026-02-01", 2, "b"), day("2026-02-02", 1, "c")];
  expect(shape(days).groups).toEqual([
    { name: "notes a", n: 5 },
    { name: "notes b", n: 2 },
    { name: "notes c", n: 1 },
  ]);
  expect(shape(days, null, "agent").groups).toEqual([
    { name: "Iris", n: 7 },
    { name: "no agent", n: 1 },
  ]);
  const many = "abcdef".split("").map((id, at) => day("2026-02-01", 9 - at, id));
  const { groups, periods } = shapeOf(
    many,
    { measure: "notes", stacking: "folder", unit: null },
    "abcdef".split("").map((id) => folder(id)),
  ) ?? { groups: [], periods: [] };
  expect(groups.map(({ name }) => name)).toEqual(["notes a", "notes b", "notes c", "3 others"]);
  expect(periods[0]?.parts).toEqual([9, 8, 7, 15]);
});

test("observations are counted as such", () => {
  const made = shape([day("2026-02-01", 1, "a", 7)], null, "folder", "observations");
  expect(made.groups).toEqual([{ name: "notes a", n: 7 }]);
  expect(made.periods[0]).toMatchObject({ n_notes: 1, n_observations: 7, parts: [7] });
  expect(contentOf(made.periods[0] as (typeof made.periods)[0], made)).toBe("1 note, 7 observations");
});

test("a span begins with the first day of its first bar, whichever way it is chosen", () => {
  const { periods } = shape([day("2026-01-09"), day("2026-03-20")], "month");
  expect(spanFrom(periods, 2, 1)).toEqual({ from: "2026-02-01", to: "2026-03-31" });
  expect(spanFrom(periods, 0, 9)).toBeNull();
  expect(daysOf({ from: "2026-02-01", to: "2026-02-28" }, "month")).toBe(
    "February 2026, 2026-02-01 to 2026-02-28",
  );
});

test.each([
  ["2026-02-01", "2026-02-28", { from: 1, to: 2 }],
  ["2026-02-15", "2026-02-28", { from: 1.5, to: 2 }],
  [null, "2026-01-31", { from: 0, to: 1 }],
  ["2026-03-01", null, { from: 2, to: 3 }],
  ["2020-01-01", "2030-01-01", { from: 0, to: 3 }],
  ["2027-01-01", null, null],
  ["2026-03-01", "2026-02-01", null],
  [null, null, null],
])("from %s until %s is at its place among the bars", (from, to, place) => {
  const { periods } = shape([day("2026-01-09"), day("2026-03-20")], "month");
  expect(placeOfSpan(periods, from, to)).toEqual(place);
});

test("lines of the scale are at whole numbers", () => {
  const { periods } = shape([day("2026-01-09"), day("2026-01-10", 2)]);
  expect(heights(periods, "notes", 100, 0).ticks).toEqual([0, 1, 2]);
});

test.each([
  ["ArrowRight", 2, 3],
  ["ArrowRight", 9, 9],
  ["ArrowLeft", 0, 0],
  ["Home", 5, 0],
  ["End", 5, 9],
  ["PageUp", 5, 9],
  ["a", 5, null],
])("%s at %i leads to %s", (key, at, next) => expect(periodAfterKey(key, at, 10)).toBe(next));

test("no days make no chart", () => {
  expect(shapeOf([], { measure: "notes", stacking: "folder", unit: null }, [])).toBeNull();
});

test.each([300, 655, 900])("no name of a bar passes the end of a chart of %d px", (widthPx) => {
  const { periods, unit } = shape([day("2026-01-05"), day("2026-03-09")], "day");
  const named = namedPeriods({ periods, unit, groups: [] }, widthPx);
  expect(named[0]).toEqual({ at: 0, text: "2026-01-05" });
  const ends = named.map(({ at, text }) => (at * widthPx) / periods.length + text.length * 7);
  expect(Math.max(...ends)).toBeLessThanOrEqual(widthPx);
});
