import { describe, expect, test } from "vitest";
import { NoteText, ROW_CHARS_MAX, ROWS_MAX, type NoteRow } from "./note-text";

function rows(text: NoteText): NoteRow[] {
  return Array.from({ length: text.n_blocks }, (_, index) => text.rows(index)).flat();
}

/** Puts the rows together again: pieces of a line without, lines with a line end between them. */
function joined(text: NoteText): string {
  return rows(text)
    .map((row) => row.text + (row.isLast ? "\n" : ""))
    .join("");
}

const LONG = "a😀".repeat(2 * ROW_CHARS_MAX);

describe("rows", () => {
  test.each([
    ["nothing", ""],
    ["one line", "one\n"],
    ["blank lines", "\n\na\n\n"],
    ["300 lines", Array.from({ length: 300 }, (_, at) => `line ${at}\n`).join("")],
    ["a long line between short ones", `before\n${LONG}\nafter\n`],
    ["a line that ends where a row does", `${"x".repeat(ROW_CHARS_MAX)}\ny\n`],
  ])("of %s hold the whole text, each line once and in order", (_, text) => {
    const note = new NoteText(text, "plain");
    expect(joined(note)).toBe(text);
    const first = rows(note).filter((row) => row.isFirst);
    expect(first.map((row) => row.line)).toEqual(Array.from({ length: note.n_lines }, (__, at) => at + 1));
    expect(note.n_lines_hidden).toBe(0);
  });

  test("never part a surrogate pair", () => {
    for (const row of rows(new NoteText(LONG, "plain")))
      expect(row.text).not.toMatch(/^[\udc00-\udfff]|[\ud800-\udbff]$/);
  });

  test("of a line too long are short, and only the first has its number", () => {
    const pieces = rows(new NoteText(LONG, "plain"));
    expect(pieces.length).toBeGreaterThan(5);
    expect(pieces.every((row) => row.text.length <= ROW_CHARS_MAX + 1 && row.line === 1)).toBe(true);
    expect(pieces.filter((row) => row.isFirst)).toHaveLength(1);
    expect(pieces.at(-1)?.isLast).toBe(true);
  });

  test("beyond what can be drawn are counted", () => {
    const note = new NoteText("\n".repeat(ROWS_MAX + 7), "plain");
    expect(note.n_lines).toBe(ROWS_MAX + 7);
    expect(note.n_lines_hidden).toBe(7);
  });
});

describe("blocks", () => {
  const note = new NoteText(
    Array.from({ length: 1_000 }, (_, at) => (at % 90 === 3 ? LONG : `line ${at}`)).join("\n"),
    "plain",
  );

  test("are small, have a height, and are found by each line that begins in them", () => {
    for (let block = 0; block < note.n_blocks; block += 1) {
      const inside = note.rows(block);
      expect(inside.length).toBeGreaterThan(0);
      expect(inside.length).toBeLessThanOrEqual(40);
      expect(note.blockHeight(block)).toBeGreaterThanOrEqual(inside.length);
      for (const row of inside.filter((one) => one.isFirst)) expect(note.blockOf(row.line)).toBe(block);
    }
  });

  test("of lines outside the text are the nearest", () => {
    expect(note.blockOf(0)).toBe(0);
    expect(note.blockOf(5_000)).toBe(note.n_blocks - 1);
    expect(new NoteText("", "plain").blockOf(1)).toBe(0);
    expect(note.rows(note.n_blocks)).toEqual([]);
  });
});
