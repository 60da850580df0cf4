// The lines of a note: where each begins and ends, and what it is by the marks of Markdown.

/** What a line is, by its first characters and the fence or front matter that it stands in. */
export type LineKind = "text" | "blank" | "heading" | "fence" | "code" | "front-matter" | "record";

/** How a file is read: by headings, as it stands, or one record a line. */
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
    const marks = format === "markdown" ? new MarkdownMarks() : null;
    const blank = byteOf(plainMark(format, true));
    const plain = byteOf(plainMark(format, false));
    for (let at = 0; at < this.n_kept; at += 1) {
      const from = this.from(at);
      const to = this.to(at);
      // Most lines can be told by their first character, which a million lines need.
      const isTold = marks === null || marks.isCertain;
      if (isTold && (from === to || isPlain(this.#text.charCodeAt(from)))) {
        this.#marks[at] = marks?.isInFence === true ? CODE : from === to ? blank : plain;
        continue;
      }
      const head = this.#text.slice(from, Math.min(to, from + HEAD_CHARS));
      const isBlank = to - from <= HEAD_CHARS && head.trim() === "";
      this.#marks[at] = byteOf(marks?.read(head, isBlank) ?? plainMark(format, isBlank));
    }
    if (marks?.isOpenFrontMatter === true) this.#unmarkFrontMatter();
  }

  /** Marks the lines that were taken for front matter as text. */
  #unmarkFrontMatter(): void {
    for (let at = 0; at < Math.min(this.n_kept, FRONT_MATTER_LINES_MAX); at += 1) {
      if (this.kind(at) === "front-matter")
        this.#marks[at] = byteOf({ kind: this.to(at) === this.from(at) ? "blank" : "text", level: 0 });
    }
  }
}

const KINDS: readonly LineKind[] = ["text", "blank", "heading", "fence", "code", "front-matter", "record"];
const BLANK = KINDS.indexOf("blank");
const CODE = KINDS.indexOf("code");
const KIND_BITS = 0b111;
const LEVEL_SHIFT = 3;
const NEWLINE = 10;
const RETURN = 13;

function n_linesOf(text: string): number {
  let n = 0;
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) === NEWLINE) n += 1;
  return text === "" || text.endsWith("\n") ? n : n + 1;
}

/** Tells whether a line that begins so cannot be a heading, a fence or blank. */
function isPlain(code: number): boolean {
  return code > 35 && code < 126 && code !== 96;
}

type Mark = { kind: LineKind; level: number };

function byteOf({ kind, level }: Mark): number {
  return KINDS.indexOf(kind) | (level << LEVEL_SHIFT);
}

function plainMark(format: NoteFormat, isBlank: boolean): Mark {
  if (isBlank) return { kind: "blank", level: 0 };
  return { kind: format === "records" ? "record" : "text", level: 0 };
}

/** Reads lines of Markdown one after another and remembers the fence or front matter that they stand in. */
class MarkdownMarks {
  #n_read = 0;
  #isFrontMatter = false;
  #fence: string | null = null;

  /** Front matter was begun and never ended: then it was a rule. */
  get isOpenFrontMatter(): boolean {
    return this.#isFrontMatter;
  }

  /** Whether a line without a mark of its own is text, or code in a fence: not at the head of the file. */
  get isCertain(): boolean {
    return this.#n_read > 0 && !(this.#isFrontMatter && this.#n_read < FRONT_MATTER_LINES_MAX);
  }

  get isInFence(): boolean {
    return this.#fence !== null;
  }

  read(head: string, isBlank: boolean): Mark {
    this.#n_read += 1;
    const word = head.trimEnd();
    if (this.#n_read === 1 && (word === "---" || word === "\ufeff---")) {
      this.#isFrontMatter = true;
      return { kind: "front-matter", level: 0 };
    }
    if (this.#isFrontMatter && this.#n_read <= FRONT_MATTER_LINES_MAX) {
      if (word === "---" || word === "...") this.#isFrontMatter = false;
      return { kind: "front-matter", level: 0 };
    }
    // What stands behind backticks holds none, or it is code within a line.
    const fence = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})(.*)/.exec(head);
    if (this.#fence !== null) {
      const closes = fence?.[1]?.startsWith(this.#fence) === true && fence[2]?.trim() === "";
      if (closes) this.#fence = null;
      return { kind: closes ? "fence" : "code", level: 0 };
    }
    if (isBlank) return { kind: "blank", level: 0 };
    if (fence?.[1] !== undefined) {
      this.#fence = fence[1];
      return { kind: "fence", level: 0 };
    }
    const heading = /^ {0,3}(#{1,6})(?:[ \t]|$)/.exec(head)?.[1];
    return heading === undefined ? { kind: "text", level: 0 } : { kind: "heading", level: heading.length };
  }
}
