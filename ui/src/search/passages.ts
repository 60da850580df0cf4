/** A chunk's text cut at the borders of the window that matched best. */
export type Passage = {
  text: string;
  /** Matched words, as UTF-16 [start, end) of this passage. */
  marks: [number, number][];
  isWindow: boolean;
  nLines: number;
};

/**
 * Cuts `text` into what is above the window, the window, and what is below; empty parts are left out.
 *
 * `window` holds 1-based lines of the file, `startLine` is the line of the text's beginning. Without a window, or with
 * one outside the text, all of it is one passage.
 */
export function passagesOf(
  text: string,
  marks: readonly [number, number][],
  startLine: number,
  window: readonly [number, number] | null,
): Passage[] {
  const lineStarts = [0, ...[...text.matchAll(/\n/g)].map((match) => match.index + 1)];
  const offsetOf = (line: number) => lineStarts[line - startLine] ?? text.length;
  const [from, to] =
    window === null ? [0, text.length] : [offsetOf(Math.max(startLine, window[0])), offsetOf(window[1] + 1)];
  if (window === null || from >= to) return [passage(text, marks, 0, text.length, false)];
  return [
    passage(text, marks, 0, from, false),
    passage(text, marks, from, to, true),
    passage(text, marks, to, text.length, false),
  ].filter((one) => one.text !== "");
}

function passage(
  text: string,
  marks: readonly [number, number][],
  from: number,
  to: number,
  isWindow: boolean,
): Passage {
  const part = text.slice(from, to);
  return {
    text: part,
    // A word is never cut: windows end with lines.
    marks: marks
      .filter(([start, end]) => start >= from && end <= to)
      .map(([start, end]) => [start - from, end - from]),
    isWindow,
    nLines: part.replace(/\n$/, "").split("\n").length,
  };
}
