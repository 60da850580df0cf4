// Whether the notes of the watched folders are known and indexed.
import type { LibraryState } from "../api/bindings";

/** Whether every watched folder was walked, so that its notes are known. */
export function isWalked({ scanning, folders }: LibraryState): boolean {
  return scanning === null && folders.every(({ status }) => status !== "waiting");
}

/** Whether every note of every watched folder is indexed; true without folders. */
export function isIndexed(library: LibraryState): boolean {
  return library.indexing === null && isWalked(library);
}

/** Whether something is watched, and all of it is indexed. */
export function isAtRest(library: LibraryState): boolean {
  return library.folders.length > 0 && isIndexed(library);
}
