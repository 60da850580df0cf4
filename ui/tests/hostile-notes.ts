// Notes that are expensive for their size: each of about `n_chars` characters, so that a superlinear cost becomes visible.

/** Returns a note of about `n_chars` characters. */
type Hostile = (n_chars: number) => string;

const filled =
  (unit: string): Hostile =>
  (n_chars) =>
    unit.repeat(Math.max(1, Math.floor(n_chars / unit.length)));

/** A head as wide as half the note, then rows of nothing. */
const wideTable =
  (mark: string): Hostile =>
  (n_chars) => {
    const n_columns = Math.floor(n_chars / 8);
    const head = `${mark}${"|a".repeat(n_columns)}|\n${mark}${"|-".repeat(n_columns)}|\n`;
    return head + `${mark}|\n`.repeat(Math.floor((n_chars - head.length) / 2));
  };

const tableOf =
  (n_columns: number, row: string): Hostile =>
  (n_chars) =>
    `${"|a".repeat(n_columns)}|\n${"|-".repeat(n_columns)}|\n` + filled(`${row}\n`)(n_chars);

const opened =
  (head: string, unit: string): Hostile =>
  (n_chars) =>
    head + filled(unit)(n_chars);

/** One definition of half the note, and as many links to it as fit into the other half. */
const longDefinition: Hostile = (n_chars) =>
  `[a]: https://example.org/${"x".repeat(n_chars / 2)}\n\n` + filled("[a]\n".repeat(20) + "\n")(n_chars / 2);

const nestedItems: Hostile = (n_chars) => {
  const n_levels = Math.floor(Math.sqrt(n_chars));
  return Array.from({ length: n_levels }, (_, at) => `${" ".repeat(at * 2)}- x`).join("\n");
};

const fuzzed =
  (signs: readonly string[]): Hostile =>
  (n_chars) => {
    // A generator of its own, so that every run reads the same notes.
    let state = 7;
    const next = () => (state = (state * 48_271) % 2_147_483_647);
    const units: string[] = [];
    for (let n = 0; n < n_chars;) {
      const unit = signs[next() % signs.length] ?? "";
      units.push(unit);
      n += unit.length;
    }
    return units.join("");
  };

export const HOSTILE_NOTES: Record<string, Hostile> = {
  "a wide table": wideTable(""),
  "a wide table in a quote": wideTable("> "),
  "a wide table in an item": (n_chars) => `- x\n\n${wideTable("  ")(n_chars)}`,
  "many tables, each a little too wide": filled(`${"|a".repeat(120)}|\n${"|-".repeat(120)}|\n|\n\n`),
  "many tables in a row": filled("|a|b|\n|-|-|\n|c|d|\n\n"),
  "a table of a hundred columns": tableOf(100, "|"),
  "a table of short rows": tableOf(2, "|"),
  "a table of full rows": tableOf(30, "|*a*".repeat(30)),
  "borders of tables": filled("|-|-|-|-|-|-|-|-|-|-|\n"),
  "pipes in one line": filled("|"),
  "quotes in one another": filled(">"),
  "ninety quotes over lines": opened(`${">".repeat(90)} `, "x\n"),
  "ninety quotes over quotes": filled(`${">".repeat(90)} x\n`),
  "ninety quotes in blocks": filled(`${">".repeat(90)} ${"x\n".repeat(2_000)}\n`),
  "lists in one another": filled("- "),
  "lists in one another over lines": opened(`${"- ".repeat(90)}`, "x\n"),
  "items that go deeper": nestedItems,
  "many items": filled("- x\n"),
  "many numbers": filled("1) x\n"),
  tasks: filled("- [ ] x\n"),
  "quotes and lists in turn": filled("> - "),
  "quotes and lists in turn over lines": opened("> - ".repeat(40), "x\n"),
  "emphasis that opens": filled("*a "),
  "emphasis that closes": filled("a* "),
  "emphasis in one another": filled("**_"),
  "emphasis of three kinds": filled("*_~~"),
  "emphasised letters": filled("*a*"),
  "opening brackets": filled("["),
  "opening pictures": filled("!["),
  "brackets and parentheses": filled("[a]("),
  "brackets that close": filled("[]"),
  links: filled("[a](b) "),
  "links in links": filled("[a](<b"),
  "links with titles": filled('[a](b "'),
  "links over lines": filled("[a](b)\n"),
  "a long definition named often": longDefinition,
  definitions: (n_chars) =>
    Array.from({ length: Math.floor(n_chars / 16) }, (_, at) => `[a${at}]: /${at}`).join("\n"),
  "definitions without an end": filled("[a\n"),
  "definitions with open titles": filled(`[a]: x '\n`),
  "definitions with three open titles": filled(`[a]: x "\n[b]: y '\n[c]: z (\n`),
  "automatic addresses": filled("<a:b>"),
  "automatic addresses without an end": filled("<a:"),
  "bare addresses": filled("http://"),
  "bare addresses with hosts": filled("https://a.example/b "),
  "one bare address": opened("https://", "a."),
  "backticks of every length": (n_chars) => {
    const runs: string[] = [];
    for (let n = 1, length = 0; length < n_chars; length += n + 1, n += 1) runs.push("`".repeat(n));
    return runs.join(" ");
  },
  backticks: filled("x`"),
  "code in a line": filled("`a` "),
  "a fence without an end": opened("```\n", "code\n"),
  fences: filled("```\n"),
  "fences in items": filled("- ```\n  x\n"),
  "indented code": filled("    x\n"),
  "indented code and blank lines": filled("    x\n\n\n\n"),
  entities: filled("&amp;"),
  "entities without an end": filled("&a"),
  backslashes: filled("\\"),
  "escaped signs": filled("\\*"),
  elements: filled("<b>"),
  comments: filled("<!-- "),
  headings: filled("# a\n"),
  "headings of brackets": filled(`# ${"[".repeat(990)}\n`),
  "underlined headings": filled("a\n=\n"),
  "a heading never underlined": filled("a\n"),
  rules: filled("* * *\n"),
  "a rule that is none": opened("", "* ".repeat(500) + "x\n"),
  paragraphs: filled("a\n\n"),
  "line ends": filled("\n"),
  returns: filled("\r"),
  tabs: filled("\t"),
  zeros: filled("\0"),
  "one line": filled("word "),
  "one word": filled("a"),
  "one line of emoji": filled("😀"),
  "marks on one letter": opened("a", "\u0301"),
  "changes of direction": filled("\u202ea\u202d"),
  "front matter of one line": (n_chars) => `---\na: ${"x".repeat(n_chars)}\n---\n`,
  "front matter without an end": opened("---\n", "a: b\n"),
  "random signs": fuzzed([..."*_~`[]()<>!|#-+:&\\ \n", "a", "b", "\n\n", "> ", "- ", "1. ", "```", "    "]),
  "random borders": fuzzed(["|", "|", "-", "|-", "|a", "\n", "\n", "> ", "- ", ":"]),
};
