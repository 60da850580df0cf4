// Which rows are marked as disagreeing, and with which other row.
import { expect, test } from "vitest";
import type { Disagreement } from "../api/bindings";
import { dissents } from "./disagreements";

const between = (a: number, b: number, newer: "a" | "b" | null = null): Disagreement => ({
  a,
  b,
  said_a: "90 days",
  said_b: "35 days",
  newer,
});

test("each of two kept rows names the other by its rank, and which is newer", () => {
  const found = dissents([between(7, 4, "a")], { order: [4, 2, 7, 9], n_kept: 3 });
  expect([...found]).toEqual([
    [7, { rank: 1, text: "says “90 days”, newer; row 1 says “35 days”" }],
    [4, { rank: 3, text: "says “35 days”; row 3 says “90 days”" }],
  ]);
});

test("of several others the best is named, and no row that was dropped", () => {
  const found = dissents([between(9, 7), between(9, 2), between(9, 4)], { order: [2, 4, 9, 7], n_kept: 3 });
  expect(found.get(9)).toEqual({ rank: 1, text: "says “90 days”; row 1 says “35 days”" });
  expect(found.get(7)).toBeUndefined();
  expect(dissents([between(9, 7)], { order: [9, 7], n_kept: 1 }).size).toBe(0);
});

test("words that hide something are shown", () => {
  const hidden: Disagreement = { ...between(1, 2), said_a: "90\u202e days" };
  expect(dissents([hidden], { order: [1, 2], n_kept: 2 }).get(1)?.text).not.toContain("\u202e");
});
