// Files of trees, fuzzy picking, lines, and texts that name no known file.
import * as bits from "bits-ui";
import { describe, expect, it, vi } from "vitest";
import type { FolderState, TreeEntry } from "../api/bindings";
import { filesOf, suggestionsFor, type KnownFile } from "./place";

vi.mock("bits-ui", async (load) => {
  const all = await load<typeof bits>();
  return { ...all, computeCommandScore: vi.fn(all.computeCommandScore) };
});

const NAMES: [string, string][] = [
  ["notes", "MEMORY.md"],
  ["notes", "reference/home-server.md"],
  ["notes", "reference/notification-routes.md"],
  ["notes", "home-server-2024/index.md"],
  ["agents", "clerk/home-server.md"],
  ["agents", "at 10:30"],
  ["agents", "日本語/覚え書き.md"],
];
const FILES: KnownFile[] = NAMES.map(([name, path]) => ({ folder: `id-${name}`, folderName: name, path }));

function check(typed: string, expected: string[]): void {
  const shown = suggestionsFor(typed, FILES).map(
    ({ folder, path, line }) => `${folder ?? "typed"} ${path}${line === null ? "" : ` line ${line}`}`,
  );
  expect(shown).toEqual(expected);
}

function entry(path: string, children: TreeEntry[] | null = null): TreeEntry {
  return {
    name: path.slice(path.lastIndexOf("/") + 1),
    path,
    is_folder: children !== null,
    n_chunks: 1,
    is_evergreen: false,
    state: "indexed",
    children: children ?? [],
  };
}

describe("suggestions", () => {
  it("compare only files that hold all the letters", () => {
    vi.mocked(bits.computeCommandScore).mockClear();
    check("覚え", ["id-agents 日本語/覚え書き.md", "typed 覚え"]);
    expect(new Set(vi.mocked(bits.computeCommandScore).mock.calls.map(([name]) => name))).toEqual(
      new Set(["覚え書き.md", "日本語/覚え書き.md", "agents/日本語/覚え書き.md"]),
    );
  });

  it("take the dotted capital I for the plain one, which the score does not know", () => {
    const files = ["ali.md", "İAA.md"].map((path) => ({ folder: "id", folderName: "notes", path }));
    const found = (typed: string) => suggestionsFor(typed, files).map(({ path }) => path);
    expect(found("ALİ")).toEqual(["ali.md", "ALİ"]);
    expect(found("İA")[0]).toBe("İAA.md");
    expect(found("İAA.md")).toEqual(["İAA.md"]);
  });

  it("find a file by some of its letters, and offer the text itself last", () =>
    check("notif", ["id-notes reference/notification-routes.md", "typed notif"]));

  it("put a file's name before the folder around it", () =>
    check("home-server", [
      "id-agents clerk/home-server.md",
      "id-notes reference/home-server.md",
      "id-notes home-server-2024/index.md",
      "typed home-server",
    ]));

  it("take an exact path, with or without its folder's name, and nothing typed beside it", () => {
    expect(suggestionsFor("reference/home-server.md", FILES)[0]).toEqual({
      folder: "id-notes",
      path: "reference/home-server.md",
      line: null,
    });
    expect(suggestionsFor("agents/clerk/home-server.md", FILES)[0]?.folder).toBe("id-agents");
    for (const typed of ["reference/home-server.md", "agents/clerk/home-server.md"])
      expect(suggestionsFor(typed, FILES).every(({ folder }) => folder !== null)).toBe(true);
  });

  it("take a line behind the name, also a range of lines as the table shows it", () => {
    check("MEMORY.md:12", ["id-notes MEMORY.md line 12"]);
    check("notification:15–19", [
      "id-notes reference/notification-routes.md line 15",
      "typed notification:15–19",
    ]);
  });

  it("take a colon as part of a file's name where one is called so", () =>
    check("at 10:30", ["id-agents at 10:30"]));

  it("leave out a long path that holds the letters here and there", () => {
    const strewn = "long/day-on-which-all-things-were-restarted.md";
    const files = [...FILES, { folder: "id-notes", folderName: "notes", path: strewn }];
    expect(suggestionsFor("routes", files).map(({ path }) => path)).not.toContain(strewn);
    expect(suggestionsFor("ohtrest", files).map(({ path }) => path)).toContain(strewn);
  });

  it("find names that are not Latin", () => check("覚え", ["id-agents 日本語/覚え書き.md", "typed 覚え"]));

  it("leave what names no file to the engine, as it was typed", () => {
    check("/etc/hosts:3", ["typed /etc/hosts:3"]);
    check("  qqq.md ", ["typed qqq.md"]);
  });

  it("are the first files before anything is typed, and few", () => {
    const many = Array.from({ length: 50 }, (_, at) => ({
      folder: "f",
      folderName: "f",
      path: `note-${at}.md`,
    }));
    expect(suggestionsFor("", many)).toHaveLength(8);
    expect(suggestionsFor("note", many)).toHaveLength(9);
    expect(suggestionsFor("  ", FILES)[0]?.path).toBe("MEMORY.md");
  });
});

describe("files of trees", () => {
  const folder: FolderState = {
    id: "id-notes",
    path: "/notes",
    name: "notes",
    agent: null,
    n_files: 3,
    n_chunks: 3,
    status: "watching",
    why: null,
  };

  it("are in the trees' order, without the folders", () => {
    const entries = [
      entry("a", [entry("a/x", [entry("a/x/1.md")]), entry("a/2.md")]),
      entry("empty", []),
      entry("3.md"),
    ];
    expect(filesOf([{ folder, is_evergreen: false, stamp: "", entries }])).toEqual(
      ["a/x/1.md", "a/2.md", "3.md"].map((path) => ({ folder: "id-notes", folderName: "notes", path })),
    );
  });

  it("are found ten thousand folders deep", () => {
    let deep = entry("n.md");
    for (let at = 0; at < 10_000; at++) deep = entry(`f${at}`, [deep]);
    expect(
      filesOf([{ folder, is_evergreen: false, stamp: "", entries: [deep] }]).map(({ path }) => path),
    ).toEqual(["n.md"]);
  });
});
