// The cut loses nothing: passages laid end to end are the text, and every mark is on the same word.
import { describe, expect, it } from "vitest";
import { passagesOf } from "./passages";

const TEXT = "one fire\ntwo\nthree fire\nfour\nfive fire";
const MARKS: [number, number][] = [...TEXT.matchAll(/fire/g)].map(({ index }) => [index, index + 4]);

describe("passagesOf", () => {
  const cut = (window: [number, number] | null) => passagesOf(TEXT, MARKS, 10, window);

  it.each<[[number, number] | null, string[]]>([
    [null, [TEXT]],
    [
      [12, 12],
      ["one fire\ntwo\n", "three fire\n", "four\nfive fire"],
    ],
    [
      [10, 11],
      ["one fire\ntwo\n", "three fire\nfour\nfive fire"],
    ],
    [
      [13, 14],
      ["one fire\ntwo\nthree fire\n", "four\nfive fire"],
    ],
    [[10, 14], [TEXT]],
    [
      [8, 10],
      ["one fire\n", "two\nthree fire\nfour\nfive fire"],
    ],
    [
      [13, 99],
      ["one fire\ntwo\nthree fire\n", "four\nfive fire"],
    ],
    [[40, 41], [TEXT]],
  ])("window %j", (window, texts) => {
    const passages = cut(window);
    expect(passages.map(({ text }) => text)).toEqual(texts);
    expect(passages.map(({ text }) => text).join("")).toBe(TEXT);
    for (const { text, marks } of passages)
      for (const [start, end] of marks) expect(text.slice(start, end)).toBe("fire");
    expect(passages.reduce((sum, { marks }) => sum + marks.length, 0)).toBe(3);
  });

  it("marks the window and counts lines", () => {
    expect(cut([12, 12]).map(({ isWindow, nLines }) => [isWindow, nLines])).toEqual([
      [false, 2],
      [true, 1],
      [false, 2],
    ]);
    expect(passagesOf("", [], 1, [1, 1]).map(({ text }) => text)).toEqual([""]);
  });
});
