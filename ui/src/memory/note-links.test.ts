import { describe, expect, test } from "vitest";
import type { FolderTree, TreeEntry } from "../api/bindings";
import { headingName, lineOfPart, linkedNote, linkKind } from "./note-links";

const file = (path: string): TreeEntry => ({
  name: path.slice(path.lastIndexOf("/") + 1),
  path,
  is_folder: false,
  n_chunks: 1,
  state: "indexed",
  is_evergreen: false,
  children: [],
});
const folder = (path: string, children: TreeEntry[]): TreeEntry => ({
  ...file(path),
  is_folder: true,
  children,
});
const tree = (id: string, path: string, entries: TreeEntry[]): FolderTree => ({
  folder: { id, path, name: id, agent: null, n_files: 1, n_chunks: 1, status: "watching", why: null },
  is_evergreen: false,
  stamp: "",
  entries,
});
const TREES = [
  tree("notes", "/home/r/notes", [
    folder("people", [file("people/signe.md"), file("people/a b.md")]),
    file("top.md"),
  ]),
  tree("logs", "/home/r/logs", [file("day.jsonl")]),
];

test.each([
  ["https://example.org", "outside"],
  ["HTTP://example.org", "outside"],
  ["mailto:a@example.org", "outside"],
  ["a.md", "inside"],
  ["../a b.md#c", "inside"],
  ["#part", "inside"],
  ["javascript:alert(1)", "refused"],
  ["java\nscript:alert(1)", "refused"],
  ["\u0001javascript:alert(1)", "refused"],
  ["data:text/html,x", "refused"],
  ["file:///etc/passwd", "refused"],
  ["tauri://localhost/", "refused"],
  ["//example.org/x", "refused"],
  [`https://example.org/${"x".repeat(2_000)}`, "outside"],
  [`https://example.org/${"x".repeat(2_100)}`, "refused"],
  ["\\\\example.org\\x", "refused"],
  ["", "refused"],
])("%j is %s", (address, kind) => expect(linkKind(address)).toBe(kind));

describe("a link inside the memory", () => {
  const from = (address: string) => linkedNote(address, "notes", "people/signe.md", TREES);

  test.each([
    ["a%20b.md", "notes", "people/a b.md", ""],
    ["../top.md#x", "notes", "top.md", "x"],
    ["../top", "notes", "top.md", ""],
    ["top.md", "notes", "top.md", ""],
    ["/people/signe.md", "notes", "people/signe.md", ""],
    ["../../logs/day.jsonl#L3", "logs", "day.jsonl", "L3"],
    ["/home/r/logs/day.jsonl", "logs", "day.jsonl", ""],
    ["#a-part", "notes", "people/signe.md", "a-part"],
  ])("%s leads to %s %s", (address, folder, path, part) =>
    expect(from(address)).toEqual({ folder, path, part }),
  );

  test.each([
    "../../../etc/passwd",
    "/etc/passwd",
    "people",
    "../../../../../../top.md.x",
    "gone.md",
    "%ff.md",
  ])("%s leads nowhere", (address) => expect(from(address)).toBeNull());
});

test("a part names a line or a heading", () => {
  expect(["L12", "7", "L0", "layout", "L1-3"].map(lineOfPart)).toEqual([12, 7, null, null, null]);
  expect(headingName(" When the internet is gone? ")).toBe("when-the-internet-is-gone");
  expect(headingName("覚え書き & co_1")).toBe("覚え書き--co_1");
});
