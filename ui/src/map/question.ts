// The question of the Search view, as far as the map marks it.
import type { Columns, Row } from "../api/bindings";
import type { ChunkMap } from "./chunk-map";

/** A question with its candidates: ids of chunks, in the order of its trace, the results first. */
export type MapQuestion = { text: string; chunks: readonly string[]; nResults: number };

export function questionOf(text: string, rows: readonly Row[], { order, n_kept }: Columns): MapQuestion {
  return { text, chunks: order.flatMap((slot) => rows[slot]?.chunk ?? []), nResults: n_kept };
}

/** Rank, 1-based, of each candidate that is on the map, by its point. */
export function ranksOn(map: ChunkMap, { chunks }: MapQuestion): ReadonlyMap<number, number> {
  return new Map(
    chunks.flatMap((chunk, at): [number, number][] => {
      const point = map.pointOf(chunk);
      return point === undefined ? [] : [[point, at + 1]];
    }),
  );
}
