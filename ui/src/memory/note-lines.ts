// The lines of a note: where each begins and ends, and what it is by the marks of Markdown.

/** What a line is, by its first characters and the fence or front matter that it is in. */
export type LineKind = "text" | "blank" | "heading" | "fence" | "code" | "front-matter" | "record";

/** How a file is read: by headings, as it is, or one record a line. */
export type NoteFormat = "markdown" | "plain" | "records";

/** Characters in which a line's mark must stand; a line of 10 MB is not read to its end for it. */
const HEAD_CHARS = 80;

/** Lines that front matter has at most. */
const FRONT_MATTER_LINES_MAX = 200;

/** Returns how the file at `path` is read, by its ending. */
export function noteFormat(path: string): NoteFormat {
  const ending = path.slice(path.lastIndexOf(".") + 1).toLowerCase();
  switch (ending) {
    case "md":
    case "markdown":
    case "mdx":
      return "markdown";
    case "jsonl":
    case "ndjson":
      return "records";
    default:
      return "plain";
  }
}

/** Lines whose place is kept; further ones are counted only. */
export const LINES_KEPT_MAX = 1_000_000;

/** The lines of a text, kept as numbers: sixteen million of them cost no object each. */
export class NoteLines {
  /** How many lines the text has. */
  readonly length: number;
  readonly #text: string;
  /** Where each kept line begins, and where the one behind the last would. */
  readonly #starts: Uint32Array;
  readonly #marks: Uint8Array;

  /** Lines end at `\n` or `\r\n`; a last line end begins no further line; an empty text has none. */
  constructor(text: string, format: NoteFormat) {
    this.#text = text;
    this.length = n_linesOf(text);
    const n_kept = Math.min(this.length, LINES_KEPT_MAX);
    this.#starts = new Uint32Array(n_kept + 1);
    this.#marks = new Uint8Array(n_kept);
    for (let at = 0; at < n_kept; at += 1) {
      const newline = text.indexOf("\n", this.#starts[at]);
      this.#starts[at + 1] = (newline === -1 ? text.length : newline) + 1;
    }
    this.#mark(format);
  }

  /** How many lines can be asked for: the first `LINES_KEPT_MAX`. */
  get n_kept(): number {
    return this.#marks.length;
  }

  /** Returns where the line at `index`, 0-based, begins; 0 outside `[0, n_kept)`. */
  from(index: number): number {
    return index < this.n_kept ? (this.#starts[index] ?? 0) : 0;
  }

  /** Returns the position behind a line's last character, its end not included; 0 outside `[0, n_kept)`. */
  to(index: number): number {
    const end = (this.#starts[index + 1] ?? 1) - 1;
    return end > this.from(index) && this.#text.charCodeAt(end - 1) === RETURN ? end - 1 : end;
  }

  /** Returns what a line is; "blank" outside `[0, n_kept)`. */
  kind(index: number): LineKind {
    return KINDS[(this.#marks[index] ?? BLANK) & KIND_BITS] ?? "blank";
  }

  /** Returns 1 to 6 for a heading, 0 for all else. */
  level(index: number): number {
    return (this.#marks[index] ?? 0) >> LEVEL_SHIFT;
  }

  #mark(format: NoteFormat): void {
    if (format === "markdown") return this.#markMarkdown();
    const full = format === "records" ? RECORD : TEXT;
    for (let at = 0; at < this.n_kept; at += 1)
      this.#marks[at] = isBlank(this.#text, this.from(at), this.to(at)) ? BLANK : full;
  }

  #markMarkdown(): void {
    const marks = new MarkdownMarks(this.#text);
    for (let at = 0; at < this.n_kept; at += 1) this.#marks[at] = marks.read(this.from(at), this.to(at));
    if (marks.isOpenFrontMatter) this.#unmarkFrontMatter();
  }

  /** Marks the lines that were taken for front matter as text. */
  #unmarkFrontMatter(): void {
    for (let at = 0; at < Math.min(this.n_kept, FRONT_MATTER_LINES_MAX); at += 1) {
      if (this.kind(at) === "front-matter") this.#marks[at] = this.to(at) === this.from(at) ? BLANK : TEXT;
    }
  }
}

/** A line's mark is one byte: its kind's place in this list, and above it a heading's level. */
const KINDS: readonly LineKind[] = ["text", "blank", "heading", "fence", "code", "front-matter", "record"];
const [TEXT, BLANK, HEADING, FENCE, CODE, FRONT_MATTER, RECORD] = [0, 1, 2, 3, 4, 5, 6];
const KIND_BITS = 0b111;
const LEVEL_SHIFT = 3;

const [TAB, NEWLINE, RETURN, SPACE, HASH, BACKTICK, DELETE, TILDE] = [9, 10, 13, 32, 35, 96, 127, 126];

/** Spaces before a mark at most; with more it is indented code. */
const INDENT_MAX = 3;

/** Hashes of a heading at most, and signs of a fence at least. */
const LEVEL_MAX = 6;
const FENCE_MIN = 3;

function n_linesOf(text: string): number {
  let n = 0;
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) === NEWLINE) n += 1;
  return text === "" || text.endsWith("\n") ? n : n + 1;
}

/** Returns whether a line holds white space alone; one that is longer than `HEAD_CHARS` counts as text. */
function isBlank(text: string, from: number, to: number): boolean {
  const first = behindRun(text, SPACE, from, to, HEAD_CHARS);
  const code = text.charCodeAt(first);
  if (to - from > HEAD_CHARS || (first < to && code > SPACE && code < DELETE)) return false;
  return first === to || text.slice(first, to).trim() === "";
}

/** Returns the position behind the same sign repeated, `n_max` times at most. */
function behindRun(text: string, sign: number, from: number, to: number, n_max: number): number {
  let at = from;
  while (at < to && at - from < n_max && text.charCodeAt(at) === sign) at += 1;
  return at;
}

/** The signs that open a fence or close one, and whether anything is behind them. */
type Fence = { sign: number; n_signs: number; isBare: boolean };

/**
 * Reads lines of Markdown one after another and remembers the fence or front matter that they are in.
 *
 * By characters, since a regular expression and a piece of text for each of a million lines would hold the window up.
 */
class MarkdownMarks {
  readonly #text: string;
  #n_read = 0;
  #isFrontMatter = false;
  #fence: Fence | null = null;

  constructor(text: string) {
    this.#text = text;
  }

  /** Front matter was begun and never ended: then it was a rule. */
  get isOpenFrontMatter(): boolean {
    return this.#isFrontMatter;
  }

  /** Returns the mark of the line in `[from, to)`. */
  read(from: number, to: number): number {
    this.#n_read += 1;
    if (this.#n_read === 1 && /^\ufeff?---\s*$/.test(this.#head(from, to))) {
      this.#isFrontMatter = true;
      return FRONT_MATTER;
    }
    if (this.#isFrontMatter && this.#n_read <= FRONT_MATTER_LINES_MAX) {
      if (/^(---|\.\.\.)\s*$/.test(this.#head(from, to))) this.#isFrontMatter = false;
      return FRONT_MATTER;
    }
    const end = Math.min(to, from + HEAD_CHARS);
    const start = behindRun(this.#text, SPACE, from, end, INDENT_MAX);
    const fence = this.#fenceAt(start, end);
    if (this.#fence !== null) {
      const closes = fence?.sign === this.#fence.sign && fence.n_signs >= this.#fence.n_signs && fence.isBare;
      if (closes) this.#fence = null;
      return closes ? FENCE : CODE;
    }
    if (fence !== null) {
      this.#fence = fence;
      return FENCE;
    }
    const level = this.#levelAt(start, end);
    if (level > 0) return HEADING | (level << LEVEL_SHIFT);
    return isBlank(this.#text, from, to) ? BLANK : TEXT;
  }

  #head(from: number, to: number): string {
    return this.#text.slice(from, Math.min(to, from + HEAD_CHARS));
  }

  #fenceAt(from: number, to: number): Fence | null {
    const sign = this.#text.charCodeAt(from);
    if (sign !== BACKTICK && sign !== TILDE) return null;
    const behind = behindRun(this.#text, sign, from, to, HEAD_CHARS);
    if (behind - from < FENCE_MIN) return null;
    // What is behind backticks holds none, or it is code within a line.
    if (sign === BACKTICK && this.#text.slice(behind, to).includes("`")) return null;
    return { sign, n_signs: behind - from, isBare: isBlank(this.#text, behind, to) };
  }

  /** Returns how many hashes make a heading here; 0 where there is none. */
  #levelAt(from: number, to: number): number {
    const behind = behindRun(this.#text, HASH, from, to, LEVEL_MAX);
    const next = this.#text.charCodeAt(behind);
    return behind === to || next === SPACE || next === TAB ? behind - from : 0;
  }
}
