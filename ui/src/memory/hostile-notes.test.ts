// Whatever a note holds: what it costs is counted in steps, tokens and nodes, and does not grow with it beyond its budget.
import { afterEach, describe, expect, test } from "vitest";
import { HOSTILE_NOTES } from "../../tests/hostile-notes";
import { fragmentOf } from "./markdown";
import { NoteLines } from "./note-lines";
import { RENDERED_CHARS_MAX, RenderedNote, type NotePart } from "./rendered-note";

const SIZES = [1_000, 16_000, 128_000, RENDERED_CHARS_MAX];

/** Characters that the parser may look at between two pauses: some hundredths of a second. */
const SLICE_LOOKS_MAX = 3_000_000;
/** Tokens that a note may keep. */
const TOKENS_MAX = 250_000;
/** Characters looked at, elements and characters of one block of parts, which is drawn at once. */
const DRAWN_LOOKS_MAX = 2_000_000;
const DRAWN_NODES_MAX = 3_000;

const charCodeAt = String.prototype.charCodeAt;
let n_looks = 0;

/** Counts how often the parser looks at a character: its work, whatever the machine. */
function count(): void {
  n_looks = 0;
  String.prototype.charCodeAt = function (this: string, index: number) {
    n_looks += 1;
    return charCodeAt.call(this, index);
  };
}

afterEach(() => {
  String.prototype.charCodeAt = charCodeAt;
});

async function read(source: string): Promise<{ rendered: RenderedNote; n_looksMax: number }> {
  const lines = new NoteLines(source, "markdown");
  count();
  let n_looksMax = 0;
  const rendered = await RenderedNote.of(source, lines, async () => {
    n_looksMax = Math.max(n_looksMax, n_looks);
    n_looks = 0;
    await Promise.resolve();
  });
  n_looksMax = Math.max(n_looksMax, n_looks);
  String.prototype.charCodeAt = charCodeAt;
  return { rendered, n_looksMax };
}

const blocksOf = (rendered: RenderedNote): (readonly NotePart[])[] =>
  Array.from({ length: rendered.n_blocks }, (_, at) => rendered.parts(at));

function draw(parts: readonly NotePart[]): { n_looks: number; n_nodes: number } {
  const holder = document.createElement("div");
  count();
  for (const part of parts) {
    if (part.kind === "markdown") holder.append(fragmentOf(part.tokens, part.env, part.line_offset));
    else if (part.kind === "facts") holder.append(...part.facts.map(({ value }) => value));
  }
  const n = n_looks;
  String.prototype.charCodeAt = charCodeAt;
  return { n_looks: n, n_nodes: holder.querySelectorAll("*").length };
}

describe.each(Object.entries(HOSTILE_NOTES))("%s", (_, make) => {
  test.each(SIZES)("of %d characters stay within the budget, with every line drawn", async (n_chars) => {
    const source = make(n_chars).slice(0, RENDERED_CHARS_MAX);
    const { rendered, n_looksMax } = await read(source);
    expect(n_looksMax).toBeLessThan(SLICE_LOOKS_MAX);

    const blocks = blocksOf(rendered);
    const parts = blocks.flat();
    let next = 1;
    for (const part of parts) {
      if (part.from !== next && part.from !== next - 1) expect(part.from).toBe(next);
      next = part.to + 1;
    }
    if (parts.length > 0) expect(next).toBe(rendered.n_lines + 1);

    const n_tokens = (some: readonly NotePart[]) =>
      some.reduce((n, part) => n + (part.kind === "markdown" ? part.tokens.length : 0), 0);
    expect(n_tokens(parts)).toBeLessThan(TOKENS_MAX);

    const costliest = blocks.toSorted((a, b) => n_tokens(b) - n_tokens(a))[0];
    for (const block of new Set([blocks[0], costliest, blocks[blocks.length >> 1], blocks.at(-1)])) {
      const drawn = draw(block ?? []);
      expect(drawn.n_looks).toBeLessThan(DRAWN_LOOKS_MAX);
      expect(drawn.n_nodes).toBeLessThan(DRAWN_NODES_MAX);
    }
  });
});
