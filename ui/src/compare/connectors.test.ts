import { describe, expect, test } from "vitest";
import type { ComparedRow, ComparedSide } from "../api/bindings";
import { BAND_PX, connectorsOf, fateOf, middleOf, pathOf, ROW_PX } from "./connectors";

const row = (rank: number | null, other: number | null = null): ComparedRow => ({
  folder: "1",
  path: "a.md",
  start_line: 1,
  end_line: 2,
  source: "",
  text: "",
  rank,
  score: null,
  reason: null,
  put_below_by: null,
  other,
});
const side = (rows: ComparedRow[]): ComparedSide => ({
  ...{ label: "", model: null, n_ranked: rows.length, notices: [], rows },
});

describe("what becomes of a row", () => {
  test.each([
    [row(3), row(1), "rose"],
    [row(1), row(3), "fell"],
    [row(2), row(2), "same"],
    [row(null), row(1), "entered"],
    [null, row(1), "entered"],
    [row(1), row(null), "left"],
    [row(1), null, "left"],
    [row(null), row(null), "neither"],
    [null, row(null), "neither"],
  ] as const)("%#: %o to %o", (a, b, fate) => {
    expect(fateOf(a, b)).toBe(fate);
  });
});

test("rows below the band stand lower by it", () => {
  expect(middleOf(0, 2)).toBe(ROW_PX / 2);
  expect(middleOf(1, 2)).toBe(ROW_PX * 1.5);
  expect(middleOf(2, 2)).toBe(ROW_PX * 2.5 + BAND_PX);
  expect(middleOf(0, 0)).toBe(BAND_PX + ROW_PX / 2);
});

test("each row has one line, and those of rows that neither keeps lie below the others", () => {
  const a = side([row(1, 1), row(2), row(null, 2)]);
  const b = side([row(1), row(2, 0), row(null, 2)]);
  const lines = connectorsOf(a, b);
  expect(lines.map(({ fate, a, b }) => [fate, a, b])).toEqual([
    ["neither", 2, 2],
    ["fell", 0, 1],
    ["left", 1, null],
    ["entered", null, 0],
  ]);
  expect(lines.map((line) => pathOf(line, 100))).toEqual([
    "M0 148 C50 148 50 148 100 148",
    "M0 24 C50 24 50 72 100 72",
    "M0 72 H14",
    "M86 24 H100",
  ]);
});
