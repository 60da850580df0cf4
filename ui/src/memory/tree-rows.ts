// The tree of watched folders as the flat list of rows that a virtual list draws and the arrow keys walk.
import type {
  FolderState,
  FolderTree,
  NotSearchedBy,
  TreeEntry,
  UnreadEntry,
  UnreadFolder,
} from "../api/bindings";
import { count as shownCount } from "../shared/format";

/** A row of the tree. */
export type TreeRow = {
  /** unique and stable: folder id and path */
  id: string;
  kind: "root" | "folder" | "file" | "more";
  /** 1 for a watched folder */
  level: number;
  name: string;
  folder: string;
  /** path inside the watched folder; "" for the watched folder itself */
  path: string;
  n_chunks: number;
  state: TreeEntry["state"];
  /** what lies there does not decay; of a folder, what comes into it will not */
  isEvergreen: boolean;
  /** why the folder's agent never finds the note by a search; null if it does */
  notSearched: NotSearchedBy | null;
  /** why the file or folder is not read; null for notes and for folders that hold some */
  unread: string | null;
  /** the watched folder, on its own row only */
  root: FolderState | null;
  /** null for files */
  isExpanded: boolean | null;
  /** 1-based among its siblings, and their number */
  position: number;
  n_siblings: number;
  /** row of the parent, -1 for roots */
  parent: number;
};

/** Entries up to which a fresh tree shows itself whole; above it only the watched folders are open. */
export const EXPANDED_MAX = 200;

/** Returns the id of a row. */
export function rowId(folder: string, path: string): string {
  return `${folder}\n${path}`;
}

/** Returns the ids of the rows that are open in a tree never seen before. */
export function defaultExpanded(trees: readonly FolderTree[]): Set<string> {
  const expanded = new Set<string>();
  const all = nEntries(trees) <= EXPANDED_MAX;
  for (const tree of trees) {
    expanded.add(rowId(tree.folder.id, ""));
    if (all) for (const path of folderPaths(tree.entries)) expanded.add(rowId(tree.folder.id, path));
  }
  return expanded;
}

/** Returns the ids of the folders above a path, the watched folder included. */
export function ancestors(folder: string, path: string): string[] {
  const ids = [rowId(folder, "")];
  for (let slash = path.indexOf("/"); slash !== -1; slash = path.indexOf("/", slash + 1))
    ids.push(rowId(folder, path.slice(0, slash)));
  return ids;
}

/**
 * Returns the trees with the entries whose path, with the watched folder's name, holds every word of `find` in any case,
 * and what lies in and above them; a tree of none is left out.
 *
 * Words are parted by spaces; an empty `find` keeps all.
 */
export function foundIn(trees: readonly FolderTree[], find: string): FolderTree[] {
  const words = find
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  return trees.flatMap((tree) => {
    const name = tree.folder.name.toLowerCase();
    if (matches(name, words)) return [tree];
    const entries = matching(tree.entries, words, name);
    return entries.length === 0 ? [] : [{ ...tree, entries }];
  });
}

/** Returns the entries that match or hold a match; a folder that matches keeps all that it holds. */
function matching(entries: readonly TreeEntry[], words: readonly string[], root: string): TreeEntry[] {
  // A list of its own for each of tens of thousands of files, as `flatMap` wants it, takes longer than to compare them.
  const found: TreeEntry[] = [];
  for (const entry of entries) {
    if (matches(`${root}/${entry.path.toLowerCase()}`, words)) found.push(entry);
    else if (entry.children.length > 0) {
      const children = matching(entry.children, words, root);
      if (children.length > 0) found.push({ ...entry, children });
    }
  }
  return found;
}

function matches(text: string, words: readonly string[]): boolean {
  return words.every((word) => text.includes(word));
}

/** Returns the trees with the notes that their agent never finds by a search, and the folders around these. */
export function unsearchedIn(trees: readonly FolderTree[]): FolderTree[] {
  return trees.flatMap((tree) => {
    const entries = unsearched(tree.entries);
    return entries.length === 0 ? [] : [{ ...tree, entries }];
  });
}

function unsearched(entries: readonly TreeEntry[]): TreeEntry[] {
  const found: TreeEntry[] = [];
  for (const entry of entries) {
    if (isUnsearched(entry)) found.push(entry);
    else if (entry.children.length > 0) {
      const children = unsearched(entry.children);
      if (children.length > 0) found.push({ ...entry, children });
    }
  }
  return found;
}

function isUnsearched(entry: TreeEntry): boolean {
  return (entry.not_searched ?? null) !== null;
}

/** Returns how many notes of trees, or of those of them that are counted, their agent never finds by a search. */
export function nUnsearched(
  trees: readonly FolderTree[],
  isCounted: (folder: string, path: string) => boolean = () => true,
): number {
  const count = (folder: string, entries: readonly TreeEntry[]): number =>
    entries.reduce((n, entry) => {
      const isOne = isUnsearched(entry) && isCounted(folder, entry.path);
      return n + (isOne ? 1 : 0) + count(folder, entry.children);
    }, 0);
  return trees.reduce((n, { folder, entries }) => n + count(folder.id, entries), 0);
}

/** The first note of trees, among those that count, that their agent never finds by a search; null if there is none. */
export function firstUnsearched(
  trees: readonly FolderTree[],
  isCounted: (folder: string, path: string) => boolean,
): { folder: string; path: string } | null {
  const first = (folder: string, entries: readonly TreeEntry[]): string | null => {
    for (const entry of entries) {
      if (isUnsearched(entry) && isCounted(folder, entry.path)) return entry.path;
      const inner = first(folder, entry.children);
      if (inner !== null) return inner;
    }
    return null;
  };
  for (const { folder, entries } of trees) {
    const path = first(folder.id, entries);
    if (path !== null) return { folder: folder.id, path };
  }
  return null;
}

/** Returns how many notes trees hold, also those that wait or have a problem. */
export function nNotes(trees: readonly FolderTree[]): number {
  const count = (entries: readonly TreeEntry[]): number =>
    entries.reduce((n, entry) => n + (entry.is_folder ? count(entry.children) : 1), 0);
  return trees.reduce((n, tree) => n + count(tree.entries), 0);
}

/** What is not read of a folder, by the id of its row; null while that is not known. */
export type UnreadOf = (id: string) => UnreadFolder | null;

/** Returns the visible rows, parents before children; what is not read comes last in its folder. */
export function treeRows(
  trees: readonly FolderTree[],
  isExpanded: (id: string) => boolean,
  unreadOf: UnreadOf = () => null,
): TreeRow[] {
  const rows: TreeRow[] = [];
  trees.forEach((tree, index) => {
    const id = rowId(tree.folder.id, "");
    const open = isExpanded(id);
    rows.push({
      id,
      kind: "root",
      level: 1,
      name: tree.folder.name,
      folder: tree.folder.id,
      path: "",
      n_chunks: tree.folder.n_chunks,
      state: "indexed",
      isEvergreen: tree.is_evergreen,
      notSearched: null,
      unread: null,
      root: tree.folder,
      isExpanded: open,
      position: index + 1,
      n_siblings: trees.length,
      parent: -1,
    });
    if (open)
      addRows(rows, tree.entries, { folder: tree.folder.id, path: "", level: 2 }, isExpanded, unreadOf);
  });
  return rows;
}

/** The folder that rows are added for, and their level. */
type Within = { folder: string; path: string; level: number };

function addRows(
  rows: TreeRow[],
  entries: readonly TreeEntry[],
  within: Within,
  isExpanded: (id: string) => boolean,
  unreadOf: UnreadOf,
): void {
  const { folder, level } = within;
  const parent = rows.length - 1;
  const listed = unreadOf(rowId(folder, within.path));
  // A folder may have got notes since it was listed.
  const paths = new Set(entries.map((entry) => entry.path));
  const unread = listed?.entries.filter((entry) => !paths.has(entry.path)) ?? [];
  const n_more = listed?.n_more ?? 0;
  const n_siblings = entries.length + unread.length + (n_more > 0 ? 1 : 0);
  entries.forEach((entry, index) => {
    const id = rowId(folder, entry.path);
    const open = entry.is_folder ? isExpanded(id) : null;
    rows.push({
      id,
      kind: entry.is_folder ? "folder" : "file",
      level,
      name: entry.name,
      folder,
      path: entry.path,
      n_chunks: entry.n_chunks,
      state: entry.state,
      isEvergreen: entry.is_evergreen,
      notSearched: entry.not_searched ?? null,
      unread: null,
      root: null,
      isExpanded: open,
      position: index + 1,
      n_siblings,
      parent,
    });
    if (open === true)
      addRows(rows, entry.children, { folder, path: entry.path, level: level + 1 }, isExpanded, unreadOf);
  });
  unread.forEach((entry, index) => {
    const id = rowId(folder, entry.path);
    const open = entry.can_open ? isExpanded(id) : null;
    const position = entries.length + index + 1;
    rows.push({ ...unreadRow(within, entry), isExpanded: open, position, n_siblings, parent });
    if (open === true)
      addRows(rows, [], { folder, path: entry.path, level: level + 1 }, isExpanded, unreadOf);
  });
  if (n_more > 0) {
    const name = `and ${shownCount(n_more)} more that are not read`;
    const more = { name, path: `${within.path}/`, is_folder: false, can_open: false, reason: name };
    const row = unreadRow(within, more);
    rows.push({ ...row, kind: "more", isExpanded: null, position: n_siblings, n_siblings, parent });
  }
}

function unreadRow(
  { folder, level }: Within,
  { name, path, is_folder, reason }: UnreadEntry,
): Omit<TreeRow, "isExpanded" | "position" | "n_siblings" | "parent"> {
  return {
    id: rowId(folder, path),
    kind: is_folder ? "folder" : "file",
    level,
    name,
    folder,
    path,
    n_chunks: 0,
    state: "indexed",
    isEvergreen: false,
    notSearched: null,
    unread: reason,
    root: null,
  };
}

/** Returns how many folders and files trees hold, the watched folders aside. */
export function nEntries(trees: readonly FolderTree[]): number {
  return trees.reduce((n, tree) => n + count(tree.entries), 0);
}

function count(entries: readonly TreeEntry[]): number {
  return entries.reduce((n, entry) => n + 1 + count(entry.children), 0);
}

function folderPaths(entries: readonly TreeEntry[]): string[] {
  return entries.flatMap((entry) => (entry.is_folder ? [entry.path, ...folderPaths(entry.children)] : []));
}

/** Returns the entry at a path; null when the tree does not hold it. */
export function findEntry(trees: readonly FolderTree[], folder: string, path: string): TreeEntry | null {
  let entries = trees.find((tree) => tree.folder.id === folder)?.entries;
  while (entries !== undefined) {
    const next: TreeEntry | undefined = entries.find(
      (entry) => entry.path === path || (entry.is_folder && path.startsWith(`${entry.path}/`)),
    );
    if (next === undefined || next.path === path) return next ?? null;
    entries = next.children;
  }
  return null;
}
