// Messages about a note that differs from the index on the disk.
import type { OnDisk } from "../api/bindings";

export type Stale = { label: string; sentence: string };

/** Null for a note that is as it was indexed, or whose text does not come from the index. */
export function staleOf(state: OnDisk | null): Stale | null {
  switch (state) {
    case null:
    case "as_indexed":
      return null;
    case "changed":
      return { label: "changed", sentence: "The note has changed since it was indexed." };
    case "gone":
      return { label: "file gone", sentence: "The note’s file is gone." };
    case "not_checked":
      return {
        label: "not checked",
        sentence: "The note was not compared with its file: the disk took too long, or refused.",
      };
  }
}
