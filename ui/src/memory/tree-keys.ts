// What a key does in the tree, after the ARIA pattern for trees.
import type { TreeRow } from "./tree-rows";

/** What a key asks for. */
export type KeyAnswer =
  | { kind: "move"; index: number }
  | { kind: "expand"; ids: string[]; expanded: boolean }
  /** open the file, open or close the folder */
  | { kind: "press"; index: number }
  /** the key belongs to the tree but has nothing to do here */
  | { kind: "stay" };

/** Letters typed within this time are one word. */
const TYPE_AHEAD_MS = 700;

/** Returns what `key` does on the row at `at`; null when the key is not the tree's. `page` is the number of rows in sight. */
export function rowAfterKey(
  rows: readonly TreeRow[],
  at: number,
  key: string,
  page: number,
): KeyAnswer | null {
  const row = rows[at];
  if (row === undefined) return null;
  const last = rows.length - 1;
  switch (key) {
    case "ArrowDown":
      return { kind: "move", index: Math.min(at + 1, last) };
    case "ArrowUp":
      return { kind: "move", index: Math.max(at - 1, 0) };
    case "Home":
      return { kind: "move", index: 0 };
    case "End":
      return { kind: "move", index: last };
    case "PageDown":
      return { kind: "move", index: Math.min(at + page, last) };
    case "PageUp":
      return { kind: "move", index: Math.max(at - page, 0) };
    case "ArrowRight":
      if (row.isExpanded === null) return { kind: "stay" };
      if (!row.isExpanded) return { kind: "expand", ids: [row.id], expanded: true };
      return rows[at + 1]?.parent === at ? { kind: "move", index: at + 1 } : { kind: "stay" };
    case "ArrowLeft":
      if (row.isExpanded === true) return { kind: "expand", ids: [row.id], expanded: false };
      return row.parent === -1 ? { kind: "stay" } : { kind: "move", index: row.parent };
    case "Enter":
    case " ":
      return { kind: "press", index: at };
    case "*":
      return {
        kind: "expand",
        ids: rows
          .filter((other) => other.parent === row.parent && other.isExpanded !== null)
          .map((other) => other.id),
        expanded: true,
      };
    default:
      return null;
  }
}

/** Finds rows by the first letters of their name. */
export class TypeAhead {
  #typed = "";
  #at_ms = -Infinity;

  /**
   * Returns the next row that begins with what was typed; the same letter again walks on. null when `key` is no character,
   * or no row begins so.
   *
   * `at_ms` is the time of the key on any clock that only runs forward.
   */
  find(rows: readonly TreeRow[], at: number, key: string, at_ms: number): KeyAnswer | null {
    if ([...key].length !== 1 || key === " ") return null;
    const continues = at_ms - this.#at_ms <= TYPE_AHEAD_MS;
    this.#at_ms = at_ms;
    this.#typed = (continues ? this.#typed : "") + key.toLowerCase();
    const letters = [...this.#typed];
    const isOneLetter = letters.every((letter) => letter === letters[0]);
    const prefix = isOneLetter ? key.toLowerCase() : this.#typed;
    // one letter walks on from the row behind; a longer word may stay on the row that it already reached
    const first = isOneLetter ? 1 : 0;
    for (let step = first; step < rows.length + first; step += 1) {
      const index = (at + step) % rows.length;
      if (rows[index]?.name.toLowerCase().startsWith(prefix) === true) return { kind: "move", index };
    }
    // no name begins so: the key is left to the view, where it may mean something
    return null;
  }
}
