import { describe, expect, test } from "vitest";
import { sentence } from "./sentence";

describe("a message as a sentence", () => {
  test.each([
    ["qmd 2.8, emulated over 3 notes", "qmd 2.8, emulated over 3 notes."],
    ["cannot open x: no such file", "Cannot open x: no such file."],
    ["Is it there?", "Is it there?"],
    ["people/old.md: permission denied", "people/old.md: permission denied."],
    ["fusion_k: 900 is not in 1 to 200", "fusion_k: 900 is not in 1 to 200."],
    ["3 times in this session:", "3 times in this session:"],
    ["  spaced  ", "spaced."],
    ["“x” is not known", "“x” is not known."],
    [
      "run `memlens index --model multilingual` to embed `a`",
      "Run “memlens index --model multilingual” to embed `a`.",
    ],
    ["", ""],
  ])("%j", (message, expected) => expect(sentence(message)).toBe(expected));
});
