// Orders, moves against the pin, drops by stage: relations over made-up rankings.
import { describe, expect, it } from "vitest";
import { DEFAULTS } from "../api/parameters";
import { makeChunks } from "../../tests/fake/notes";
import { cellsOf, rank, retrieve } from "../../tests/fake/ranking";
import {
  dropsByStage,
  moveOf,
  ranksBySlot,
  ranksOf,
  tableLines,
  type RowLine,
  type SortKey,
} from "./row-order";

const SET = retrieve("the internet is down at home", makeChunks(300), DEFAULTS);
const COLUMNS = rank(SET, { ...DEFAULTS, min_score: 0.25, budget_tokens: 500 });
const rows = (sort: SortKey) =>
  tableLines(COLUMNS, sort, null).filter((line): line is RowLine => line.kind === "row");

describe("moveOf", () => {
  it.each([
    [1, 3, { kind: "up", by: 2 }],
    [3, 1, { kind: "down", by: 2 }],
    [2, 2, { kind: "same" }],
    [2, null, { kind: "entered" }],
    [null, 2, { kind: "left", was: 2 }],
    [null, null, null],
  ])("rank %s against %s", (now, pinned, expected) => expect(moveOf(now, pinned)).toEqual(expected));
});

describe("tableLines", () => {
  it("puts the cut behind the kept rows, and keeps every row once", () => {
    const lines = tableLines(COLUMNS, "final", null);
    expect(lines[COLUMNS.n_kept]).toEqual({ kind: "cut" });
    expect(new Set(rows("final").map((line) => line.slot)).size).toBe(SET.rows.length);
    expect(rows("final").map((line) => line.slot)).toEqual(COLUMNS.order);
  });

  it("ranks kept rows from 1 and dropped rows not at all", () => {
    const ranks = ranksBySlot(COLUMNS);
    expect(ranks.filter((one) => one !== null).toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: COLUMNS.n_kept }, (_, at) => at + 1),
    );
    for (const [slot, one] of ranks.entries()) expect(one === null).toBe(COLUMNS.dropped_by[slot] !== null);
  });

  it.each<[SortKey, (slot: number) => number | null | undefined]>([
    ["vector", (slot) => ranksOf(COLUMNS, "vector")[slot]],
    ["bm25", (slot) => ranksOf(COLUMNS, "bm25")[slot]],
    ["rrf", (slot) => ranksOf(COLUMNS, "rrf")[slot]],
    ["fusion", (slot) => ranksOf(COLUMNS, "fusion")[slot]],
  ])("sorted by %s the ranks rise, rows without one come last, and there is no cut", (sort, rankIn) => {
    const order = rows(sort).map((line) => rankIn(line.slot) ?? Infinity);
    expect(order).toEqual(order.toSorted((a, b) => a - b));
    expect(tableLines(COLUMNS, sort, null)).toHaveLength(SET.rows.length);
  });

  it("sorted by a stage that drops, its drops come first", () => {
    const isDrop = rows("budget").map((line) => COLUMNS.dropped_by[line.slot] === "budget");
    expect(isDrop).toContain(true);
    expect(isDrop.indexOf(false)).toBe(isDrop.filter(Boolean).length);
  });

  it("filtered by a stage, keeps all kept rows and only that stage's drops", () => {
    const lines = tableLines(COLUMNS, "final", "threshold").filter(
      (line): line is RowLine => line.kind === "row",
    );
    const dropped = lines.filter((line) => line.rank === null);
    expect(lines.length - dropped.length).toBe(COLUMNS.n_kept);
    expect(dropped.every((line) => COLUMNS.dropped_by[line.slot] === "threshold")).toBe(true);
    expect(dropped.length).toBe(dropsByStage(COLUMNS).find(({ stage }) => stage === "threshold")?.n);
  });
});

it("counts the drops of each stage, in the pipeline's order", () => {
  const drops = dropsByStage(COLUMNS);
  expect(drops.map(({ stage }) => stage)).toEqual(
    ["fusion", "threshold", "limit", "budget"].filter((id) => drops.some(({ stage }) => stage === id)),
  );
  expect(drops.reduce((sum, { n }) => sum + n, 0)).toBe(SET.rows.length - COLUMNS.n_kept);
});

describe("stages with columns of their own", () => {
  const sorted = (sort: SortKey, columns: typeof COLUMNS) =>
    tableLines(columns, sort, null).flatMap((line) => (line.kind === "row" ? [line.slot] : []));

  it("sort by the reranker's order, rows that did not reach it last", () => {
    const reranked = cellsOf("rerank", { rank: [...ranksOf(COLUMNS, "fusion")] });
    const columns = { ...COLUMNS, cells: [...COLUMNS.cells, reranked] };
    expect(sorted("rerank", columns)).toEqual(sorted("fusion", columns));
  });

  it.each(["corroboration", "feedback"] as const)("sort by %s, the most first and none last", (stage) => {
    const values = SET.rows.map((_, slot) => (slot % 3 === 0 ? null : slot % 7));
    const columns = { ...COLUMNS, cells: [...COLUMNS.cells, cellsOf(stage, { value: values })] };
    const shown = sorted(stage, columns).map((slot) => values[slot] ?? -Infinity);
    expect(shown).toEqual(shown.toSorted((a, b) => b - a));
  });
});
