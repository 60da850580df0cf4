import { describe, expect, test } from "vitest";
import { file, folder, tree } from "../../tests/trees";
import {
  ancestors,
  defaultExpanded,
  findEntry,
  foundIn,
  nUnsearched,
  rowId,
  treeRows,
  unsearchedIn,
} from "./tree-rows";

const TREES = [
  tree("memory", folder("people", file("people/Anna.md"), file("people/bram.md")), file("todo.md")),
  tree("logs", file("2026.jsonl")),
];

/** The visible rows as an indented text; all folders are open unless named. */
function shown(find = "", closed: string[] = []): string[] {
  return treeRows(foundIn(TREES, find), (id) => !closed.includes(id)).map(
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
    const rows = treeRows(TREES, () => true);
    const bram = rows.find((row) => row.name === "bram.md");
    expect([bram?.position, bram?.n_siblings, bram?.parent]).toEqual([2, 2, 1]);
  });
});

describe("notes that are never searched", () => {
  const not_searched = { agent: "OpenClaw", cause: "kind", reason: "A reason.", advice: "Advice." };
  const trees = [
    tree("memory", folder("people", { ...file("people/Anna.md"), not_searched }, file("people/bram.md"))),
    tree("logs", { ...file("2026.jsonl"), not_searched }),
    tree("notes", file("a.md")),
  ];

  test("are counted, and shown alone with the folders around them", () => {
    expect(nUnsearched(trees)).toBe(2);
    expect(nUnsearched(TREES)).toBe(0);
    const rows = treeRows(unsearchedIn(trees), () => true);
    expect(rows.map((row) => row.name)).toEqual(["memory", "people", "Anna.md", "logs", "2026.jsonl"]);
    expect(rows.map((row) => row.notSearched !== null)).toEqual([false, false, true, false, true]);
    expect(unsearchedIn(TREES)).toEqual([]);
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
    const rows = treeRows(foundIn(TREES, "anna"), () => true);
    expect(rows.map((row) => row.n_siblings)).toEqual([1, 1, 1]);
  });
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

describe("what is not read", () => {
  const unread = (path: string, can_open = false) => ({
    name: path.slice(path.lastIndexOf("/") + 1),
    path,
    is_folder: can_open,
    can_open,
    reason: can_open ? "no notes in it" : "not a kind of file that is read",
  });
  const listed = new Map([
    [
      rowId("memory", ""),
      { path: "", entries: [unread("scans", true), unread("a.pdf"), unread("todo.md")], n_more: 1_200 },
    ],
    [rowId("memory", "scans"), { path: "scans", entries: [unread("scans/b.png")], n_more: 0 }],
  ]);
  const rows = treeRows(
    TREES,
    () => true,
    (id) => listed.get(id) ?? null,
  );

  test("comes last in its folder, with its reason, and what became a note is left out", () => {
    const shown = rows.map(
      (row) => `${" ".repeat(row.level - 1)}${row.name}${row.unread === null ? "" : " -"}`,
    );
    expect(shown).toEqual([
      "memory",
      " people",
      "  Anna.md",
      "  bram.md",
      " todo.md",
      " scans -",
      "  b.png -",
      " a.pdf -",
      " and 1,200 more that are not read -",
      "logs",
      " 2026.jsonl",
    ]);
  });

  test("knows its place among all siblings", () => {
    const of = (name: string) => {
      const row = rows.find((one) => one.name === name);
      return [row?.position, row?.n_siblings, row?.kind, row?.isExpanded];
    };
    expect(of("todo.md")).toEqual([2, 5, "file", null]);
    expect(of("scans")).toEqual([3, 5, "folder", true]);
    expect(of("a.pdf")).toEqual([4, 5, "file", null]);
    expect(of("and 1,200 more that are not read")).toEqual([5, 5, "more", null]);
  });

  test("of a closed folder is not shown", () => {
    const closed = treeRows(
      TREES,
      (id) => id !== rowId("memory", "scans"),
      (id) => listed.get(id) ?? null,
    );
    expect(closed.map((row) => row.name)).not.toContain("b.png");
  });
});
