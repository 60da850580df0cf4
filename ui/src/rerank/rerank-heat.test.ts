// The pieces join to the same text, whichever words are weighted; levels grow with the weight.
import { expect, test } from "vitest";
import type { HeatWord } from "../api/bindings";
import { answersByWord, heatPieces, LEVELS } from "./rerank-heat";

const TEXT = "Look first at the 🦦 light.";

function word(text: string, weight: number, asked = "start"): HeatWord {
  const start = TEXT.indexOf(text);
  return { start, end: start + text.length, weight, word: asked, counts: false };
}

const rejoined = (words: HeatWord[]) =>
  heatPieces(TEXT, words)
    .map((piece) => piece.text)
    .join("");

test("the pieces make up the text", () => {
  expect(rejoined([])).toBe(TEXT);
  expect(rejoined([word("first", 0.9), word("Look", 0.2), word("🦦", 0.4), word("light.", 1)])).toBe(TEXT);
});

test("words that overlap, are empty or lie outside are left out", () => {
  const odd = [
    word("first", 0.9),
    { ...word("first at", 1) },
    { start: 3, end: 3, weight: 1, word: "x", counts: false },
  ];
  expect(rejoined([...odd, { start: 20, end: 999, weight: 1, word: "x", counts: false }])).toBe(TEXT);
  expect(heatPieces(TEXT, odd).filter((piece) => piece.word !== null)).toHaveLength(1);
});

test("the strongest word has the highest level, and a stronger one never a lower level", () => {
  const weights = [0.05, 0.2, 0.3, 0.5];
  const texts = ["Look", "first", "at", "light"];
  const pieces = heatPieces(
    TEXT,
    texts.map((text, at) => word(text, weights[at] ?? 0)),
  );
  const levels = texts.map((text) => pieces.find((piece) => piece.text === text)?.level);
  expect(levels).toEqual([1, 2, 3, LEVELS]);
  expect(heatPieces(TEXT, [word("Look", 0)]).map((piece) => piece.level)).toEqual([1, 0]);
});

test("each word of the question has its answers, strongest first", () => {
  const pieces = heatPieces(TEXT, [word("Look", 0.2), word("first", 0.9), word("light", 0.5, "lamp")]);
  expect(answersByWord(pieces)).toEqual([
    {
      word: "start",
      answers: [
        { text: "first", weight: 0.9 },
        { text: "Look", weight: 0.2 },
      ],
    },
    { word: "lamp", answers: [{ text: "light", weight: 0.5 }] },
  ]);
});
