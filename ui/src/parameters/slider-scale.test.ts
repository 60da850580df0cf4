// Positions and values of sliders: ends meet ends, values are on the grid, there and back is the same.
import { OWN } from "./pipeline";
import { describe, expect, it } from "vitest";
import type { ParamId } from "../api/parameters";
import { PARAMETERS } from "../api/parameters";
import { parameterOf, type NumberKind } from "./rules";
import { draggedTo, isBeyond, positionOf, trackOf, valueAfterKey, valueAt } from "./slider-scale";

function kindOf(id: ParamId): NumberKind {
  const { kind } = parameterOf(OWN, id);
  if (kind.kind !== "number") throw new Error(`${id} is no number`);
  return kind;
}

const NUMBERS = PARAMETERS.flatMap((parameter) =>
  parameter.kind.kind === "number" ? [{ id: parameter.id, kind: parameter.kind }] : [],
);

describe.each(NUMBERS)("$id", ({ kind }) => {
  it("reaches both ends", () => {
    expect(valueAt(kind, 0, false)).toBe(kind.min);
    expect(valueAt(kind, 1, false)).toBe(kind.max);
    expect(positionOf(kind, kind.min)).toBe(0);
    expect(positionOf(kind, kind.max)).toBe(1);
  });

  it("stays in its range, whole where it must be, and grows with the position", () => {
    let before = -Infinity;
    for (let at = 0; at <= 1000; at++) {
      const value = valueAt(kind, at / 1000, at % 2 === 0);
      expect(value).toBeGreaterThanOrEqual(kind.min);
      expect(value).toBeLessThanOrEqual(kind.max);
      if (kind.integer) expect(Number.isInteger(value)).toBe(true);
      const coarse = valueAt(kind, at / 1000, false);
      expect(coarse).toBeGreaterThanOrEqual(before);
      before = coarse;
    }
  });

  it("comes back from a value's position to the value", () => {
    for (let at = 0; at <= 20; at++) {
      const value = valueAt(kind, at / 20, false);
      expect(valueAt(kind, positionOf(kind, value), false)).toBe(value);
    }
  });

  it("stops at its ends", () => {
    expect(valueAfterKey(kind, kind.max, "ArrowUp", false)).toBe(kind.max);
    expect(valueAfterKey(kind, kind.min, "PageDown", false)).toBe(kind.min);
    expect(valueAfterKey(kind, kind.min, "End", false)).toBe(kind.max);
    expect(valueAfterKey(kind, kind.max, "Home", false)).toBe(kind.min);
  });
});

describe("a slider that ends before its table does", () => {
  const table = kindOf("rerank_threshold");
  const track = trackOf(table, { min: 0, max: 1 });

  it("has a step for a hundredth of the scale", () => {
    expect(valueAt(track, 0, false)).toBe(0);
    expect(valueAt(track, 0.37, false)).toBe(0.37);
    expect(valueAt(track, 1, false)).toBe(1);
  });

  it("never ends beyond the table, and without ends runs as far", () => {
    expect(trackOf(table, { min: -100, max: 100 })).toEqual(table);
    expect(trackOf(table, null)).toBe(table);
  });

  it.each([
    [-3, true, 0],
    [0, false, 0],
    [0.5, false, 0.5],
    [1, false, 1],
    [7, true, 1],
  ])("shows %d as beyond it (%s), at %d", (value, beyond, at) => {
    expect(isBeyond(track, value)).toBe(beyond);
    expect(positionOf(track, value)).toBe(at);
  });

  it.each([
    [7, "ArrowDown", 6.99],
    [7, "ArrowUp", 7],
    [-3, "ArrowUp", -2.99],
    [-3, "PageDown", -3],
    [7, "End", 1],
  ])("steps back from %d on %s to %d, and no further out", (value, key, expected) => {
    expect(valueAfterKey(track, value, key, false)).toBe(expected);
  });
});

describe("steps", () => {
  it.each<[ParamId, number, string, boolean, number | null]>([
    ["vector_weight", 0.6, "ArrowRight", false, 0.61],
    ["vector_weight", 0.6, "ArrowLeft", true, 0.599],
    ["vector_weight", 0.3, "PageUp", false, 0.4],
    ["fusion_k", 60, "ArrowUp", false, 61],
    ["fusion_k", 60, "ArrowUp", true, 61],
    ["budget_tokens", 500, "ArrowDown", true, 495],
    ["budget_tokens", 500, "PageDown", false, 0],
    ["fusion_k", 60, "a", false, null],
  ])("%s at %d after %s (fine: %s) is %s", (id, value, key, isFine, expected) => {
    expect(valueAfterKey(kindOf(id), value, key, isFine)).toBe(expected);
  });

  it("moves a tenth of the way while Shift is held", () => {
    const kind = kindOf("vector_weight");
    expect(draggedTo(kind, 0.8, null)).toBe(0.8);
    expect(draggedTo(kind, 0.8, 0.6)).toBe(0.62);
  });
});
