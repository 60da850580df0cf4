import type { CellColumn, Columns, Row, StageId, StageInfo } from "../api/bindings";
import { columnOf, lookOf } from "../shared/looks";

/** What the table is sorted by: the end of the pipeline, a stage, or a further column of one. */
export type SortKey = "final" | CellColumn["key"] | StageId;

/** What a sort is called on screen. */
export function sortLabel(key: SortKey, stages: readonly Pick<StageInfo, "id" | "label">[]): string {
  if (key === "final") return "final score";
  return stages.find((stage) => stage.id === key)?.label ?? columnOf(key)?.name ?? key;
}

export type RowLine = {
  kind: "row";
  slot: number;
  /** 1-based, of the final order; null when dropped */ rank: number | null;
};
/** One line of the table: a row, or the cut between the kept and the dropped rows. */
export type TableLine = RowLine | { kind: "cut" };

/** The rank of a chunk now against its rank under the pin. */
export type Move =
  | { kind: "same" }
  | { kind: "up"; by: number }
  | { kind: "down"; by: number }
  /** Kept now, not under the pin. */
  | { kind: "entered" }
  /** Dropped now, had this rank under the pin. */
  | { kind: "left"; was: number };

/** The 1-based final rank by slot; null for dropped rows. */
export function ranksBySlot(columns: Columns): (number | null)[] {
  const ranks: (number | null)[] = columns.order.map(() => null);
  for (const [at, slot] of columns.order.slice(0, columns.n_kept).entries()) ranks[slot] = at + 1;
  return ranks;
}

/** Null when there is nothing to compare with, and for rows that are dropped both ways. */
export function moveOf(rank: number | null, pinned: number | null): Move | null {
  if (rank === null) return pinned === null ? null : { kind: "left", was: pinned };
  if (pinned === null) return { kind: "entered" };
  if (rank < pinned) return { kind: "up", by: pinned - rank };
  if (rank > pinned) return { kind: "down", by: rank - pinned };
  return { kind: "same" };
}

/**
 * How many rows each stage dropped, in the pipeline's order; stages that dropped none are left out. `isCounted` is false for rows
 * that no list holds: they are only there to be explained, and the stage does not count them.
 */
export function dropsByStage(columns: Columns): { stage: StageId; n: number; isCounted: boolean }[] {
  const counts = new Map<StageId, number>();
  for (const stage of columns.dropped_by) {
    if (stage !== null) counts.set(stage, (counts.get(stage) ?? 0) + 1);
  }
  return columns.stages.flatMap(({ id, n_dropped }) => {
    const n = counts.get(id);
    return n === undefined ? [] : [{ stage: id, n, isCounted: n_dropped > 0 }];
  });
}

/**
 * The lines of the table from top to bottom.
 *
 * `filter` leaves only the rows that one stage dropped below the cut. The cut stands where the order is the final
 * one; under any other order the kept and the dropped rows mix. Ties keep the final order.
 */
export function tableLines(columns: Columns, sort: SortKey, filter: StageId | null): TableLine[] {
  const ranks = ranksBySlot(columns);
  const lines = columns.order
    .filter((slot) => filter === null || ranks[slot] !== null || columns.dropped_by[slot] === filter)
    .map((slot): RowLine => ({ kind: "row", slot, rank: ranks[slot] ?? null }));
  if (sort === "final") {
    return columns.order.length === columns.n_kept
      ? [...lines, { kind: "cut" }]
      : [...lines.slice(0, columns.n_kept), { kind: "cut" }, ...lines.slice(columns.n_kept)];
  }
  const place = placeUnder(columns, sort);
  // `toSorted` is stable, so that rows of one place stay in the final order.
  return lines.toSorted((a, b) => place(a.slot) - place(b.slot));
}

/** Smaller comes first; rows without a place come last. */
function placeUnder(columns: Columns, sort: Exclude<SortKey, "final">): (slot: number) => number {
  const { rank = [], value = [] } = cellsOf(columns, sort) ?? {};
  if (columnOf(sort)?.sort === "value" && value.length > 0) return (slot) => -(value[slot] ?? -Infinity);
  if (rank.length > 0) return (slot) => rank[slot] ?? Infinity;
  // What a stage without a column did is what it dropped or remarked: those rows first.
  return lookOf(sort)?.first === "remarked"
    ? (slot) => (columns.remark[slot] === null ? 1 : 0)
    : (slot) => (columns.dropped_by[slot] === sort ? 0 : 1);
}

/** A column of the ranking by its key; null if it has none. */
export function cellsOf(columns: Columns, key: string): CellColumn | null {
  return columns.cells.find((cells) => cells.key === key) ?? null;
}

/** The ranks that a column shows, by slot; empty if it has none. */
export function ranksOf(columns: Columns, key: string): readonly (number | null)[] {
  return cellsOf(columns, key)?.rank ?? [];
}

/** Returns whether two rankings show the same chunks in their first `n` places, and keep as many of them. */
export function startAlike(
  rows: readonly Row[],
  columns: Columns,
  otherRows: readonly Row[],
  other: Columns,
  n: number,
): boolean {
  return (
    columns.n_kept === other.n_kept &&
    firstChunks(rows, columns.order, n).join() === firstChunks(otherRows, other.order, n).join()
  );
}

/** Returns whether two rankings have the same chunks in their first `n` places after fusion, whatever came of them later. */
export function startFusedAlike(
  rows: readonly Row[],
  columns: Columns,
  otherRows: readonly Row[],
  other: Columns,
  n: number,
): boolean {
  return (
    firstChunks(rows, fusedOrder(columns), n).join() === firstChunks(otherRows, fusedOrder(other), n).join()
  );
}

function firstChunks(rows: readonly Row[], order: readonly number[], n: number): (string | undefined)[] {
  return order.slice(0, n).map((slot) => rows[slot]?.chunk);
}

/** The slots that fusion ranked, best first. */
function fusedOrder(columns: Columns): number[] {
  const ranks = ranksOf(columns, "fusion");
  const rankOf = (slot: number) => ranks[slot] ?? Infinity;
  return ranks.flatMap((rank, slot) => (rank === null ? [] : [slot])).sort((a, b) => rankOf(a) - rankOf(b));
}
