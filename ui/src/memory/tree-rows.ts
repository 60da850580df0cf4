// The tree of watched folders as the flat list of rows that a virtual list draws and the arrow keys walk.
import type { FolderState, FolderTree, TreeEntry } from "../api/bindings";

/** A row of the tree. */
export type TreeRow = {
  /** unique and stable: folder id and path */
  id: string;
  kind: "root" | "folder" | "file";
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
  const all = trees.reduce((n, tree) => n + count(tree.entries), 0) <= EXPANDED_MAX;
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
 * Returns the visible rows, parents before children.
 *
 * `find` keeps the entries whose path, with the watched folder's name, holds every word of it in any case, and what lies
 * in and above them. Words are parted by spaces; an empty `find` keeps all.
 */
export function treeRows(
  trees: readonly FolderTree[],
  isExpanded: (id: string) => boolean,
  find: string,
): TreeRow[] {
  const words = find
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  const rows: TreeRow[] = [];
  const roots = trees
    .map((tree) => ({ tree, entries: matching(tree.entries, words, tree.folder.name.toLowerCase()) }))
    .filter(({ tree, entries }) => entries.length > 0 || matches(tree.folder.name.toLowerCase(), words));
  roots.forEach(({ tree, entries }, index) => {
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
      root: tree.folder,
      isExpanded: open,
      position: index + 1,
      n_siblings: roots.length,
      parent: -1,
    });
    if (open) addRows(rows, entries, tree.folder.id, 2, isExpanded);
  });
  return rows;
}

function addRows(
  rows: TreeRow[],
  entries: readonly TreeEntry[],
  folder: string,
  level: number,
  isExpanded: (id: string) => boolean,
): void {
  const parent = rows.length - 1;
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
      root: null,
      isExpanded: open,
      position: index + 1,
      n_siblings: entries.length,
      parent,
    });
    if (open === true) addRows(rows, entry.children, folder, level + 1, isExpanded);
  });
}

/** Returns the entries that match or hold a match; a folder that matches keeps all that it holds. */
function matching(
  entries: readonly TreeEntry[],
  words: readonly string[],
  folder_name: string,
): readonly TreeEntry[] {
  if (matches(folder_name, words)) return entries;
  return entries.flatMap((entry) => {
    if (matches(`${folder_name}/${entry.path.toLowerCase()}`, words)) return [entry];
    const children = matching(entry.children, words, folder_name);
    return children.length === 0 ? [] : [{ ...entry, children: [...children] }];
  });
}

function matches(path: string, words: readonly string[]): boolean {
  return words.every((word) => path.includes(word));
}

/** Returns the files of a tree, in its order. */
export function filesOf(entries: readonly TreeEntry[]): TreeEntry[] {
  return entries.flatMap((entry) => (entry.is_folder ? filesOf(entry.children) : [entry]));
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
