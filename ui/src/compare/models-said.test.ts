import { expect, test } from "vitest";
import { modelsSaid } from "./models-said";

test.each([
  [null, null, null],
  ["minilm", "minilm", "notes embedded by minilm"],
  [null, "minilm", "notes embedded by minilm"],
  ["minilm", "e5", "notes embedded by different models: for A by minilm, for B by e5"],
])("%s and %s", (a, b, expected) => {
  expect(modelsSaid(a, b)).toBe(expected);
});
