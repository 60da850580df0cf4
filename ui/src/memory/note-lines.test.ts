import { afterEach, describe, expect, test, vi } from "vitest";
import { LINES_KEPT_MAX, NoteLines, noteFormat, type NoteFormat } from "./note-lines";

const indices = (lines: NoteLines) => Array.from({ length: lines.n_kept }, (_, at) => at);

/** Kinds of all lines, headings with their level. */
function kinds(text: string, format: NoteFormat = "markdown"): string {
  const lines = new NoteLines(text, format);
  return indices(lines)
    .map((at) => (lines.level(at) > 0 ? `${lines.kind(at)}${lines.level(at)}` : lines.kind(at)))
    .join(" ");
}

function texts(text: string): string[] {
  const lines = new NoteLines(text, "plain");
  return indices(lines).map((at) => text.slice(lines.from(at), lines.to(at)));
}

describe("lines", () => {
  test.each([
    ["", []],
    ["one", ["one"]],
    ["one\n", ["one"]],
    ["one\n\n", ["one", ""]],
    ["one\r\ntwo\r\n", ["one", "two"]],
    ["\n\nthree", ["", "", "three"]],
  ])("of %j", (text, expected) => expect(texts(text)).toEqual(expected));

  test("beyond those that are kept are counted, and are nothing", () => {
    const lines = new NoteLines("\n".repeat(LINES_KEPT_MAX + 7), "markdown");
    expect([lines.length, lines.n_kept]).toEqual([LINES_KEPT_MAX + 7, LINES_KEPT_MAX]);
    const last = LINES_KEPT_MAX - 1;
    expect([lines.from(last), lines.to(last), lines.kind(last)]).toEqual([last, last, "blank"]);
    expect([lines.from(last + 1), lines.to(last + 1), lines.kind(last + 1)]).toEqual([0, 0, "blank"]);
  });
});

describe("a line costs a look at a few characters", () => {
  const exec = RegExp.prototype.exec;
  afterEach(() => void (RegExp.prototype.exec = exec));

  test.each(["\n", "a\n", "# a\n", "   \n", "    x\n", "~~~\n", "- x\n"])("where all are %j", (line) => {
    const text = line.repeat(10_000);
    let n_pieces = 0;
    RegExp.prototype.exec = function (...given) {
      n_pieces += 1;
      return exec.apply(this, given);
    };
    const slice = vi.spyOn(String.prototype, "slice");
    const { length } = new NoteLines(text, "markdown");
    n_pieces += slice.mock.calls.length;
    expect(length).toBe(10_000);
    expect(n_pieces).toBeLessThan(length / 10);
  });
});

describe("kinds", () => {
  test.each([
    ["# A\n\ntext\n### B", "heading1 blank text heading3"],
    ["#tag is no heading\n####### nor seven", "text text"],
    ["```sh\n# no heading\n\n```\n# heading", "fence code code fence heading1"],
    ["~~~\n```\n~~~", "fence code fence"],
    ["````\n```\n````", "fence code fence"],
    ["---\nagent: x\n---\n# A", "front-matter front-matter front-matter heading1"],
    ["\ufeff---\na: 1\n...\nb", "front-matter front-matter front-matter text"],
    ["text\n---\nmore", "text text text"],
    ["``` is code ``` in a line\n# A", "text heading1"],
    ["a\n\u00a0\n\u00e9", "text blank text"],
  ])("of %j", (text, expected) => expect(kinds(text)).toBe(expected));

  test("front matter that never ends is text", () => {
    expect(kinds("---\na: 1\n\nb: 2")).toBe("text text blank text");
  });

  test("only Markdown has headings, only JSONL has records", () => {
    expect(kinds("# A\n\n", "plain")).toBe("text blank");
    expect(kinds("# A\n\n", "records")).toBe("record blank");
  });

  test.each([
    ["a/b.MD", "markdown"],
    ["x.jsonl", "records"],
    ["x.txt", "plain"],
    ["md", "markdown"],
    ["README", "plain"],
  ])("the format of %s is %s", (path, expected) => expect(noteFormat(path)).toBe(expected));
});
