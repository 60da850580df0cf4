// The blocks of an untrusted text, parsed by markdown-it one after another, each within a budget: what a note of few kilobytes
// can grow to (a table of thousands of columns, quotes in quotes over thousands of lines) must not cost a window's memory.
import MarkdownIt, { type Env, type MarkdownIt as Parser, type StateBlock, type Token } from "markdown-it";

/** A block that is in no other, with its lines in the parsed text, 0-based and half open. */
export type ParsedBlock = { from: number; to: number; tokens: readonly Token[] } & Cost;

/** A block whose parsing was given up: it begins at `from`. */
export type CostlyBlock = { from: number; tokens: null } & Cost;

/** What parsing a block took. */
type Cost = { n_steps: number; n_tokens: number };

/** How deep blocks may be in one another to be drawn; above it no width is left for their text. */
export const DEPTH_MAX = 24;

/** Columns of a table that is laid out; of one that is wider the cells alone fill a window's memory. */
export const COLUMNS_MAX = 100;

/** Calls of rules, and tokens, that one block may take: some hundredths of a second, and some tens of megabytes. */
export const BLOCK_STEPS_MAX = 100_000;
export const BLOCK_TOKENS_MAX = 100_000;

/** Is in the place of a table that is wider than `COLUMNS_MAX`. */
export const WIDE_TABLE = "wide_table";

/** What the block at hand has cost, and when to give it up. */
class Meter {
  n_steps = 0;

  step(state: StateBlock): void {
    this.n_steps += 1;
    if (this.n_steps > BLOCK_STEPS_MAX || state.tokens.length > BLOCK_TOKENS_MAX) throw new TooCostly();
  }
}

/** Thrown out of the parser, which has no other way to stop. */
class TooCostly extends Error {}

const meter = new Meter();
const blocks = blockParser();

/**
 * Parses the blocks of a text one after another; their lines are not looked into before they are drawn.
 *
 * What links refer to is found in `env` when all is read. Ends with `\r` alone end no line. A block that costs too much
 * is the last one: who wants to go on parses what is behind it.
 */
export function* parseBlocks(text: string, env: Env): Generator<ParsedBlock | CostlyBlock, void> {
  const source = text
    .replace(/\r(?!\n)/g, " ")
    .replaceAll("\r\n", "\n")
    .replaceAll("\0", "\ufffd");
  const state = new blocks.block.State(source, blocks, env, []);
  const rules = blocks.block.ruler.getRules("");
  for (let line = state.skipEmptyLines(0); line < state.lineMax; line = state.skipEmptyLines(state.line)) {
    state.line = line;
    state.tokens = [];
    meter.n_steps = 0;
    try {
      rules.some((rule) => rule(state, line, state.lineMax, false));
    } catch (error) {
      if (!(error instanceof TooCostly)) throw error;
      yield { from: line, tokens: null, n_steps: meter.n_steps, n_tokens: state.tokens.length };
      return;
    }
    const tokens = state.tokens.filter(({ type }) => type !== "reference_definition");
    yield { from: line, to: state.line, tokens, n_steps: meter.n_steps, n_tokens: tokens.length };
  }
}

function blockParser(): Parser {
  // Deeper blocks are not looked into; that the border was passed still shows in the tokens.
  const blocks = new MarkdownIt({ html: false, maxNesting: DEPTH_MAX + 2 });
  blocks.block.ruler.before("table", WIDE_TABLE, wideTable, { alt: ["paragraph", "reference"] });
  blocks.block.ruler.disable("html_block");
  // All the parser does it does by rules, so their calls measure its work.
  const { ruler } = blocks.block;
  const rulesOf = ruler.getRules.bind(ruler);
  const metered = new Map<string, ReturnType<typeof rulesOf>>();
  ruler.getRules = (chain) => {
    const known =
      metered.get(chain) ??
      rulesOf(chain).map((rule) => (state: StateBlock, from: number, to: number, silent: boolean) => {
        meter.step(state);
        return rule(state, from, to, silent);
      });
    metered.set(chain, known);
    return known;
  };
  return blocks;
}

/** Reads a table that is too wide to be laid out, before its cells are made. */
function wideTable(state: StateBlock, from: number, to: number, silent: boolean): boolean {
  if (from + 2 > to || (state.sCount[from + 1] ?? 0) < state.blkIndent) return false;
  const borders = lineAt(state, from + 1);
  if (!holdsMore(borders, "|", COLUMNS_MAX) || !/^[|:-][|:\-\s]*$/.test(borders)) return false;
  if (!lineAt(state, from).includes("|")) return false;
  if (silent) return true;
  let end = from + 2;
  while (end < to && !state.isEmpty(end) && (state.sCount[end] ?? 0) >= state.blkIndent) end += 1;
  state.push(WIDE_TABLE, "", 0).map = [from, end];
  state.line = end;
  return true;
}

function lineAt(state: StateBlock, line: number): string {
  return state.src.slice((state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0), state.eMarks[line]);
}

/** Returns whether a text holds a sign more than `n` times. */
function holdsMore(text: string, sign: string, n: number): boolean {
  let at = -1;
  for (let found = 0; found <= n; found += 1) {
    at = text.indexOf(sign, at + 1);
    if (at === -1) return false;
  }
  return true;
}
