// How the stages of all pipelines are shown, as the stages themselves declare it.
import { STAGE_LOOKS, type Column, type Look, type StageId } from "../api/bindings";

type Deep<T> = T extends object ? { readonly [K in keyof T]: Deep<T[K]> } : T;

/** How a stage is shown. */
export type StageLook = Deep<Look>;
/** A column that a stage declares. */
export type DeclaredColumn = Deep<Column>;

const LOOKS: ReadonlyMap<StageId, StageLook> = new Map(STAGE_LOOKS.map(({ stage, look }) => [stage, look]));
const COLUMNS: ReadonlyMap<string, DeclaredColumn> = new Map(
  [...LOOKS.values()].flatMap(({ columns }) => columns.map((column) => [column.key, column] as const)),
);

/** How a stage is shown; null for one that is not known. */
export function lookOf(stage: StageId): StageLook | null {
  return LOOKS.get(stage) ?? null;
}

/** A declared column by its key; null for the plain column of another program's stage. */
export function columnOf(key: string): DeclaredColumn | null {
  return COLUMNS.get(key) ?? null;
}
