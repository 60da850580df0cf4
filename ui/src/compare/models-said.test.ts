import { expect, test } from "vitest";
import { modelsSaid } from "./models-said";

test.each([
  [null, null, null],
  ["minilm", "minilm", "notes embedded by minilm"],
  [null, "minilm", "notes embedded for B by minilm; the model for A is not known"],
  ["minilm", null, "notes embedded for A by minilm; the model for B is not known"],
  ["minilm", "e5", "notes embedded by different models: for A by minilm, for B by e5"],
])("%s and %s", (a, b, expected) => {
  expect(modelsSaid(a, b)).toBe(expected);
});
