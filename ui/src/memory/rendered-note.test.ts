import { describe, expect, test } from "vitest";
import { NoteLines } from "./note-lines";
import { RenderedNote, type NotePart } from "./rendered-note";

const note = (source: string) => RenderedNote.of(source, new NoteLines(source, "markdown"));
const partsOf = (rendered: RenderedNote): NotePart[] =>
  Array.from({ length: rendered.n_blocks }, (_, at) => rendered.parts(at)).flat();
const spans = async (source: string) =>
  partsOf(await note(source)).map(({ kind, from, to }) => [kind, from, to]);

/** The lines of the places that are drawn as text because they cost too much. */
const givenUp = (rendered: RenderedNote) =>
  partsOf(rendered).flatMap((part) =>
    part.kind === "text" && part.given_up !== null ? [part.given_up] : [],
  );

/** Every line is in a part, and parts do not overlap except for the pieces of one line. */
function expectWhole(rendered: RenderedNote) {
  let next = 1;
  for (const part of partsOf(rendered)) {
    expect(part.from === next || part.from === next - 1).toBe(true);
    expect(part.to).toBeGreaterThanOrEqual(part.from);
    next = part.to + 1;
  }
  expect(next).toBe(rendered.n_lines + 1);
}

describe("the parts of a note", () => {
  test("are its blocks; a list's items stand alone, blank lines belong to what is above", async () => {
    expect(await spans("# a\n\ntext\ntext\n\n- b\n- c\n  - d\n\n> e\n")).toEqual([
      ["markdown", 1, 2],
      ["markdown", 3, 5],
      ["markdown", 6, 6],
      ["markdown", 7, 9],
      ["markdown", 10, 10],
    ]);
  });

  test("begin with the front matter as facts, at the file's own lines", async () => {
    const [front, heading] = partsOf(await note("---\nagent: helper\ntags:\n  - a\n# no\n---\n# Title\n"));
    expect(front).toMatchObject({
      kind: "facts",
      from: 1,
      to: 6,
      facts: [
        { line: 2, key: "agent", value: "helper" },
        { line: 3, key: "tags", value: "" },
        { line: 4, key: "", value: "a" },
      ],
    });
    expect(heading).toMatchObject({ kind: "markdown", from: 7, line_offset: 6 });
  });

  test("show definitions of links, which Markdown hides, as text", async () => {
    expect(await spans("a [b]\n\n[b]: https://example.org\n\nc\n")).toEqual([
      ["markdown", 1, 2],
      ["text", 3, 4],
      ["markdown", 5, 5],
    ]);
  });

  test("cut long code, tables and lists, and keep every line", async () => {
    const code = "```\n" + Array.from({ length: 100 }, (_, at) => `code ${at}`).join("\n") + "\n```\n";
    const table = "|a|b|\n|-|-|\n" + Array.from({ length: 200 }, (_, at) => `|${at}|x|\n`).join("");
    const list = Array.from({ length: 500 }, (_, at) => `${at + 1}. item\n`).join("");
    const rendered = await note(`${code}\n${table}\n${list}`);
    expectWhole(rendered);
    expect(givenUp(rendered)).toEqual([]);
    expect(partsOf(rendered).length).toBeGreaterThan(500);
    const tables = partsOf(rendered).filter(
      (part) => part.kind === "markdown" && part.tokens[0]?.type === "table_open",
    );
    expect(tables.map(({ from }) => from)).toEqual([104, 166, 226, 286]);
  });

  test.each([
    ["quotes", ">".repeat(10_000) + " x"],
    ["items", "- ".repeat(10_000) + "x"],
    ["quotes over lines", Array.from({ length: 200 }, (_, at) => `${">".repeat(at + 1)} x`).join("\n")],
  ])("stand as text where %s nest too deep, with nothing lost", async (_, source) => {
    const rendered = await note(`# a\n\n${source}\n\nb\n`);
    expectWhole(rendered);
    expect(givenUp(rendered)).toHaveLength(1);
    expect(givenUp(rendered)[0]?.from).toBe(3);
    expect(partsOf(rendered)[0]).toMatchObject({ kind: "markdown", from: 1 });
  });

  test("stand as text where one paragraph is too long to lay out", async () => {
    const rendered = await note(`a\n\n${"word ".repeat(10_000)}\n\nb\n`);
    expectWhole(rendered);
    expect(givenUp(rendered)).toEqual([{ from: 3, to: 4 }]);
  });

  test("of an empty note and of blank lines are none", async () => {
    expect((await note("")).n_blocks).toBe(0);
    expect((await note("\n\n")).n_blocks).toBe(0);
  });
});

test("a line's block is found", async () => {
  const rendered = await note(Array.from({ length: 1_000 }, (_, at) => `line ${at + 1}\n`).join("\n"));
  for (const line of [1, 2, 999, 1_999]) {
    const parts = rendered.parts(rendered.blockOf(line));
    expect(parts[0]?.from).toBeLessThanOrEqual(line);
    expect(parts.at(-1)?.to).toBeGreaterThanOrEqual(line);
  }
  expect(rendered.blockOf(9_999)).toBe(rendered.n_blocks - 1);
});

test.each([
  ["a short note", "words ", 0],
  ["a long note", "words ".repeat(20_000), 2],
  ["a long note of blank lines", "\n".repeat(120_000), 2],
])("%s is left to the window after its parsing and before it is drawn", async (_, source, n_pauses) => {
  let n = 0;
  await RenderedNote.of(source, new NoteLines(source, "markdown"), () => Promise.resolve(void (n += 1)));
  expect(n).toBe(n_pauses);
});
