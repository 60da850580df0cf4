// A note as the rows that the reader draws: a line is a row, a very long one several, and a few dozen rows are a block.
import { LINES_KEPT_MAX, NoteLines, type LineKind, type NoteFormat } from "./note-lines";

/** One row of the reader: a line, or a piece of a line too long to lay out at once. */
export type NoteRow = {
  /** 1-based line of the file */
  line: number;
  kind: LineKind;
  /** 1 to 6 for a heading, 0 for all else */
  level: number;
  text: string;
  /** the row begins (ends) its line */
  isFirst: boolean;
  isLast: boolean;
};

/** Rows that are drawn together: the first row's line and piece, both 0-based, and how much there is of it. */
export type TextBlock = { line: number; piece: number; n_rows: number; n_screen_lines: number };

/** Characters in one row at most: a line of 10 MB stays scrollable because it is never one paragraph. */
export const ROW_CHARS_MAX = 2_000;

/** Rows that are drawn at most; WebKit cannot lay out a page above 33 million pixels (a million rows of 20). */
export const ROWS_MAX = LINES_KEPT_MAX;

/** Rows and characters in one block at most: the virtual list then has thousands of entries, not a million. */
const BLOCK_ROWS = 40;
const BLOCK_CHARS = 8_000;

/** Characters that fit beside one another in the reader, for estimates of height only. */
const CHARS_ACROSS = 100;

/** A note's text, its rows and blocks. */
export class NoteText {
  readonly n_lines: number;
  /** Lines behind `ROWS_MAX` rows, which are not drawn. */
  readonly n_lines_hidden: number;
  readonly lines: NoteLines;
  readonly #text: string;
  readonly #blocks: readonly TextBlock[];

  constructor(text: string, format: NoteFormat) {
    this.#text = text;
    this.lines = new NoteLines(text, format);
    this.n_lines = this.lines.length;
    const { blocks, n_drawn } = textBlocks(this.lines, 0, this.lines.n_kept);
    this.#blocks = blocks;
    this.n_lines_hidden = this.n_lines - n_drawn;
  }

  get n_blocks(): number {
    return this.#blocks.length;
  }

  /** Returns about how many lines of screen the block at `index` fills; 0 outside `[0, n_blocks)`. */
  blockHeight(index: number): number {
    return this.#blocks[index]?.n_screen_lines ?? 0;
  }

  /** Returns the block in which a 1-based line begins; lines outside the text give the nearest block. */
  blockOf(line: number): number {
    let low = 0;
    let high = this.#blocks.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      const first = this.#blocks[middle];
      if (first !== undefined && (first.piece === 0 ? first.line <= line - 1 : first.line < line - 1))
        low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** Returns the rows of the block at `index`; empty outside `[0, n_blocks)`. */
  rows(index: number): NoteRow[] {
    const block = this.#blocks[index];
    return block === undefined ? [] : this.rowsOf(block);
  }

  /** Returns the rows of a block of this text. */
  rowsOf(block: TextBlock): NoteRow[] {
    const rows: NoteRow[] = [];
    let { line, piece } = block;
    while (rows.length < block.n_rows) {
      if (line >= this.lines.n_kept) break;
      const n_pieces = piecesOf(this.lines, line);
      rows.push({
        line: line + 1,
        kind: this.lines.kind(line),
        level: this.lines.level(line),
        text: this.#text.slice(this.#cut(line, piece), this.#cut(line, piece + 1)),
        isFirst: piece === 0,
        isLast: piece === n_pieces - 1,
      });
      piece += 1;
      if (piece === n_pieces) {
        piece = 0;
        line += 1;
      }
    }
    return rows;
  }

  /** Returns where a piece of a line begins, a character earlier where it would part a surrogate pair. */
  #cut(line: number, piece: number): number {
    const to = this.lines.to(line);
    const at = this.lines.from(line) + piece * ROW_CHARS_MAX;
    if (piece === 0 || at >= to) return Math.min(at, to);
    const unit = this.#text.charCodeAt(at);
    return unit >= 0xdc00 && unit <= 0xdfff ? at - 1 : at;
  }
}

/** Returns into how many rows a line is cut; an empty one is a row too. */
function piecesOf(lines: NoteLines, line: number): number {
  return Math.max(1, Math.ceil((lines.to(line) - lines.from(line)) / ROW_CHARS_MAX));
}

/** Returns the blocks of the lines in `[from, to)`, 0-based, and the line behind the last that is drawn. */
export function textBlocks(
  lines: NoteLines,
  from: number,
  to: number,
): { blocks: TextBlock[]; n_drawn: number } {
  const blocks: TextBlock[] = [];
  let block: TextBlock | null = null;
  let n_chars = 0;
  let n_rows = 0;
  for (let index = from; index < to; index += 1) {
    const n_pieces = piecesOf(lines, index);
    const n_lineChars = lines.to(index) - lines.from(index);
    if (n_rows + n_pieces > ROWS_MAX) return { blocks, n_drawn: index };
    n_rows += n_pieces;
    for (let piece = 0; piece < n_pieces; piece += 1) {
      const chars = Math.min(n_lineChars - piece * ROW_CHARS_MAX, ROW_CHARS_MAX);
      if (block === null || block.n_rows >= BLOCK_ROWS || n_chars + chars > BLOCK_CHARS) {
        block = { line: index, piece, n_rows: 0, n_screen_lines: 0 };
        blocks.push(block);
        n_chars = 0;
      }
      block.n_rows += 1;
      block.n_screen_lines += Math.max(1, Math.ceil(chars / CHARS_ACROSS));
      n_chars += chars;
    }
  }
  return { blocks, n_drawn: to };
}
