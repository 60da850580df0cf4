import { describe, expect, test } from "vitest";
import { ChunkMargin } from "./chunk-margin";

function margin(...lines: [number, number][]): ChunkMargin {
  return new ChunkMargin(
    lines.map(([start_line, end_line], at) => ({
      chunk: `c${at}`,
      start_line,
      end_line,
      tokens: 10,
      heading: "",
    })),
  );
}

/** Lanes of the chunks in the order of the document; "-" for those without one. */
function lanes(of: ChunkMargin): string {
  return of.chunks.map((placed) => placed.lane ?? "-").join(" ");
}

describe("lanes", () => {
  test("chunks that do not touch share one", () => {
    const apart = margin([1, 3], [4, 9], [10, 10]);
    expect(lanes(apart)).toBe("0 0 0");
    expect(apart.n_lanes).toBe(1);
  });

  test("chunks that overlap their neighbours alternate", () => {
    const overlapping = margin([1, 5], [4, 9], [8, 14], [14, 20]);
    expect(lanes(overlapping)).toBe("0 1 0 1");
    expect(overlapping.n_lanes).toBe(2);
  });

  test("a lane is free again after an overlap", () => {
    expect(lanes(margin([1, 5], [5, 6], [7, 9]))).toBe("0 1 0");
  });

  test("pieces of one long line that find no lane have none", () => {
    expect(lanes(margin([1, 2], [3, 3], [3, 3], [3, 3], [4, 4]))).toBe("0 0 1 - 0");
  });

  test("are the same in whatever order the chunks come", () => {
    expect(lanes(margin([8, 14], [1, 5], [4, 9]))).toBe(lanes(margin([1, 5], [4, 9], [8, 14])));
  });
});

test("a line's segments say where brackets begin and end", () => {
  const overlapping = margin([1, 4], [4, 6]);
  expect(
    overlapping.at(1).map((segment) => segment && [segment.placed.index, segment.starts, segment.ends]),
  ).toEqual([[0, true, false], null]);
  expect(
    overlapping.at(4).map((segment) => segment && [segment.placed.index, segment.starts, segment.ends]),
  ).toEqual([
    [0, false, true],
    [1, true, false],
  ]);
  expect(overlapping.at(7)).toEqual([null, null]);
});

test("all chunks that start on a line are found, also those without a lane", () => {
  const crowded = margin([1, 1], [2, 2], [2, 2], [2, 2]);
  expect(crowded.startingAt(2).map((placed) => placed.index)).toEqual([1, 2, 3]);
  expect(crowded.startingAt(3)).toEqual([]);
});

test("a line chooses the chunk that starts latest, and on a second click the one it overlaps", () => {
  const overlapping = margin([1, 4], [4, 6]);
  expect(overlapping.choose(4)?.index).toBe(1);
  expect(overlapping.choose(4, 1)?.index).toBe(0);
  expect(overlapping.choose(4, 0)?.index).toBe(1);
  expect(overlapping.choose(2, 0)?.index).toBe(0);
  expect(overlapping.choose(9)).toBeNull();
});

test("a note without chunks has no brackets", () => {
  const none = margin();
  expect([none.n_lanes, none.at(1), none.choose(1), none.startingAt(1)]).toEqual([0, [null, null], null, []]);
});
