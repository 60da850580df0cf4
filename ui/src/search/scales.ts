import type { Columns, Part, Row, StageId } from "../api/bindings";
import type { ColumnGroup } from "./column-groups";
import { cellsOf } from "./row-order";

/** The value of a full bar, by column: a long bar means the same in every row. */
export type Scales = {
  /** By the keys of the columns; 0 where every bar is empty. */
  columns: ReadonlyMap<string, number>;
  final: number;
};

/** The scales of the columns, as their stages declare them, and of the final score: to 1, or to the best where that is more. */
export function scalesOf(rows: readonly Row[], columns: Columns, groups: readonly ColumnGroup[]): Scales {
  return {
    columns: new Map(groups.map((group) => [group.key, fullOf(rows, columns, group)])),
    final: Math.max(1, best(columns.score)),
  };
}

function fullOf(rows: readonly Row[], columns: Columns, { key, stage, cell }: ColumnGroup): number {
  if (cell.kind === "counted") return best(columns.parts.map((parts) => amountOf(parts, stage)));
  if (cell.kind !== "ranked" && cell.kind !== "scored") return 1;
  const { of_row } = cell;
  const values = of_row === null ? (cellsOf(columns, key)?.value ?? []) : rows.map((row) => row[of_row]);
  switch (cell.full) {
    case "one":
      return 1;
    case "best":
      return best(values) || 1;
    case "best_above_one":
      return Math.max(1, best(values));
  }
}

function best(values: readonly (number | null)[]): number {
  return values.reduce<number>((most, value) => Math.max(most, value ?? 0), 0);
}

/** What a stage added to a score; 0 where it added nothing. */
export function amountOf(parts: readonly Part[], stage: StageId): number {
  return parts.find((part) => part.stage === stage)?.amount ?? 0;
}
