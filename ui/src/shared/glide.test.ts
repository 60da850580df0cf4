// Which elements glide when an order changes: only those that moved, from where they were, and never more than the limit.
import { describe, expect, it } from "vitest";
import { GLIDING_MAX, glidesOf, millisecondsOf } from "./glide";

const VIEW = { top: 0, height: 720 };

describe("glidesOf", () => {
  it("gives the way back to where a row was", () => {
    const before = new Map([
      ["a", 0],
      ["b", 36],
    ]);
    const after = new Map([
      ["a", 36],
      ["b", 0],
    ]);
    expect(new Map(glidesOf(before, after, VIEW).map(({ key, distance }) => [key, distance]))).toEqual(
      new Map([
        ["a", -36],
        ["b", 36],
      ]),
    );
  });

  it("leaves out what stayed and what was not there", () => {
    expect(
      glidesOf(
        new Map([["a", 0]]),
        new Map([
          ["a", 0.2],
          ["new", 36],
        ]),
        VIEW,
      ),
    ).toEqual([]);
  });

  it("moves at most the limit, those in the middle of the view first", () => {
    const keys = Array.from({ length: 200 }, (_, at) => at);
    const before = new Map(keys.map((at) => [at, at * 36 + 10]));
    const after = new Map(keys.map((at) => [at, at * 36]));
    const glides = glidesOf(before, after, { top: 3_600, height: 720 });
    expect(glides).toHaveLength(GLIDING_MAX);
    expect(Math.min(...glides.map(({ key }) => key))).toBeGreaterThan(85);
    expect(Math.max(...glides.map(({ key }) => key))).toBeLessThan(135);
  });
});

it.each([
  ["180ms", 180],
  [" .18s", 180],
  ["0ms", 0],
  ["0s", 0],
])("reads the time %s, as written and as built", (time, ms) => {
  expect(millisecondsOf(time)).toBe(ms);
});
