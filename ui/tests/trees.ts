// Trees of made-up notes.
import type { FolderTree, TreeEntry } from "../src/api/bindings";

export function file(path: string): TreeEntry {
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

export function folder(path: string, ...children: TreeEntry[]): TreeEntry {
  return { ...file(path), is_folder: true, n_chunks: children.length, children };
}

export function tree(id: string, ...entries: TreeEntry[]): FolderTree {
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
