// Which column groups the table has, and what their heads say.
import type { CellColumn, Columns, StageId } from "../api/bindings";
import { scaleWords } from "../rerank/rerank-columns";
import { hueOf } from "../shared/hue";
import { columnOf, type DeclaredColumn } from "../shared/looks";
import type { SortKey } from "./row-order";

/** How the cells of a column are drawn; the plain columns of other programs' stages show what they changed. */
export type CellLook = DeclaredColumn["cell"] | { kind: "changed" };

/** A column of the table. */
export type ColumnGroup = {
  key: Exclude<SortKey, "final">;
  stage: StageId;
  /** Gives the hue. */
  hue: string;
  cell: CellLook;
  label: string;
  /** The label in full, where a menu has room for it. */
  name: string;
  below: string;
  sorted: "ascending" | "descending";
  /** The lightest is left out first in a narrow table. */
  weight: number;
};

/** The columns of a ranking from left to right. */
export function columnGroups(columns: Columns): ColumnGroup[] {
  const plain = columns.cells.filter(({ key }) => columnOf(key) === null);
  const scored = plain.find(({ is_list }) => !is_list);
  return columns.cells.map((cells, at) => {
    const declared = columnOf(cells.key);
    const hue = hueOf(cells.stage);
    if (declared !== null) return declaredGroup(columns, cells, declared, hue);
    const isChange = !cells.is_list && cells !== scored;
    return { ...plainGroup(columns, cells, isChange), hue, weight: -at };
  });
}

function declaredGroup(
  columns: Columns,
  { stage }: CellColumn,
  { key, label, name, below, cell, weight }: DeclaredColumn,
  hue: string,
): ColumnGroup {
  const scale = cell.kind === "reranked" ? columns.rerank_scale : null;
  const isByRank = cell.kind === "ranked" || cell.kind === "reranked" || cell.kind === "place";
  return {
    ...{ key, stage, hue, cell, label, name, weight },
    below: scale === null ? below : below.replace("score", scaleWords(scale).short),
    sorted: isByRank ? "ascending" : "descending",
  };
}

/** The column of another program's stage: its list, the first score, or what changed it. */
function plainGroup(
  columns: Columns,
  { key, stage }: CellColumn,
  isChange: boolean,
): Omit<ColumnGroup, "hue" | "weight"> {
  const label = columns.stages.find(({ id }) => id === stage)?.label ?? stage;
  const unit = `${label}, as the agent scores`;
  return {
    ...{ key, stage, label, name: label, sorted: "ascending" },
    below: isChange ? "changed" : "rank · score",
    cell: isChange
      ? { kind: "changed" }
      : { kind: "ranked", unit, decimals: 3, full: "best_above_one", of_row: null },
  };
}

/** How wide columns are, in rem. */
type Widths = Record<CellLook["kind"], number> & {
  rank: number;
  moved: number;
  /** the least; what is left over is the text's too */
  text: number;
  final: number;
  gap: number;
};

/** From the widest to the narrowest. In a very wide table bars are longer; below that, spare room is the text's alone. */
const WIDTHS: readonly Widths[] = [
  {
    ...{ rank: 1.75, moved: 3, text: 28, ranked: 6.5, scored: 5.5, changed: 5.5, final: 8, gap: 1 },
    ...{ reranked: 8, counted: 6, weight: 3, place: 4 },
  },
  {
    ...{ rank: 1.625, moved: 3, text: 12, ranked: 4.25, scored: 3.5, changed: 3.5, final: 5.25, gap: 0.75 },
    ...{ reranked: 5.5, counted: 4.5, weight: 3, place: 3.5 },
  },
  {
    ...{ rank: 1.5, moved: 2.875, text: 9, ranked: 3.5, scored: 2.75, changed: 2.75, final: 4, gap: 0.5 },
    ...{ reranked: 5, counted: 4.25, weight: 2.75, place: 3.25 },
  },
  {
    ...{
      rank: 1.375,
      moved: 2.75,
      text: 7,
      ranked: 3.25,
      scored: 2.5,
      changed: 2.5,
      final: 3.25,
      gap: 0.375,
    },
    ...{ reranked: 4.75, counted: 4.25, weight: 2.75, place: 3.25 },
  },
];

/** What is before the first column and behind the last, in rem. */
export const TABLE_ENDS = [0.375, 0.75] as const;

export type TableLayout = {
  /** The columns that there is room for, from left to right. */
  groups: ColumnGroup[];
  /** As CSS has them, with rank, move and text before them and the final score behind. */
  columns: string;
  gap: string;
  /** Whether the names below short heads have no room. */
  isNarrow: boolean;
};

/**
 * The widest layout that fits a table of this width. The final score is always in sight, and so are a few words of the
 * text: columns without room for both are left out.
 */
export function layoutOf(wished: readonly ColumnGroup[], width_rem: number): TableLayout {
  const narrowest = WIDTHS.at(-1) as Widths;
  let groups = [...wished];
  while (groups.length > 0 && leastOf(groups, narrowest) > width_rem) groups = withoutLeast(groups);
  const widths = WIDTHS.find((one) => leastOf(groups, one) <= width_rem) ?? narrowest;
  const { rank, moved, text, final, gap } = widths;
  return {
    groups,
    columns: [
      ...[`${rank}rem`, `${moved}rem`, `minmax(${text}rem, 1fr)`],
      ...groups.map(({ cell }) => `${widths[cell.kind]}rem`),
      `${final}rem`,
    ].join(" "),
    gap: `${gap}rem`,
    isNarrow: WIDTHS.indexOf(widths) > 1,
  };
}

function withoutLeast(groups: readonly ColumnGroup[]): ColumnGroup[] {
  const least = Math.min(...groups.map(({ weight }) => weight));
  return groups.filter(({ weight }) => weight !== least);
}

function leastOf(groups: readonly ColumnGroup[], widths: Widths): number {
  const { rank, moved, text, final, gap } = widths;
  const others = groups.reduce((sum, { cell }) => sum + widths[cell.kind], 0);
  return rank + moved + text + others + final + gap * (groups.length + 3) + TABLE_ENDS[0] + TABLE_ENDS[1];
}
