// Rows in the rerank stage, and scales: each keeps its own range and order.
import { describe, expect, test } from "vitest";
import type { Columns, RerankScale } from "../api/bindings";
import { DEFAULTS } from "../api/parameters";
import { cellsOf } from "../../tests/fake/ranking";
import { endsOf, isPending, rerankedOf, scaleOf, scaleWords, shareOf, usesReranker } from "./rerank-columns";

function columns(part: Partial<Columns>): Columns {
  return {
    cells: [
      cellsOf("rerank", {
        state: ["scored", "pending", "not_sent", null],
        value: [0.4, null, null, null],
        before: [2, 1, 3, null],
        rank: [1, 2, 3, null],
      }),
    ],
    n_pending: 0,
    hook_pending: false,
    ...part,
  } as Columns;
}

test("a row is read with its ranks and its score as reported", () => {
  expect(rerankedOf(columns({}), 0)).toEqual({ state: "scored", before: 2, after: 1, score: 0.4 });
  expect(rerankedOf(columns({}), 1)).toEqual({ state: "pending", before: 1, after: 2, score: null });
  expect(rerankedOf(columns({}), 2)?.state).toBe("not_sent");
  expect(rerankedOf(columns({}), 3)).toBeNull();
  expect(rerankedOf(columns({}), 9)).toBeNull();
});

test.each([
  [{ n_pending: 0, hook_pending: false }, false],
  [{ n_pending: 1, hook_pending: false }, true],
  [{ n_pending: 0, hook_pending: true }, true],
])("%o lacks something: %s", (part, expected) => {
  expect(isPending(columns(part))).toBe(expected);
});

test.each<RerankScale>(["unit", "logit", "max_sim"])(
  "on the scale %s a higher score has a longer bar",
  (scale) => {
    const scores = scale === "logit" ? [-11, -2, 0, 3, 6] : [0, 0.2, 0.5, 0.8, 1];
    const shares = scores.map((score) => shareOf(scale, score));
    expect(shares).toEqual(shares.toSorted((a, b) => a - b));
    expect(new Set(shares).size).toBe(shares.length);
    for (const share of shares) {
      expect(share).toBeGreaterThanOrEqual(0);
      expect(share).toBeLessThanOrEqual(1);
    }
    expect(scaleWords(scale).full).not.toBe("");
  },
);

test("a negative cosine has no bar", () => {
  expect(shareOf("max_sim", -0.3)).toBe(0);
});

describe("the scale in use", () => {
  test.each([
    ["off", "unit", "unit", null],
    ["late", "unit", null, "max_sim"],
    ["model", null, "unit", "logit"],
    ["http", null, null, null],
    ["http", null, "unit", "unit"],
    ["http", "logit", "unit", "logit"],
  ] as const)("of %s, whose answer has %s and whose test %s, is %s", (mode, answered, tested, expected) => {
    expect(scaleOf(mode, answered, tested)).toBe(expected);
  });

  test("ends where its scores do", () => {
    expect([endsOf("unit"), endsOf("max_sim"), endsOf("logit")]).toEqual([
      { min: 0, max: 1 },
      { min: -1, max: 1 },
      null,
    ]);
  });
});

describe("the reranker is used", () => {
  test.each([
    ["off", true, false],
    ["late", true, true],
    ["late", false, false],
    ["http", true, true],
  ] as const)("by %s with its stage on: %s", (rerank, isOn, expected) => {
    expect(usesReranker({ ...DEFAULTS, rerank, rerank_on: isOn })).toBe(expected);
  });
});
