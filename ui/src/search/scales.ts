import type { Columns, Part, Row, StageId } from "../api/bindings";

/** The value of a full bar, by column: a long bar means the same in every row. */
export type Scales = {
  cosine: number;
  bm25: number;
  fused: number;
  /** 0 where nobody corroborates. */ corroboration: number;
  final: number;
  /** The columns of an agent's stages, by stage. */
  stages: ReadonlyMap<StageId, number>;
};

/** Scores that should end at 1 are drawn to 1, or to the best where that is more, as are all of an agent's; BM25 to its best. */
export function scalesOf(rows: readonly Row[], columns: Columns): Scales {
  const best = (values: (number | null)[]) =>
    values.reduce<number>((most, value) => Math.max(most, value ?? 0), 0);
  return {
    cosine: 1,
    bm25: best(rows.map((row) => row.bm25)) || 1,
    fused: Math.max(1, best(columns.fused)),
    corroboration: best(columns.parts.map((parts) => amountOf(parts, "corroboration"))),
    final: Math.max(1, best(columns.score)),
    stages: new Map(
      [...columns.lists, ...columns.own].map(({ stage, score }) => [stage, Math.max(1, best(score))]),
    ),
  };
}

/** What a stage added to a score; 0 where it added nothing. */
export function amountOf(parts: readonly Part[], stage: StageId): number {
  return parts.find((part) => part.stage === stage)?.amount ?? 0;
}
