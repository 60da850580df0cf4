import { describe, expect, test } from "vitest";
import { linesOf, noteFormat, type NoteFormat } from "./note-lines";

/** Kinds of all lines, headings with their level. */
function kinds(text: string, format: NoteFormat = "markdown"): string {
  return linesOf(text, format)
    .map((line) => (line.level > 0 ? `${line.kind}${line.level}` : line.kind))
    .join(" ");
}

function texts(text: string): string[] {
  return linesOf(text, "plain").map((line) => text.slice(line.from, line.to));
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
