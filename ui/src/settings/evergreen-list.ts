// What does not decay, as a short list: only where a folder's rule changes, so a marked folder is one entry.
import type { FolderTree, TreeEntry } from "../api/bindings";

/** A watched folder, or a folder or note in one, whose rule differs from its surroundings. */
export type EvergreenEntry = {
  folder: string;
  folderName: string;
  /** in the watched folder; "" is that folder itself */
  path: string;
  isFolder: boolean;
  /** false if it decays although its parent folder does not */
  isEvergreen: boolean;
  nChunks: number;
};

/** Returns the entries in the order of the trees. */
export function evergreenList(trees: readonly FolderTree[]): EvergreenEntry[] {
  const list: EvergreenEntry[] = [];
  for (const { folder, is_evergreen, entries } of trees) {
    const place = { folder: folder.id, folderName: folder.name };
    if (is_evergreen)
      list.push({ ...place, path: "", isFolder: true, isEvergreen: true, nChunks: folder.n_chunks });
    addDiffering(list, entries, is_evergreen, place);
  }
  return list;
}

function addDiffering(
  list: EvergreenEntry[],
  entries: readonly TreeEntry[],
  around: boolean,
  place: Pick<EvergreenEntry, "folder" | "folderName">,
): void {
  for (const { path, is_folder, is_evergreen, n_chunks, children } of entries) {
    if (is_evergreen !== around)
      list.push({ ...place, path, isFolder: is_folder, isEvergreen: is_evergreen, nChunks: n_chunks });
    addDiffering(list, children, is_evergreen, place);
  }
}
