// Points of the map: which are in a lasso, which is closest, and the notes of some.
import { expect, test } from "vitest";
import { mapOf } from "../../tests/fake/map";
import { ChunkMap, type Corner, notesOf } from "./chunk-map";
import { ALL_NOTES } from "../overview/address";
import { groupingOf } from "./groups";
import { tableRows } from "./table-rows";

/** Three chunks each of five notes, the notes from left to right. */
const map = new ChunkMap(mapOf(ALL_NOTES, "components"));
const all = () => true;

test.each<[string, Corner[], number[]]>([
  [
    "a box around the first note",
    [
      [-0.45, -1],
      [-0.35, -1],
      [-0.35, 1],
      [-0.45, 1],
    ],
    [0, 1, 2],
  ],
  [
    "a corner cut off",
    [
      [-0.45, -0.6],
      [0.05, -0.6],
      [-0.45, -0.1],
    ],
    [0, 3, 6, 9],
  ],
  [
    "a hollow between two arms",
    [
      [-0.45, -1],
      [0.05, -1],
      [0.05, 1],
      [-0.05, 1],
      [-0.05, -0.9],
      [-0.35, -0.9],
      [-0.35, 1],
      [-0.45, 1],
    ],
    [0, 1, 2, 12, 13, 14],
  ],
  [
    "a line",
    [
      [-0.45, -1],
      [-0.35, 1],
    ],
    [],
  ],
  ["nothing", [], []],
])("a lasso around %s", (_, lasso, points) => {
  const found = map.inLasso(lasso, all);
  expect(found).toEqual(points.filter((at) => map.picture.x[at] !== undefined && found.includes(at)));
  expect(found).toEqual(points);
});

test("a lasso holds only points that are shown", () => {
  const lasso: Corner[] = [
    [-2, -2],
    [2, -2],
    [2, 2],
    [-2, 2],
  ];
  expect(map.inLasso(lasso, all)).toHaveLength(15);
  expect(map.inLasso(lasso, (at) => at < 4)).toEqual([0, 1, 2, 3]);
});

test("the closest point within a distance is found, of those that are shown", () => {
  expect(map.nearest(-0.39, 0.02, 0.05, all)).toBe(1);
  expect(map.nearest(-0.39, 0.02, 0.05, (at) => at !== 1)).toBeNull();
  expect(map.nearest(-0.39, 0.02, 0.2, (at) => at !== 1)).toBe(4);
  expect(map.nearest(5, 5, 1, all)).toBeNull();
});

test("the notes of points are counted, those with most points first", () => {
  const found = notesOf(map, [3, 4, 0, 9, 10, 11]);
  expect(found.map(({ n, first }) => [n, first])).toEqual([
    [3, 9],
    [2, 3],
    [1, 0],
  ]);
});

test("a chunk is found by its id, one that is not on the map is not", () => {
  expect(map.pointOf("7")).toBe(7);
  expect(map.pointOf("99")).toBeUndefined();
});

test("the closest other note is of another note, at any distance", () => {
  expect(map.nearestOther(1)?.at).toBe(4);
  const one = new ChunkMap(mapOf({ ...ALL_NOTES, text: "Signe" }, "components"));
  expect(one.n).toBe(3);
  expect(one.nearestOther(0)).toBeNull();
});

test("a map without chunks has no points and can be shown", () => {
  const none = new ChunkMap(mapOf({ ...ALL_NOTES, text: "nothing has this" }, "components"));
  expect([none.n, none.nearest(0, 0, 9, all), none.box.maxX]).toEqual([0, null, 1]);
});

test("the table has each note once with its own chunks and the note closest to it", () => {
  const grouping = groupingOf(map, "folder", 0);
  const { rows, n } = tableRows(map, grouping, null, 2);
  expect(n).toBe(5);
  expect(rows.map((row) => [row.note.title, row.n, row.group])).toEqual([
    ["Home server", 3, "reference/"],
    ["Signe", 3, "people/"],
  ]);
  expect(rows[1]?.closest?.note.path).toBe("protocols/group-rooms.md");
});
