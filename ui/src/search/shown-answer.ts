// An answer with what it was asked for, and what follows from that alone.
import type {
  Columns,
  LibraryState,
  Params,
  Ranking,
  Row,
  ScopeArgument,
  SearchAnswer,
} from "../api/bindings";
import { ownParams, type Pipeline, type Values } from "../parameters/pipeline";
import { differingIds } from "../parameters/rules";
import { usesHook, usesReranker } from "../rerank/rerank-columns";

/** Where to search; null is everywhere. */
export type Scope =
  | { kind: "folder"; folder: string; path: string; label: string }
  | { kind: "agent"; agent: string; label: string }
  | null;

/** The values, of the pipeline that ranks, that rank moves are measured against. */
export type Pin = { name: string; params: Values };

/** An answer together with what it was asked for: the columns of one search, by one pipeline and set of values. */
export type Shown = {
  answer: SearchAnswer;
  scope: Scope;
  /** Whether no note waited to be indexed when it was asked. */
  isOfAll: boolean;
  pipeline: Pipeline;
  retrievedBy: Values;
  columns: Columns;
  rankedBy: Values;
};

/** What the library holds, as far as an answer depends on it: of the state of the library. */
export type Held = Pick<LibraryState, "generation" | "clustering"> & Partial<Pick<LibraryState, "indexing">>;

/** A background answer to the shown question. */
export type Renewed = { shown: Shown; pinnedRanks: ReadonlyMap<string, number> | null };

/** Null where nothing is kept. */
export function bestOf(columns: Columns): number | null {
  return columns.n_kept > 0 ? (columns.order[0] ?? null) : null;
}

/** Returns whether a library holds notes, or knows of clusters, that an answer or an earlier look could not know. */
export function isNewer(held: Held, than: Held): boolean {
  return held.generation > than.generation || (held.clustering ?? 0) > (than.clustering ?? 0);
}

/** How many rows, by fused rank, decide whom a reranker is sent and what is kept: never fewer than either. */
export function nFusedDeciding({ max_results, rerank_max_docs }: Params): number {
  return Math.max(rerank_max_docs, 3 * max_results);
}

/** Whether a ranking by these parameters can change once scores have come. */
export function asksOutside(pipeline: Pipeline, values: Values): boolean {
  const params = ownParams(rankingOf(pipeline, values));
  return params !== null && (usesReranker(params) || usesHook(params));
}

export function rankingOf({ id }: Pipeline, values: Values): Ranking {
  return { pipeline: id, values };
}

export function ranksByChunk(rows: readonly Row[], columns: Columns): ReadonlyMap<string, number> {
  return new Map(
    columns.order.slice(0, columns.n_kept).flatMap((slot, at) => {
      const row = rows[slot];
      return row === undefined ? [] : [[row.chunk, at + 1] as const];
    }),
  );
}

export function argumentOf(scope: Scope): ScopeArgument | null {
  switch (scope?.kind) {
    case undefined:
      return null;
    case "folder":
      return { folder: scope.folder, path: scope.path };
    case "agent":
      return { agent: scope.agent };
  }
}

/**
 * The chunks that only the later of two answers holds; none unless they are to one question, asked in one way, and the
 * earlier one knew all notes that there were.
 */
export function newIn(now: Shown, before: Shown | null): ReadonlySet<string> {
  if (
    before === null ||
    !before.isOfAll ||
    before.answer.query !== now.answer.query ||
    before.pipeline !== now.pipeline ||
    before.scope !== now.scope ||
    differingIds(before.retrievedBy, now.retrievedBy).length > 0
  )
    return new Set();
  const known = new Set(before.answer.rows.map(({ chunk }) => chunk));
  return new Set(now.answer.rows.flatMap(({ chunk }) => (known.has(chunk) ? [] : [chunk])));
}
