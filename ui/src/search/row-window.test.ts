// The arithmetic of the virtual list: what is drawn covers the view, and little more.
import { describe, expect, it } from "vitest";
import { heightOf, scrollTo, topOf, windowOf } from "./row-window";

const HEIGHTS = { row: 36, cut: 28 };
const N = 2_000;

describe.each([-1, 0, 8, N - 1])("with the cut at %i", (cutAt) => {
  const bottomOf = (index: number) =>
    topOf(index, cutAt, HEIGHTS) + (index === cutAt ? HEIGHTS.cut : HEIGHTS.row);

  it("lays the lines end to end", () => {
    for (let index = 1; index < 40; index++) expect(topOf(index, cutAt, HEIGHTS)).toBe(bottomOf(index - 1));
    expect(heightOf(N, cutAt, HEIGHTS)).toBe(bottomOf(N - 1));
  });

  it("draws all that is seen and no more than the overscan beyond", () => {
    for (let top = 0; top < heightOf(N, cutAt, HEIGHTS); top += 1_777) {
      const view = { top, height: 700 };
      const [first, end] = windowOf(N, cutAt, HEIGHTS, view, 0);
      expect(topOf(first, cutAt, HEIGHTS)).toBeLessThanOrEqual(top);
      expect(bottomOf(end - 1)).toBeGreaterThanOrEqual(Math.min(top + 700, heightOf(N, cutAt, HEIGHTS)));
      expect(end - first).toBeLessThanOrEqual(Math.ceil(700 / HEIGHTS.cut) + 2);
    }
  });

  it("scrolls only as far as a line needs to be seen whole", () => {
    const view = { top: 360, height: 360 };
    expect(scrollTo(12, -1, HEIGHTS, view)).toBe(360);
    expect(scrollTo(3, -1, HEIGHTS, view)).toBe(108);
    expect(scrollTo(20, -1, HEIGHTS, view)).toBe(21 * 36 - 360);
  });
});

it("draws nothing of nothing", () => {
  expect(windowOf(0, -1, HEIGHTS, { top: 0, height: 700 }, 6)).toEqual([0, 0]);
  expect(windowOf(5, -1, HEIGHTS, { top: 9_000, height: 700 }, 6)).toEqual([5, 5]);
});
