// One entry where the rule changes, exceptions included; nothing for entries that follow their parent folder.
import { expect, it } from "vitest";
import { LibraryBackend } from "../../tests/fake/library";
import type { FolderTree, TreeEntry } from "../api/bindings";
import { evergreenList } from "./evergreen-list";

const [tree] = await new LibraryBackend().tree();

function entry(path: string, is_evergreen: boolean, children: TreeEntry[] = []): TreeEntry {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return {
    name,
    path,
    is_folder: children.length > 0,
    n_chunks: 3,
    state: "indexed",
    is_evergreen,
    children,
  };
}

function check(isRootEvergreen: boolean, entries: TreeEntry[], expected: string[]): void {
  if (tree === undefined) throw new Error("the fake library has a tree");
  const trees: FolderTree[] = [{ folder: tree.folder, is_evergreen: isRootEvergreen, stamp: "", entries }];
  expect(evergreenList(trees).map(({ path, isEvergreen }) => `${isEvergreen ? "+" : "-"}${path}`)).toEqual(
    expected,
  );
}

it("is empty where everything decays", () => check(false, [entry("a.md", false)], []));

it("names a note and a folder once, and not what lies in it", () =>
  check(
    false,
    [entry("people", true, [entry("people/ana.md", true)]), entry("MEMORY.md", true)],
    ["+people", "+MEMORY.md"],
  ));

it("names what is not evergreen, and what in that is", () =>
  check(
    true,
    [entry("log", false, [entry("log/a.md", false), entry("log/USER.md", true)])],
    ["+", "-log", "+log/USER.md"],
  ));
