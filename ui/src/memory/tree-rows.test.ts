import { describe, expect, test } from "vitest";
import type { FolderTree, TreeEntry } from "../api/bindings";
import { ancestors, defaultExpanded, findEntry, inNameOrder, rowId, stampsOf, treeRows } from "./tree-rows";

function file(path: string): TreeEntry {
  return {
    name: path.slice(path.lastIndexOf("/") + 1),
    path,
    is_folder: false,
    n_chunks: 1,
    state: "indexed",
    is_evergreen: false,
    children: [],
  };
}

function folder(path: string, ...children: TreeEntry[]): TreeEntry {
  return { ...file(path), is_folder: true, n_chunks: children.length, children };
}

function tree(id: string, ...entries: TreeEntry[]): FolderTree {
  return {
    folder: {
      id,
      name: id,
      path: `/home/${id}`,
      agent: null,
      n_files: 0,
      n_chunks: 0,
      status: "watching",
      why: null,
    },
    is_evergreen: false,
    stamp: "",
    entries,
  };
}

const TREES = [
  tree("memory", folder("people", file("people/Anna.md"), file("people/bram.md")), file("todo.md")),
  tree("logs", file("2026.jsonl")),
];

/** The visible rows as an indented text; all folders are open unless named. */
function shown(find = "", closed: string[] = []): string[] {
  return treeRows(TREES, (id) => !closed.includes(id), find).map(
    (row) => `${" ".repeat(row.level - 1)}${row.name}`,
  );
}

describe("rows", () => {
  test("stand in order, children under their folder", () => {
    expect(shown()).toEqual([
      "memory",
      " people",
      "  Anna.md",
      "  bram.md",
      " todo.md",
      "logs",
      " 2026.jsonl",
    ]);
  });

  test("of a closed folder are left out", () => {
    expect(shown("", [rowId("memory", "people")])).toEqual([
      "memory",
      " people",
      " todo.md",
      "logs",
      " 2026.jsonl",
    ]);
    expect(shown("", [rowId("memory", "")])).toEqual(["memory", "logs", " 2026.jsonl"]);
  });

  test("know their place among their siblings and their parent", () => {
    const rows = treeRows(TREES, () => true, "");
    const bram = rows.find((row) => row.name === "bram.md");
    expect([bram?.position, bram?.n_siblings, bram?.parent]).toEqual([2, 2, 1]);
  });
});

describe("finding", () => {
  test("keeps what matches, in any case, with what lies above it", () => {
    expect(shown("ANNA")).toEqual(["memory", " people", "  Anna.md"]);
  });

  test("a folder that matches keeps all that it holds", () => {
    expect(shown("people")).toEqual(["memory", " people", "  Anna.md", "  bram.md"]);
    expect(shown("logs")).toEqual(["logs", " 2026.jsonl"]);
  });

  test("every word must be there, in any order, across the path", () => {
    expect(shown("bram people")).toEqual(["memory", " people", "  bram.md"]);
    expect(shown("bram todo")).toEqual([]);
  });

  test("blanks alone keep all", () => expect(shown("  ")).toEqual(shown()));

  test("counts siblings among what is shown", () => {
    const rows = treeRows(TREES, () => true, "anna");
    expect(rows.map((row) => row.n_siblings)).toEqual([1, 1, 1]);
  });
});

test("entries stand folders first, then by name as a person orders them", () => {
  const [ordered] = inNameOrder([
    tree(
      "m",
      file("note-10.md"),
      file("Zebra.md"),
      folder("zoo", file("zoo/b"), file("zoo/A")),
      file("note-9.md"),
      file("a.md"),
      file("A.md"),
    ),
  ]);
  expect(ordered?.entries.map((entry) => entry.name)).toEqual([
    "zoo",
    "a.md",
    "A.md",
    "note-9.md",
    "note-10.md",
    "Zebra.md",
  ]);
  expect(ordered?.entries[0]?.children.map((entry) => entry.name)).toEqual(["A", "b"]);
});

test("a small tree opens whole, a large one shows its watched folders only", () => {
  expect([...defaultExpanded(TREES)].sort()).toEqual(
    [rowId("logs", ""), rowId("memory", ""), rowId("memory", "people")].sort(),
  );
  const large = tree("large", folder("all", ...Array.from({ length: 300 }, (_, at) => file(`all/${at}.md`))));
  expect([...defaultExpanded([large])]).toEqual([rowId("large", "")]);
});

test("entries and their ancestors are found by path", () => {
  expect(ancestors("memory", "a/b/c.md")).toEqual([
    rowId("memory", ""),
    rowId("memory", "a"),
    rowId("memory", "a/b"),
  ]);
  expect(findEntry(TREES, "memory", "people/bram.md")?.name).toBe("bram.md");
  expect(findEntry(TREES, "memory", "people")?.is_folder).toBe(true);
  expect(findEntry(TREES, "memory", "people/nobody.md")).toBeNull();
  expect(findEntry(TREES, "logs", "people/bram.md")).toBeNull();
});

describe("what is known of a tree", () => {
  const stamped = (entry: TreeEntry, stamp: string): TreeEntry => ({ ...entry, stamp });
  const people = stamped(folder("people", file("people/bram.md"), file("people/Anna.md")), "1");
  const before = inNameOrder([{ ...tree("memory", people, file("b.md"), file("a.md")), stamp: "2" }]);
  const names = (entries: readonly TreeEntry[] | undefined) => entries?.map((entry) => entry.name);

  test("is told by the stamps of its folders", () => {
    expect(stampsOf(before)).toEqual({ memory: { "": "2", people: "1" } });
    expect(stampsOf(TREES)).toEqual({ memory: { "": "" }, logs: { "": "" } });
  });

  test("is taken from before where the stamp is the same, and from the answer where it is not", () => {
    const leftOut = stamped(folder("people"), "1");
    const [same] = inNameOrder([{ ...tree("memory"), stamp: "2" }], before);
    expect(same?.entries).toBe(before[0]?.entries);
    const [changed] = inNameOrder([{ ...tree("memory", file("c.md"), leftOut), stamp: "3" }], before);
    expect(names(changed?.entries)).toEqual(["people", "c.md"]);
    expect(changed?.entries[0]?.children).toBe(before[0]?.entries[0]?.children);
    const emptied = stamped(folder("people"), "4");
    const [gone] = inNameOrder([{ ...tree("memory", emptied), stamp: "5" }], before);
    expect(gone?.entries[0]?.children).toEqual([]);
  });
});
