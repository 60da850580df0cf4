// A note as the parts that the reader draws as Markdown: each with its lines, so that margin and virtual list still hold.
import type { Env, Token } from "markdown-it";
import { aMoment } from "../shared/moment";
import { costOf } from "./markdown";
import { DEPTH_MAX, parseBlocks, WIDE_TABLE } from "./markdown-blocks";
import type { NoteLines } from "./note-lines";
import { textBlocks, type TextBlock } from "./note-text";

/** A line of front matter: what it is about, and what it says; `key` is "" where the line before continues. */
export type FrontFact = { line: number; key: string; value: string };

/** Lines of a note that are drawn together; `from` and `to` are 1-based and leave no line between two parts. */
export type NotePart = { from: number; to: number } & (
  | { kind: "markdown"; tokens: readonly Token[]; env: Env; line_offset: number }
  | { kind: "facts"; facts: readonly FrontFact[] }
  /** drawn as text: a definition of links, or what would cost too much to lay out */
  | {
      kind: "text";
      block: TextBlock;
      isDefinition: boolean;
      /** the lines that cost too much, of which this part is the first */
      given_up: { from: number; to: number } | null;
    }
);

/** Characters that a note may have to be drawn as Markdown: parsing takes less than a second. */
export const RENDERED_CHARS_MAX = 1_000_000;

/**
 * What parsing a note may cost, in steps and tokens; what is behind is drawn as text.
 *
 * A list of 25,000 items has 125,000 tokens. Twice as many cost a window some 300 MB.
 */
const NOTE_STEPS_MAX = 3_000_000;
const NOTE_TOKENS_MAX = 150_000;

/** Steps between two pauses, in which the window can do something else. */
const SLICE_STEPS = 20_000;
/** Characters of a note that is long enough for them. */
export const SLICE_CHARS = 100_000;

/** Characters and lines of one part; above it is drawn as text, since a part is laid out at once. */
const PART_CHARS_MAX = 20_000;
const PART_LINES_MAX = 300;

/** What drawing one part, or parts that are drawn together, may cost: about as many nodes of the page. */
const PART_COST_MAX = 3_000;

/** Lines of code and rows of a table in one part. */
const CODE_LINES = 40;
const TABLE_ROWS = 60;
const TABLE_CELLS = 500;

/** Lines and characters that are drawn together. */
const BLOCK_LINES = 30;
const BLOCK_CHARS = 6_000;

/** For estimates of height only: characters that fit beside one another, and the space around a part in lines. */
const CHARS_ACROSS = 95;
const SPACE_LINES = 0.5;

type Block = { parts: NotePart[]; n_screen_lines: number };
/** Tokens of one part, and their lines in the parsed text, 0-based and half open. */
type Piece = { tokens: readonly Token[]; from: number; to: number };

/** A note of Markdown, its parts and blocks of parts. */
export class RenderedNote {
  readonly n_lines: number;
  readonly #blocks: readonly Block[];

  private constructor(parts: readonly NotePart[], lines: NoteLines) {
    this.n_lines = lines.length;
    this.#blocks = blocksOf(parts, lines);
  }

  /** Makes the parts of `source`, whose lines are `lines`; a long note lets the window do something else meanwhile. */
  static async of(
    source: string,
    lines: NoteLines,
    pause: () => Promise<void> = aMoment,
  ): Promise<RenderedNote> {
    const parts = await partsOf(source, lines, pause);
    if (source.length > SLICE_CHARS) await pause();
    const rendered = new RenderedNote(parts, lines);
    if (source.length > SLICE_CHARS) await pause();
    return rendered;
  }

  get n_blocks(): number {
    return this.#blocks.length;
  }

  /** Returns about how many lines of screen the block at `index` fills; 0 outside `[0, n_blocks)`. */
  blockHeight(index: number): number {
    return this.#blocks[index]?.n_screen_lines ?? 0;
  }

  /** Returns the parts of the block at `index`; empty outside `[0, n_blocks)`. */
  parts(index: number): readonly NotePart[] {
    return this.#blocks[index]?.parts ?? [];
  }

  /** Returns the block that holds a 1-based line; lines outside the note give the nearest block. */
  blockOf(line: number): number {
    let low = 0;
    let high = this.#blocks.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#firstLine(middle) <= line) low = middle;
      else high = middle - 1;
    }
    // A line of several pieces begins with the first of them.
    while (low > 0 && this.#firstLine(low - 1) === line) low -= 1;
    return low;
  }

  #firstLine(index: number): number {
    return this.#blocks[index]?.parts[0]?.from ?? Infinity;
  }
}

async function partsOf(source: string, lines: NoteLines, pause: () => Promise<void>): Promise<NotePart[]> {
  const n_front = n_frontLines(lines);
  const env: Env = {};
  const parts: NotePart[] = [];
  if (n_front > 0 && charsOf(lines, 0, n_front) <= PART_CHARS_MAX)
    parts.push({ kind: "facts", from: 1, to: n_front, facts: factsOf(source, lines, n_front) });
  else addText(parts, lines, 0, n_front, false);
  const spent = { n_steps: 0, n_tokens: 0, n_sliceSteps: 0 };
  const isSpent = () => spent.n_steps > NOTE_STEPS_MAX || spent.n_tokens > NOTE_TOKENS_MAX;
  let next = n_front;
  let isRead = false;
  // A block that costs too much ends the parsing, which restarts behind it.
  while (!isRead && next < lines.length) {
    const start = next;
    isRead = true;
    for (const block of parseBlocks(source.slice(lines.from(start)).replace(/^\ufeff/, ""), env)) {
      spent.n_steps += block.n_steps;
      spent.n_sliceSteps += block.n_steps;
      spent.n_tokens += block.n_tokens;
      if (spent.n_sliceSteps > SLICE_STEPS) {
        spent.n_sliceSteps = 0;
        await pause();
      }
      if (isSpent()) break;
      if (block.tokens === null) {
        const from = start + block.from;
        addText(parts, lines, next, from, true);
        next = lineBehind(source, lines, from);
        addText(parts, lines, from, next, false);
        isRead = false;
        break;
      }
      next = addBlock(parts, lines, next, { tokens: block.tokens, env, line_offset: start });
    }
  }
  addText(parts, lines, next, lines.length, !isSpent());
  return withPlacesGivenUp(withoutGaps(parts, lines.length));
}

/** Adds the pieces of a block, and the text between `next` and it; returns the line behind it. */
function addBlock(
  parts: NotePart[],
  lines: NoteLines,
  next: number,
  { tokens, env, line_offset }: Pick<NotePart & { kind: "markdown" }, "tokens" | "env" | "line_offset">,
): number {
  let behind = next;
  for (const piece of piecesOf(tokens)) {
    const from = piece.from + line_offset;
    const to = Math.min(piece.to + line_offset, lines.length);
    addText(parts, lines, behind, from, true);
    if (from >= to) continue;
    if (isTooBig(piece, lines, from, to)) addText(parts, lines, from, to, false);
    else parts.push({ kind: "markdown", from: from + 1, to, tokens: piece.tokens, env, line_offset });
    behind = to;
  }
  return behind;
}

/** Returns where a block ends that was not parsed: at a line behind a blank one that can only begin a block. */
function lineBehind(source: string, lines: NoteLines, from: number): number {
  for (let at = from + 1; at < lines.length; at += 1) {
    if (lines.kind(at - 1) !== "blank" || lines.kind(at) === "blank" || lines.kind(at) === "code") continue;
    if (/[^\s>*+\-\d]/.test(source.charAt(lines.from(at)))) return at;
  }
  return lines.length;
}

function charsOf(lines: NoteLines, from: number, to: number): number {
  return lines.to(to - 1) - lines.from(from);
}

/** Adds what is between two pieces, if it is more than white space. */
function addText(parts: NotePart[], lines: NoteLines, from: number, to: number, isDefinition: boolean): void {
  let first = from;
  while (first < to && lines.kind(first) === "blank") first += 1;
  let last = to;
  while (last > first && lines.kind(last - 1) === "blank") last -= 1;
  const { blocks } = textBlocks(lines, first, last);
  for (const [at, block] of blocks.entries()) {
    // Pieces of one line are parts of that line each.
    const behind = blocks[at + 1];
    const end = behind === undefined ? last : Math.max(block.line + 1, behind.line);
    parts.push({ kind: "text", from: block.line + 1, to: end, block, isDefinition, given_up: null });
  }
}

function isTooBig({ tokens }: Piece, lines: NoteLines, from: number, to: number): boolean {
  return (
    charsOf(lines, from, to) > PART_CHARS_MAX ||
    to - from > PART_LINES_MAX ||
    tokens.some(({ type, level }) => level > DEPTH_MAX || type === WIDE_TABLE) ||
    costOf(tokens) > PART_COST_MAX
  );
}

/** Cuts tokens into pieces: a block each; of lists an item, of code some lines, of a long table some rows. */
function piecesOf(tokens: readonly Token[]): Piece[] {
  const pieces: Piece[] = [];
  for (let at = 0; at < tokens.length;) {
    const token = tokens[at];
    if (token === undefined) break;
    const end = token.nesting === 1 ? closeOf(tokens, at) + 1 : at + 1;
    switch (token.type) {
      case "bullet_list_open":
      case "ordered_list_open":
        pieces.push(...itemsOf(tokens, at, end));
        break;
      case "fence":
      case "code_block":
        pieces.push(...codeOf(token));
        break;
      case "table_open":
        pieces.push(...tableOf(tokens, at, end));
        break;
      default:
        pieces.push(pieceOf(tokens.slice(at, end), token));
    }
    at = end;
  }
  return pieces;
}

/** Returns the position of the token that closes the one at `at`. */
function closeOf(tokens: readonly Token[], at: number): number {
  const level = tokens[at]?.level;
  let end = at + 1;
  while (end < tokens.length - 1 && tokens[end]?.level !== level) end += 1;
  return end;
}

function pieceOf(tokens: readonly Token[], { map }: Token): Piece {
  return { tokens, from: map?.[0] ?? 0, to: map?.[1] ?? 0 };
}

function itemsOf(tokens: readonly Token[], at: number, end: number): Piece[] {
  const open = tokens[at];
  const close = tokens[end - 1];
  if (open === undefined || close === undefined) return [];
  const pieces: Piece[] = [];
  let number = Number(open.attrGet("start") ?? 1);
  for (let item = at + 1; item < end - 1;) {
    const first = tokens[item];
    if (first === undefined) break;
    const behind = closeOf(tokens, item) + 1;
    const list = copyOf(open);
    if (open.type === "ordered_list_open") list.attrSet("start", String(number));
    number += 1;
    pieces.push(pieceOf([list, ...tokens.slice(item, behind), close], first));
    item = behind;
  }
  return pieces;
}

function codeOf(token: Token): Piece[] {
  const [from, to] = token.map ?? [0, 0];
  const code = token.content.replace(/\n$/, "").split("\n");
  if (code.length <= CODE_LINES) return [{ tokens: [token], from, to }];
  const n_before = token.type === "fence" ? 1 : 0;
  const pieces: Piece[] = [];
  for (let at = 0; at < code.length; at += CODE_LINES) {
    const piece = copyOf(token);
    const end = Math.min(at + CODE_LINES, code.length);
    piece.content = code.slice(at, end).join("\n") + "\n";
    piece.meta = { isPiece: true };
    piece.map = [from + n_before + at, end === code.length ? to : from + n_before + end];
    if (at > 0) piece.info = "";
    pieces.push({ tokens: [piece], from: at === 0 ? from : piece.map[0], to: piece.map[1] });
  }
  return pieces;
}

/** Gives each row its line, which the parser gives to none of the body, and cuts a long table into several of the same columns. */
function tableOf(tokens: readonly Token[], at: number, end: number): Piece[] {
  const open = tokens[at];
  const [from, to] = open?.map ?? [0, 0];
  const starts: number[] = [];
  for (let row = at; row < end; row += 1) {
    const token = tokens[row];
    if (token?.type !== "tr_open") continue;
    // Behind the head stands the line of hyphens.
    const line = starts.length === 0 ? from : from + 1 + starts.length;
    token.map = [line, line + 1];
    starts.push(row);
  }
  const n_columns = tokens.slice(at, starts[1] ?? end).filter(({ type }) => type === "th_open").length;
  const n_rows = Math.max(1, Math.min(TABLE_ROWS, Math.floor(TABLE_CELLS / Math.max(1, n_columns))));
  if (open === undefined || starts.length <= n_rows + 1) return [{ tokens: tokens.slice(at, end), from, to }];
  const body = tokens.findIndex((token, index) => index > at && token.type === "tbody_open");
  const [close, closeBody] = [tokens[end - 1], tokens[end - 2]];
  const openBody = tokens[body];
  if (close === undefined || closeBody === undefined || openBody === undefined) return [];
  const pieces: Piece[] = [];
  for (let row = 1; row < starts.length; row += n_rows) {
    const first = starts[row] ?? end;
    const behind = starts[row + n_rows] ?? end - 2;
    const head = row === 1 ? tokens.slice(at, body) : [open];
    const firstLine = row === 1 ? from : from + 1 + row;
    const lastLine = row + n_rows < starts.length ? from + 1 + row + n_rows : to;
    pieces.push({
      tokens: [...head, openBody, ...tokens.slice(first, behind), closeBody, close],
      from: firstLine,
      to: lastLine,
    });
  }
  for (const piece of pieces) {
    const table = copyOf(open);
    table.meta = { isPiece: true };
    piece.tokens = piece.tokens.map((token) => (token === open ? table : token));
  }
  return pieces;
}

function copyOf(token: Token): Token {
  const copy = Object.assign(Object.create(Object.getPrototypeOf(token) as object) as Token, token);
  copy.attrs = token.attrs?.map(([name, value]) => [name, value]) ?? null;
  return copy;
}

/** Returns how many lines of front matter are at the head, its borders included. */
function n_frontLines(lines: NoteLines): number {
  let n = 0;
  while (n < lines.n_kept && lines.kind(n) === "front-matter") n += 1;
  return n;
}

/** Returns the lines of front matter as they are, without its borders and comments: `key: value`, or a further value. */
function factsOf(source: string, lines: NoteLines, n_front: number): FrontFact[] {
  return Array.from({ length: Math.max(0, n_front - 2) }, (_, at) => at).flatMap((at) => {
    const text = source.slice(lines.from(at + 1), lines.to(at + 1));
    const [, key, value] = /^([^\s:#-][^:]{0,60}):(?:\s+(.*))?$/.exec(text) ?? [];
    const line = at + 2;
    if (key !== undefined) return [{ line, key: key.trim(), value: (value ?? "").trim() }];
    const words = text.trim();
    return words === "" || words.startsWith("#") ? [] : [{ line, key: "", value: words.replace(/^- +/, "") }];
  });
}

/** Blank lines belong to the part before them, those at the head to the first. */
function withoutGaps(parts: readonly NotePart[], n_lines: number): NotePart[] {
  return parts.map((part, at) => ({
    ...part,
    from: at === 0 ? 1 : part.from,
    to: Math.max(part.to, (parts[at + 1]?.from ?? n_lines + 1) - 1),
  }));
}

/** Names the lines that were given up at the first part of each place. */
function withPlacesGivenUp(parts: NotePart[]): NotePart[] {
  let place: { from: number; to: number } | null = null;
  for (const part of parts) {
    if (part.kind !== "text" || part.isDefinition) place = null;
    else if (place !== null) place.to = part.to;
    else part.given_up = place = { from: part.from, to: part.to };
  }
  return parts;
}

function blocksOf(parts: readonly NotePart[], lines: NoteLines): Block[] {
  const blocks: Block[] = [];
  let block: Block | null = null;
  let n_lines = 0;
  let n_chars = 0;
  let cost = 0;
  for (const part of parts) {
    const partCost = part.kind === "markdown" ? costOf(part.tokens) : 0;
    const chars = part.kind === "text" ? BLOCK_CHARS : charsOf(lines, part.from - 1, part.to);
    const height = heightOf(part, lines);
    const isFull =
      n_lines + part.to - part.from >= BLOCK_LINES ||
      n_chars + chars > BLOCK_CHARS ||
      cost + partCost > PART_COST_MAX;
    if (block === null || isFull) {
      block = { parts: [], n_screen_lines: 0 };
      blocks.push(block);
      n_lines = 0;
      n_chars = 0;
      cost = 0;
    }
    block.parts.push(part);
    block.n_screen_lines += height;
    n_lines += part.to - part.from + 1;
    n_chars += chars;
    cost += partCost;
  }
  return blocks;
}

function heightOf(part: NotePart, lines: NoteLines): number {
  if (part.kind === "text") return part.block.n_screen_lines;
  let n = SPACE_LINES;
  for (let line = part.from - 1; line < part.to; line += 1) {
    if (lines.kind(line) !== "blank")
      n += Math.max(1, Math.ceil((lines.to(line) - lines.from(line)) / CHARS_ACROSS));
  }
  return n;
}
