// The exported text as numbered lines.

/** A line of the file, and the key that it sets, if any. */
export type JsonLine = { no: number; text: string; key: string | null };

/** Returns the lines of a text of one key a line; a last line end begins no further line. */
export function jsonLines(text: string): JsonLine[] {
  return text
    .replace(/\r?\n$/, "")
    .split(/\r?\n/)
    .map((line, index) => ({ no: index + 1, text: line, key: /^\s*"([^"]+)"\s*:/.exec(line)?.[1] ?? null }));
}
