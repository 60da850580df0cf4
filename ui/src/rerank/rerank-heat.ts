// A text cut at the words that answered the question, each with how strongly it did.
import type { HeatWord } from "../api/bindings";

/** A piece of the text: a word that answered, or what is between two. */
export type HeatPiece = {
  at: number;
  text: string;
  /** Null between words. */
  word: HeatWord | null;
  /** 1 weakest to `LEVELS` strongest, against the strongest word of the text; 0 between words. */
  level: number;
};

/** So many shades can be distinguished, also without colours. */
export const LEVELS = 5;

/** The pieces in the text's order; words that do not fit it are left out. */
export function heatPieces(text: string, words: readonly HeatWord[]): HeatPiece[] {
  const strongest = Math.max(0, ...words.map((word) => word.weight));
  const pieces: HeatPiece[] = [];
  let at = 0;
  for (const word of words.toSorted((a, b) => a.start - b.start)) {
    if (word.start < at || word.end <= word.start || word.end > text.length) continue;
    if (word.start > at) pieces.push({ at, text: text.slice(at, word.start), word: null, level: 0 });
    const level = strongest > 0 ? Math.max(1, Math.ceil((LEVELS * word.weight) / strongest)) : 1;
    pieces.push({ at: word.start, text: text.slice(word.start, word.end), word, level });
    at = word.end;
  }
  if (at < text.length) pieces.push({ at, text: text.slice(at), word: null, level: 0 });
  return pieces;
}

/** The question's words in the order in which the text first answers them, each with the words that answered, strongest first. */
export function answersByWord(
  pieces: readonly HeatPiece[],
): { word: string; answers: { text: string; weight: number }[] }[] {
  const byWord = new Map<string, { text: string; weight: number }[]>();
  for (const { text, word } of pieces) {
    if (word === null) continue;
    const answers = byWord.get(word.word) ?? [];
    answers.push({ text, weight: word.weight });
    byWord.set(word.word, answers);
  }
  return [...byWord].map(([word, answers]) => ({
    word,
    answers: answers.toSorted((a, b) => b.weight - a.weight),
  }));
}
