// The legend: its numbers are those of all points, whatever is drawn, and every point has a group.
import { expect, test } from "vitest";
import type { MapNote, MapPicture } from "../../src/api/bindings";
import { mapOf } from "../../tests/fake/map";
import { ALL_NOTES, type Colouring } from "../overview/address";
import { ChunkMap } from "./chunk-map";
import { COLOURINGS, groupingOf, HUES } from "./groups";
import { aimMark, candidateSize, marksOf, shapeOf, spread } from "./marks";

const TODAY = new Date(2026, 10, 27, 12).getTime();
const picture = mapOf(ALL_NOTES, "components");

function mapWith(notes: (note: MapNote, at: number) => Partial<MapNote>, change: Partial<MapPicture> = {}) {
  return new ChunkMap({
    ...picture,
    notes: picture.notes.map((note, at) => ({ ...note, ...notes(note, at) })),
    ...change,
  });
}

const legend = (map: ChunkMap, by: Colouring) =>
  groupingOf(map, by, TODAY).groups.map(({ name, n }) => `${name} ${n}`);

test.each(COLOURINGS)("by $label every point is counted once", ({ id }) => {
  const map = new ChunkMap(picture);
  const { groups, of } = groupingOf(map, id, TODAY);
  expect(groups.reduce((sum, { n }) => sum + n, 0)).toBe(map.n);
  groups.forEach(({ n }, group) => expect(of.filter((one) => one === group)).toHaveLength(n));
});

test("folders have their names, the largest first", () => {
  const map = mapWith((_, at) => ({ folder: at < 2 ? "a" : "b", folder_name: at < 2 ? "small" : "large" }));
  expect(legend(map, "folder")).toEqual(["large 9", "small 6"]);
});

test("in a single watched folder, its sub-folders are the groups, and the notes directly in it are one", () => {
  const map = new ChunkMap(picture);
  const { parent, groups } = groupingOf(map, "folder", TODAY);
  expect(parent).toBe("notes");
  expect(groups.map(({ id, name, n }) => [id, name, n])).toEqual([
    ["notes", "notes", 6],
    ["notes/people", "people/", 3],
    ["notes/protocols", "protocols/", 3],
    ["notes/reference", "reference/", 3],
  ]);
});

test("a single folder without sub-folders, and several folders, are groups themselves", () => {
  const flat = mapWith((_, at) => ({ path: `${at}.md` }));
  expect(groupingOf(flat, "folder", TODAY)).toMatchObject({ parent: null, groups: [{ id: "notes", n: 15 }] });
  const several = mapWith((_, at) => (at === 0 ? { folder: "b", folder_name: "b" } : {}));
  expect(groupingOf(several, "folder", TODAY).parent).toBeNull();
});

test("of many sub-folders the largest have a colour, and the others are one", () => {
  const notes = Array.from(
    { length: 9 },
    (_, at) => ({ ...picture.notes[0], path: `${at}/a.md` }) as MapNote,
  );
  const map = new ChunkMap({ ...picture, notes, note: picture.x.map((_, at) => at % 9) });
  const { groups } = groupingOf(map, "folder", TODAY);
  expect(groups).toHaveLength(HUES);
  expect(groups.at(-1)).toMatchObject({ name: "3 other sub-folders", n: 3 });
});

test("notes of no agent come last and have no colour", () => {
  const map = mapWith((_, at) => (at === 0 ? { agent: "iris", agent_name: "Iris" } : {}));
  expect(legend(map, "agent")).toEqual(["Iris 3", "No agent 12"]);
  expect(groupingOf(map, "agent", TODAY).groups.map(({ hue }) => hue)).toEqual([0, null]);
});

test("an age is by whole days until today", () => {
  const dates = ["2026-11-27", "2026-11-21", "2026-11-20", "2025-11-27", null];
  const map = mapWith((_, at) => ({ date: dates[at] ?? null }));
  expect(legend(map, "age")).toEqual([
    "Last 7 days 6",
    "Last 30 days 3",
    "Older 3",
    "Without a known date 3",
  ]);
});

test("a note is opened, found, never found or not known", () => {
  const counts: [number | null, number | null][] = [
    [3, 1],
    [3, 0],
    [0, 0],
    [3, null],
    [null, 0],
  ];
  const map = mapWith((_, at) => ({ n_found: counts[at]?.[0] ?? null, n_opened: counts[at]?.[1] ?? null }));
  expect(legend(map, "found")).toEqual([
    "Opened 3",
    "Found, not opened 3",
    "Found 3",
    "Never found 3",
    "Not known 3",
  ]);
});

test("statements that are made more than once are named by their text", () => {
  expect(legend(new ChunkMap(picture), "cluster")).toEqual([
    "Signe is allergic to walnuts. 2",
    "Said once 13",
  ]);
});

test("of many groups the largest have a colour, and the others are one", () => {
  const clusters = Array.from({ length: 9 }, (_, at) => ({ text: `statement ${at}`, n: 2 }));
  const cluster = picture.x.map((_, at) => (at < 10 ? Math.max(0, at - 1) : null));
  const { groups } = groupingOf(
    mapWith(() => ({}), { clusters, cluster }),
    "cluster",
    TODAY,
  );
  expect(groups).toHaveLength(HUES + 1);
  expect(groups[0]).toMatchObject({ name: "statement 0", n: 2, hue: 0 });
  expect(groups[HUES - 1]).toMatchObject({ name: "3 other statements", n: 3, hue: HUES - 1 });
  expect(groups[HUES]).toMatchObject({ name: "Said once", n: 5, hue: null });
});

const shown = {
  map: new ChunkMap(picture),
  grouping: groupingOf(new ChunkMap(picture), "found", TODAY),
  colours: {
    groups: [
      [255, 0, 0],
      [0, 255, 0],
      [0, 0, 255],
    ],
    background: [255, 255, 255],
    ink: [0, 0, 0],
  },
  only: null,
  chosen: null,
  ranks: null,
} as const;

test("all points are drawn, or those of the only group that is shown", () => {
  expect(marksOf(shown).base.n).toBe(15);
  const [first] = shown.grouping.groups;
  expect(marksOf({ ...shown, only: 0 }).base.n).toBe(first?.n);
});

test("candidates of the question are apart, the best one last and largest", () => {
  const { base, top } = marksOf({
    ...shown,
    ranks: new Map([
      [3, 2],
      [8, 1],
      [11, 31],
    ]),
  });
  expect([base.n, top.n]).toEqual([12, 3]);
  expect([...top.size]).toEqual([31, 2, 1].map((rank) => Math.fround(candidateSize(rank))));
  expect(candidateSize(1)).toBeGreaterThan(candidateSize(2));
  expect(base.colour[3]).toBeLessThan(top.colour[3] ?? 0);
});

test("points of the lasso stay bright, the others fade", () => {
  const { base, top } = marksOf({ ...shown, chosen: new Set([0, 1]) });
  expect([base.n, top.n]).toEqual([13, 2]);
  expect(base.colour[3]).toBeLessThan(top.colour[3] ?? 0);
});

test("an aim is one ring at its point, and none without a point", () => {
  expect(aimMark(shown, null).n).toBe(0);
  const ring = aimMark(shown, 4);
  expect([ring.n, ring.at[0]]).toEqual([1, Math.fround(picture.x[4] ?? 0)]);
});

test("every beginning of the order of drawing is spread over all points", () => {
  const order = spread(10_000);
  expect(new Set(order).size).toBe(10_000);
  const tenths = Array.from({ length: 10 }, () => 0);
  for (const at of order.slice(0, 1_000))
    tenths[Math.floor(at / 1_000)] = (tenths[Math.floor(at / 1_000)] ?? 0) + 1;
  for (const n of tenths) expect(n).toBeGreaterThan(80);
});

test("neighbouring groups differ in shape as well as in colour", () => {
  expect(new Set([0, 1, 2, 3].map((hue) => shapeOf(hue))).size).toBe(4);
});
