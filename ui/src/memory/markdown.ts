// Untrusted Markdown on its way to the page: parsed by markdown-it, written as a handful of elements, and sanitised.
//
// Three borders, each enough by itself: markup in a note is text to the parser (`html: false`), the writer below emits no
// address that a page follows (a link is a word with its address beside it, a picture is words), and what it wrote goes
// through DOMPurify, whose list holds no element that loads, runs, styles or sends anything.
import DOMPurify, { type Config } from "dompurify";
import MarkdownIt, { type Env, type MarkdownIt as Parser, type StateInline, type Token } from "markdown-it";
import { linkKind } from "./note-links";

/** The longest address shown in place of a picture, in characters. */
const ADDRESS_SHOWN_MAX = 200;

const OPTIONS = {
  html: false,
  // Every line of the file begins a line on the screen, so that the numbers in the margin are the file's.
  breaks: true,
  linkify: true,
};

const inlines = inlineParser();

function inlineParser(): Parser {
  const md = new MarkdownIt(OPTIONS);
  // A bare word is no address; only what is written with its scheme is one.
  md.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });
  // Links of every kind are links to the parser; the writer decides what may be followed.
  md.validateLink = () => true;
  md.inline.ruler.before("newline", "line_end", lineEnd);
  md.inline.ruler.before("link", "wikilink", wikilink);
  return md;
}

/** Reads the end of a line, with a backslash before it or without, and keeps where the next begins. */
function lineEnd(state: StateInline, silent: boolean): boolean {
  const isEscaped = state.src[state.pos] === "\\" && state.src[state.pos + 1] === "\n";
  if (!isEscaped && state.src[state.pos] !== "\n") return false;
  let pos = state.pos + (isEscaped ? 2 : 1);
  if (!silent) {
    state.pending = state.pending.trimEnd();
    state.push("softbreak", "br", 0).meta = { next: pos };
  }
  while (state.src[pos] === " " || state.src[pos] === "\t") pos += 1;
  state.pos = pos;
  return true;
}

/** `[[a note|words]]`, also as `![[a note]]`, which shows the note in other programs. */
const WIKILINK = /!?\[\[([^[\]|\n]+)(?:\|([^[\]\n]*))?\]\]/y;

/** Reads the name of a note in double brackets; its address keeps them. */
function wikilink(state: StateInline, silent: boolean): boolean {
  WIKILINK.lastIndex = state.pos;
  const found = WIKILINK.exec(state.src);
  const name = found?.[1]?.trim() ?? "";
  if (found === null || name === "" || found.index + found[0].length > state.posMax) return false;
  if (!silent) {
    const words = found[2]?.trim() ?? "";
    state.push("link_open", "a", 1).attrs = [["href", `[[${name}]]`]];
    state.push("text", "", 0).content = words === "" ? name : words;
    state.push("link_close", "a", -1);
  }
  state.pos += found[0].length;
  return true;
}

/**
 * Returns what tokens look like, sanitised.
 *
 * Every line of the file is named where it begins, `data-line`: by the block that begins there, or by an empty element.
 */
export function fragmentOf(tokens: readonly Token[], env: Env, line_offset: number): DocumentFragment {
  return sanitised(new Writer(env, line_offset).write(tokens));
}

const CLEAN: Config & { RETURN_DOM_FRAGMENT: true } = {
  ALLOWED_TAGS: [
    ...["h3", "h4", "h5", "h6", "p", "ul", "ol", "li", "blockquote", "pre", "code", "div", "span", "br"],
    ...["table", "thead", "tbody", "tr", "th", "td", "em", "strong", "s"],
  ],
  ALLOWED_ATTR: ["aria-label", "class", "data-address", "data-line", "dir", "role", "start", "tabindex"],
  ALLOW_ARIA_ATTR: false,
  ALLOW_DATA_ATTR: false,
  RETURN_DOM_FRAGMENT: true,
};

/** Returns the elements of `html` that a note may show; all others are left out. */
export function sanitised(html: string): DocumentFragment {
  return DOMPurify.sanitize(html, CLEAN);
}

/** Signs by which a line's text becomes elements, or at which its parser looks for one. */
const SIGNS = new Set("*_~`[]<&:\\\n");

/** Returns an upper bound of what drawing tokens costs: the tokens, and the signs of what is not parsed before it is drawn. */
export function costOf(tokens: readonly Token[]): number {
  let cost = tokens.length;
  for (const { type, content } of tokens) {
    if (type !== "inline") continue;
    for (const sign of content) if (SIGNS.has(sign)) cost += 1;
  }
  return cost;
}

function wordsOf(tokens: readonly Token[]): string {
  return tokens
    .map((token) => {
      switch (token.type) {
        case "softbreak":
          return " ";
        case "image":
          return wordsOf(token.children ?? []);
        default:
          return token.content;
      }
    })
    .join("");
}

function attribute(token: Token, name: string): string {
  return String(token.attrGet(name) ?? "");
}

function escaped(text: string): string {
  return inlines.utils.escapeHtml(text);
}

/** Writes tokens as HTML. Of a note's text everything is escaped; nothing of it becomes a name of an element or attribute. */
class Writer {
  readonly #env: Env;
  readonly #line_offset: number;

  constructor(env: Env, line_offset: number) {
    this.#env = env;
    this.#line_offset = line_offset;
  }

  write(tokens: readonly Token[]): string {
    return tokens.map((token, at) => this.#block(token, tokens, at)).join("");
  }

  #block(token: Token, tokens: readonly Token[], at: number): string {
    switch (token.type) {
      case "inline":
        return this.#lines(token, isTaskItem(tokens, at));
      case "fence":
      case "code_block":
        return this.#code(token);
      case "heading_open":
        return `<${headingTag(token)} class="${token.tag}" dir="auto"${this.#at(token)}>`;
      case "heading_close":
        return `</${headingTag(token)}>`;
      case "hr":
        return `<div class="rule" role="separator">${this.#mark(token.map?.[0] ?? 0)}</div>`;
      case "paragraph_open":
      case "paragraph_close":
        // In a list without blank lines paragraphs are hidden: they have no space around them.
        if (token.nesting === -1) return token.hidden ? "</div>" : "</p>";
        return `<${token.hidden ? "div" : "p"} dir="auto"${this.#at(token)}>`;
      case "ordered_list_open":
        return `<ol start="${Number(token.attrGet("start") ?? 1)}">`;
      case "list_item_open":
        return isTaskItem(tokens, at + 2) ? `<li class="task-item">` : "<li>";
      case "tr_open":
        return `<tr${this.#at(token)}>`;
      case "th_open":
      case "td_open":
        return `<${token.tag} dir="auto"${alignment(token)}>`;
      case "table_open":
        return tableOpen(tokens, at);
      case "table_close":
        return "</table></div>";
      default:
        return PLAIN_TAGS.has(token.tag) ? `<${token.nesting === -1 ? "/" : ""}${token.tag}>` : "";
    }
  }

  /** The line in which a block begins. */
  #at({ map }: Token): string {
    return map === null ? "" : ` data-line="${map[0] + this.#line_offset + 1}"`;
  }

  /** An empty element where a line of the file begins. */
  #mark(line: number): string {
    return `<span data-line="${line + this.#line_offset + 1}"></span>`;
  }

  #code(token: Token): string {
    const first =
      (token.map?.[0] ?? 0) + (token.type === "fence" && token.meta?.["isPiece"] !== true ? 1 : 0);
    const language = token.type === "fence" ? (token.info.trim().split(/\s/, 1)[0] ?? "") : "";
    const lines = token.content.replace(/\n$/, "").split("\n");
    return [
      `<pre class="code" dir="ltr">`,
      language === "" ? "" : `<span class="language">${escaped(language)}</span>`,
      `<code>`,
      lines.map((line, at) => this.#mark(first + at) + escaped(line)).join("\n"),
      `</code></pre>`,
    ].join("");
  }

  #lines(token: Token, isTask: boolean): string {
    const first = token.map?.[0] ?? 0;
    const task = isTask ? TASK.exec(token.content) : null;
    const content = task === null ? token.content : token.content.slice(task[0].length);
    const children = inlines.parseInline(content, this.#env)[0]?.children ?? [];
    const box = task === null ? "" : taskBox(task[1] !== " ");
    return box + this.#inline(children, content, first);
  }

  #inline(tokens: readonly Token[], content: string, first: number): string {
    let line = first;
    let read = 0;
    /** what closes the links that are open */
    const closing: string[] = [];
    return tokens
      .map((token) => {
        switch (token.type) {
          case "softbreak": {
            const next = Number(token.meta?.["next"] ?? read);
            line += content.slice(read, next).split("\n").length - 1;
            read = next;
            return `<br>${this.#mark(line)}`;
          }
          case "link_open": {
            const address = attribute(token, "href");
            closing.push(linkClose(address));
            return linkOpen(address);
          }
          case "link_close":
            return closing.pop() ?? "";
          case "image":
            return picture(wordsOf(token.children ?? []), attribute(token, "src"));
          case "code_inline":
            return `<code dir="auto">${escaped(token.content)}</code>`;
          case "em_open":
          case "em_close":
          case "strong_open":
          case "strong_close":
          case "s_open":
          case "s_close":
            return `<${token.nesting === -1 ? "/" : ""}${token.tag}>`;
          default:
            return escaped(token.content);
        }
      })
      .join("");
  }
}

/** Elements that are written as they are, without attributes. */
const PLAIN_TAGS = new Set(["blockquote", "ul", "ol", "li", "thead", "tbody", "tr", "th", "td"]);

/** The box at the head of a task. */
const TASK = /^\[([ xX])\](?:[ \t]|$)/;

/** The view's own headings are of the first and second level. */
function headingTag(token: Token): string {
  return `h${Math.min(6, Number(token.tag.slice(1)) + 2)}`;
}

function isTaskItem(tokens: readonly Token[], at: number): boolean {
  const token = tokens[at];
  return token?.type === "inline" && tokens[at - 2]?.type === "list_item_open" && TASK.test(token.content);
}

function taskBox(isDone: boolean): string {
  return `<span class="task${isDone ? " done" : ""}" role="img" aria-label="${isDone ? "done" : "to do"}"></span>`;
}

/** Columns that fit beside one another; a table with more scrolls, and what scrolls must be reached by keyboard. */
const COLUMNS_BESIDE = 6;

/** A word so long that a column cannot be as wide; it is broken where it must be. */
const LONG_WORD = /\S{25}/;

function tableOpen(tokens: readonly Token[], at: number): string {
  const end = tokens.findIndex((token, index) => index > at && token.type === "tr_close");
  const n_columns = tokens
    .slice(at, end)
    .filter(({ tag, nesting }) => nesting === 1 && /^t[hd]$/.test(tag)).length;
  const isDense = tokens.some(({ type, content }) => type === "inline" && LONG_WORD.test(content));
  const focus = n_columns > COLUMNS_BESIDE ? ` role="region" tabindex="0" aria-label="Table"` : "";
  return `<div class="wide${isDense ? " dense" : ""}"${focus}><table>`;
}

function alignment(token: Token): string {
  const side = /^text-align:(left|center|right)$/.exec(attribute(token, "style"))?.[1];
  return side === undefined ? "" : ` class="${side}"`;
}

/** A link is a word that can be pressed; it has no address that the page itself could follow. */
function linkOpen(address: string): string {
  if (linkKind(address) === "refused") return "";
  return `<span class="link" role="link" tabindex="0" data-address="${escaped(address)}">`;
}

/** What cannot be followed is beside its words, so that nothing is hidden. */
function linkClose(address: string): string {
  return linkKind(address) === "refused" ? ` ${addressText(address)}` : "</span>";
}

function picture(words: string, address: string): string {
  return [
    `<span class="picture"><span class="kind">picture</span>`,
    words.trim() === "" ? "" : `<span class="words">${escaped(words)}</span>`,
    `${addressText(address)}</span>`,
  ].join("");
}

function addressText(address: string): string {
  const isLong = address.length > ADDRESS_SHOWN_MAX;
  const shown = isLong ? `${address.slice(0, ADDRESS_SHOWN_MAX)}… (${address.length} characters)` : address;
  return `<span class="address" dir="ltr">${escaped(shown)}</span>`;
}
