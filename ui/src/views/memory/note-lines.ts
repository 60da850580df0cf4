// The lines of a note: where each begins and ends, and what it is by the marks of Markdown.

/** What a line is, by its first characters and the fence or front matter that it stands in. */
export type LineKind = "text" | "blank" | "heading" | "fence" | "code" | "front-matter" | "record";

/** How a file is read: by headings, as it stands, or one record a line. */
export type NoteFormat = "markdown" | "plain" | "records";

/** One line, without its end. */
export type NoteLine = {
  /** first character, and the character behind the last */
  from: number;
  to: number;
  kind: LineKind;
  /** 1 to 6 for a heading, 0 for all else */
  level: number;
};

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

/** Returns the lines of a text. They end at `\n` or `\r\n`; a last line end begins no further line; an empty text has none. */
export function linesOf(text: string, format: NoteFormat): NoteLine[] {
  const lines: NoteLine[] = [];
  const marks = format === "markdown" ? new MarkdownMarks() : null;
  for (let from = 0; from < text.length;) {
    const newline = text.indexOf("\n", from);
    const end = newline === -1 ? text.length : newline;
    const to = end > from && text[end - 1] === "\r" ? end - 1 : end;
    const head = text.slice(from, Math.min(to, from + HEAD_CHARS));
    const isBlank = to - from <= HEAD_CHARS && head.trim() === "";
    lines.push({ from, to, ...(marks?.read(head, isBlank) ?? plainMark(format, isBlank)) });
    from = end + 1;
  }
  if (marks?.isOpenFrontMatter === true) withoutFrontMatter(lines);
  return lines;
}

type Mark = { kind: LineKind; level: number };

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
    const fence = /^ {0,3}(`{3,}|~{3,})(.*)/.exec(head);
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

/** Marks the lines that were taken for front matter as text. */
function withoutFrontMatter(lines: NoteLine[]): void {
  for (const line of lines) {
    if (line.kind === "front-matter") line.kind = line.to === line.from ? "blank" : "text";
  }
}
