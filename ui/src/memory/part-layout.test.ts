import { describe, expect, test } from "vitest";
import { ChunkMargin } from "./chunk-margin";
import { bottomOf, bracketOf, lineAt, stretchOf, tagsOf, topOf, type PartLayout } from "./part-layout";

const LAYOUT: PartLayout = {
  from: 10,
  to: 16,
  height: 100,
  marks: [
    { line: 10, top: 2, middle: 12 },
    { line: 12, top: 40, middle: 50 },
    { line: 14, top: 70, middle: 80 },
  ],
};
const margin = (...lines: [number, number][]) =>
  new ChunkMargin(
    lines.map(([start_line, end_line], at) => ({
      chunk: String(at),
      start_line,
      end_line,
      tokens: 1,
      heading: "",
    })),
  );

test("lines begin and end where the page laid them out", () => {
  expect([1, 10, 11, 12, 14, 16].map((line) => topOf(LAYOUT, line))).toEqual([0, 0, 40, 40, 70, 100]);
  expect([10, 11, 13, 14, 16, 99].map((line) => bottomOf(LAYOUT, line))).toEqual([40, 40, 70, 100, 100, 100]);
  expect([0, 39, 40, 99].map((y) => lineAt(LAYOUT, y))).toEqual([10, 10, 12, 14]);
});

describe("chunks", () => {
  test("fill a part, or the stretch of it that is theirs", () => {
    const [above, inside, below] = margin([1, 11], [12, 13], [14, 40]).chunks;
    expect([above, inside, below].map((placed) => placed && stretchOf(LAYOUT, placed))).toEqual([
      { top: 0, height: 40 },
      { top: 40, height: 30 },
      { top: 70, height: 30 },
    ]);
    expect(above && bracketOf(LAYOUT, above)).toMatchObject({ starts: false, ends: true, top: 0 });
    expect(below && bracketOf(LAYOUT, below)).toMatchObject({ starts: true, ends: false });
  });

  test("that start at one height share a tag", () => {
    const { chunks } = margin([10, 11], [11, 13], [12, 13], [14, 16]);
    expect(tagsOf(LAYOUT, chunks).map(({ top, chunks }) => [top, chunks.length])).toEqual([
      [0, 1],
      [40, 2],
      [70, 1],
    ]);
  });

  test("beside lines are found in every lane", () => {
    const found = margin([1, 5], [4, 9], [8, 12], [20, 22]);
    expect(
      found
        .between(5, 8)
        .map(({ index }) => index)
        .sort(),
    ).toEqual([0, 1, 2]);
    expect(found.between(13, 19)).toEqual([]);
    expect(found.startingIn(4, 8).map(({ index }) => index)).toEqual([1, 2]);
  });
});
