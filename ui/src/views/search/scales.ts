import type { Columns, Row } from "../../api/bindings";

/** The value of a full bar, by column: a long bar means the same in every row. */
export type Scales = { cosine: number; bm25: number; fused: number; final: number };

/** Scores that should end at 1 are drawn to 1, or to the best where that is more; BM25 to its best. */
export function scalesOf(rows: readonly Row[], columns: Columns): Scales {
  const best = (values: (number | null)[]) =>
    values.reduce<number>((most, value) => Math.max(most, value ?? 0), 0);
  return {
    cosine: 1,
    bm25: best(rows.map((row) => row.bm25)) || 1,
    fused: Math.max(1, best(columns.fused)),
    final: Math.max(1, best(columns.score)),
  };
}
