// A note as the parts that the reader draws as Markdown: each with its lines, so that margin and virtual list still hold.
import type { Env, Token } from "markdown-it";
import { DEPTH_MAX, parseBlocks, plainText } from "./markdown";
import type { NoteLine } from "./note-lines";
import { headingName } from "./note-links";
import { textBlocks, type TextBlock } from "./note-text";

/** A line of front matter: what it is about, and what it says; `key` is "" where the line before goes on. */
export type FrontFact = { line: number; key: string; value: string };

/** Lines of a note that are drawn together; `from` and `to` are 1-based and leave no line between two parts. */
export type NotePart = { from: number; to: number } & (
  | { kind: "markdown"; tokens: readonly Token[]; env: Env; line_offset: number }
  | { kind: "facts"; facts: readonly FrontFact[] }
  /** drawn as text: a definition of links, or what is too long or too deep to lay out */
  | { kind: "text"; block: TextBlock; isDefinition: boolean }
);

/** Characters that a note may have to be drawn as Markdown: parsing keeps the window waiting for less than a second. */
export const RENDERED_CHARS_MAX = 1_000_000;

/** Characters and lines of one part; above it is drawn as text, since a part is laid out at once. */
const PART_CHARS_MAX = 20_000;
const PART_LINES_MAX = 300;

/** Lines of code and rows of a table in one part. */
const CODE_LINES = 40;
const TABLE_ROWS = 60;

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
  /** Lines of the parts that stand as text because they are too long or nest too deep; none for most notes. */
  readonly asText: readonly { from: number; to: number }[];
  readonly #blocks: readonly Block[];
  readonly #parts: readonly NotePart[];

  /** `lines` are those of `source`. */
  constructor(source: string, lines: readonly NoteLine[]) {
    this.n_lines = lines.length;
    this.#parts = partsOf(source, lines);
    this.asText = placesAsText(this.#parts);
    this.#blocks = blocksOf(this.#parts, lines);
  }

  get n_blocks(): number {
    return this.#blocks.length;
  }

  /** Returns about how many lines of screen the block at `index` fills; 0 outside `[0, n_blocks)`. */
  blockHeight(index: number): number {
    return this.#blocks[index]?.n_screen_lines ?? 0;
  }

  /** Returns the parts of the block at `index`; none outside `[0, n_blocks)`. */
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

  /** Returns the line of the heading that an address names; null without one. Of headings alike the second is `name-1`. */
  headingLine(name: string): number | null {
    const seen = new Map<string, number>();
    for (const part of this.#parts) {
      if (part.kind !== "markdown" || part.tokens[0]?.type !== "heading_open") continue;
      const heading = headingName(plainText(part.tokens[1]?.content ?? "", part.env));
      const n_before = seen.get(heading) ?? 0;
      seen.set(heading, n_before + 1);
      if ((n_before === 0 ? heading : `${heading}-${n_before}`) === name.toLowerCase()) return part.from;
    }
    return null;
  }
}

function partsOf(source: string, lines: readonly NoteLine[]): NotePart[] {
  const n_front = n_frontLines(lines);
  const start = lines[n_front]?.from ?? source.length;
  const { tokens, env } = parseBlocks(source.slice(start).replace(/^\ufeff/, ""));
  const parts: NotePart[] =
    n_front === 0 ? [] : [{ kind: "facts", from: 1, to: n_front, facts: factsOf(source, lines, n_front) }];
  let next = n_front;
  for (const piece of piecesOf(tokens)) {
    const from = piece.from + n_front;
    const to = Math.min(piece.to + n_front, lines.length);
    addText(parts, lines, next, from, true);
    if (from >= to) continue;
    if (isTooBig(piece, lines, from, to)) addText(parts, lines, from, to, false);
    else
      parts.push({ kind: "markdown", from: from + 1, to, tokens: piece.tokens, env, line_offset: n_front });
    next = to;
  }
  addText(parts, lines, next, lines.length, true);
  return withoutGaps(parts, lines.length);
}

/** Adds what stands between two pieces, if it is more than white space. */
function addText(
  parts: NotePart[],
  lines: readonly NoteLine[],
  from: number,
  to: number,
  isDefinition: boolean,
): void {
  let first = from;
  while (first < to && lines[first]?.kind === "blank") first += 1;
  let last = to;
  while (last > first && lines[last - 1]?.kind === "blank") last -= 1;
  const { blocks } = textBlocks(lines, first, last);
  for (const [at, block] of blocks.entries()) {
    // Pieces of one line are parts of that line each.
    const behind = blocks[at + 1];
    const end = behind === undefined ? last : Math.max(block.line + 1, behind.line);
    parts.push({ kind: "text", from: block.line + 1, to: end, block, isDefinition });
  }
}

function isTooBig({ tokens }: Piece, lines: readonly NoteLine[], from: number, to: number): boolean {
  const n_chars = (lines[to - 1]?.to ?? 0) - (lines[from]?.from ?? 0);
  return (
    n_chars > PART_CHARS_MAX || to - from > PART_LINES_MAX || tokens.some((token) => token.level > DEPTH_MAX)
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
  if (open === undefined || starts.length <= TABLE_ROWS + 1)
    return [{ tokens: tokens.slice(at, end), from, to }];
  const body = tokens.findIndex((token, index) => index > at && token.type === "tbody_open");
  const [close, closeBody] = [tokens[end - 1], tokens[end - 2]];
  const openBody = tokens[body];
  if (close === undefined || closeBody === undefined || openBody === undefined) return [];
  const pieces: Piece[] = [];
  for (let row = 1; row < starts.length; row += TABLE_ROWS) {
    const first = starts[row] ?? end;
    const behind = starts[row + TABLE_ROWS] ?? end - 2;
    const head = row === 1 ? tokens.slice(at, body) : [open];
    const firstLine = row === 1 ? from : from + 1 + row;
    const lastLine = row + TABLE_ROWS < starts.length ? from + 1 + row + TABLE_ROWS : to;
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

/** Returns how many lines of front matter stand at the head, its borders included. */
function n_frontLines(lines: readonly NoteLine[]): number {
  let n = 0;
  while (lines[n]?.kind === "front-matter") n += 1;
  return n;
}

/** Returns the lines of front matter as they stand, without its borders and comments: `key: value`, or a further value. */
function factsOf(source: string, lines: readonly NoteLine[], n_front: number): FrontFact[] {
  return lines.slice(1, n_front - 1).flatMap(({ from, to }, at) => {
    const text = source.slice(from, to);
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

/** Returns the lines of the parts that had to be drawn as text, neighbours in one. */
function placesAsText(parts: readonly NotePart[]): { from: number; to: number }[] {
  const places: { from: number; to: number }[] = [];
  for (const part of parts) {
    if (part.kind !== "text" || part.isDefinition) continue;
    const last = places.at(-1);
    if (last !== undefined && part.from <= last.to + 1) last.to = part.to;
    else places.push({ from: part.from, to: part.to });
  }
  return places;
}

function blocksOf(parts: readonly NotePart[], lines: readonly NoteLine[]): Block[] {
  const blocks: Block[] = [];
  let block: Block | null = null;
  let n_lines = 0;
  let n_chars = 0;
  for (const part of parts) {
    const chars =
      part.kind === "text" ? BLOCK_CHARS : (lines[part.to - 1]?.to ?? 0) - (lines[part.from - 1]?.from ?? 0);
    const height = heightOf(part, lines);
    if (block === null || n_lines + part.to - part.from >= BLOCK_LINES || n_chars + chars > BLOCK_CHARS) {
      block = { parts: [], n_screen_lines: 0 };
      blocks.push(block);
      n_lines = 0;
      n_chars = 0;
    }
    block.parts.push(part);
    block.n_screen_lines += height;
    n_lines += part.to - part.from + 1;
    n_chars += chars;
  }
  return blocks;
}

function heightOf(part: NotePart, lines: readonly NoteLine[]): number {
  if (part.kind === "text") return part.block.n_screen_lines;
  let n = SPACE_LINES;
  for (let line = part.from - 1; line < part.to; line += 1) {
    const { from = 0, to = 0, kind = "blank" } = lines[line] ?? {};
    if (kind !== "blank") n += Math.max(1, Math.ceil((to - from) / CHARS_ACROSS));
  }
  return n;
}
