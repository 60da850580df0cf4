// What the stages declare, by name.
import { expect, test } from "vitest";
import { columnOf, lookOf } from "./looks";

test("a stage and a column are found by name", () => {
  expect(lookOf("decay")?.fades).toBe(true);
  expect(columnOf("rrf")?.label).toBe("RRF");
});

test("a stage that is not known has no look, and a plain column is not declared", () => {
  expect(lookOf("no.such")).toBeNull();
  expect(columnOf("qmd.fusion")).toBeNull();
});
