// Which column groups the table has, and what their heads say.
import type { Columns, StageId } from "../api/bindings";
import { scaleWords } from "../rerank/rerank-columns";
import { hueOf } from "../shared/hue";
import type { SortKey } from "./row-order";

/** A group of the table: a stage's, or the RRF columns beside fusion. */
export type ColumnGroup = {
  key: Exclude<SortKey, "final">;
  stage: StageId;
  /** Gives the hue. */
  hue: string;
  /** How much room it needs: a rank and a score, a score alone, or what a stage of ours behind fusion shows. */
  size: "list" | "fused" | "rerank" | "corroboration" | "weight" | "place";
  label: string;
  /** The label in full, where a menu has room for it. */
  name: string;
  below: string;
  sorted: "ascending" | "descending";
};

/** A column of our own pipeline. */
type OwnGroup = Omit<ColumnGroup, "hue" | "name"> & { name?: string };

const LISTS: readonly OwnGroup[] = [
  { key: "vector", stage: "vector", size: "list", label: "Vector", below: "rank · cos", sorted: "ascending" },
  { key: "bm25", stage: "bm25", size: "list", label: "BM25", below: "rank · score", sorted: "ascending" },
  { key: "rrf", stage: "fusion", size: "list", label: "RRF", below: "rank · score", sorted: "ascending" },
  { key: "fusion", stage: "fusion", size: "fused", label: "Fused", below: "score", sorted: "descending" },
];

/** The groups from left to right: of an agent's pipeline one per list, and one per stage that changed a score or a place. */
export function columnGroups(columns: Columns, isAgent: boolean): ColumnGroup[] {
  const groups = isAgent ? agentGroups(columns) : ownGroups(columns);
  return groups.map((group) => ({ ...group, name: group.name ?? group.label, hue: hueOf(group.stage) }));
}

function agentGroups(columns: Columns): OwnGroup[] {
  const labels = new Map(columns.stages.map(({ id, label }) => [id, label]));
  const group = (stage: StageId): OwnGroup => ({
    ...{ key: stage, stage, size: "list", label: labels.get(stage) ?? stage },
    ...{ below: "rank · score", sorted: "ascending" },
  });
  const [scored, ...changed] = columns.own;
  return [
    ...columns.lists.map(({ stage }) => group(stage)),
    ...(scored === undefined ? [] : [group(scored.stage)]),
    ...changed.map(({ stage }): OwnGroup => ({ ...group(stage), size: "fused", below: "changed" })),
  ];
}

/** Stages behind fusion have a column only while they do something. */
function ownGroups(columns: Columns): OwnGroup[] {
  const idle = new Set(
    columns.stages.filter(({ status }) => status.kind === "skipped").map((stage) => stage.id),
  );
  const scale = columns.rerank_scale;
  const behind: OwnGroup[] = [
    {
      key: "rerank",
      stage: "rerank",
      size: "rerank",
      label: "Rerank",
      below: `rank · ${scale === null ? "score" : scaleWords(scale).short}`,
      sorted: "ascending",
    },
    {
      key: "corroboration",
      stage: "corroboration",
      size: "corroboration",
      label: "Corrob.",
      name: "Corroboration",
      below: "others · add",
      sorted: "descending",
    },
    {
      key: "feedback",
      stage: "feedback",
      size: "weight",
      label: "Feedb.",
      name: "Feedback",
      below: "weight",
      sorted: "descending",
    },
    { key: "decay", stage: "decay", size: "weight", label: "Decay", below: "weight", sorted: "descending" },
    {
      key: "diversity",
      stage: "diversity",
      size: "place",
      label: "Divers.",
      name: "Diversity",
      below: "moved",
      sorted: "ascending",
    },
  ];
  // While nothing has a score yet the reranker has done nothing, but its rows are marked.
  if (columns.rerank_state.some((state) => state !== null)) idle.delete("rerank");
  return [...LISTS, ...behind.filter(({ stage }) => !idle.has(stage))];
}

/** How wide columns are, in rem. */
type Widths = Record<ColumnGroup["size"], number> & {
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
    ...{ rank: 1.75, moved: 3, text: 28, list: 6.5, fused: 5.5, final: 8, gap: 1 },
    ...{ rerank: 8, corroboration: 6, weight: 3, place: 4 },
  },
  {
    ...{ rank: 1.625, moved: 3, text: 12, list: 4.25, fused: 3.5, final: 5.25, gap: 0.75 },
    ...{ rerank: 5.5, corroboration: 4.5, weight: 3, place: 3.5 },
  },
  {
    ...{ rank: 1.5, moved: 2.875, text: 9, list: 3.5, fused: 2.75, final: 4, gap: 0.5 },
    ...{ rerank: 5, corroboration: 4.25, weight: 2.75, place: 3.25 },
  },
  {
    ...{ rank: 1.375, moved: 2.75, text: 7, list: 3.25, fused: 2.5, final: 3.25, gap: 0.375 },
    ...{ rerank: 4.75, corroboration: 4.25, weight: 2.75, place: 3.25 },
  },
];

/** What goes first where not even the narrowest columns fit; of an agent's, which are not among them, the last ones. */
const LEAVE_OUT: readonly SortKey[] = [
  ...["rrf", "diversity", "decay", "feedback", "fusion", "corroboration", "bm25", "vector", "rerank"],
];

/** What stands before the first column and behind the last, in rem. */
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
      ...groups.map(({ size }) => `${widths[size]}rem`),
      `${final}rem`,
    ].join(" "),
    gap: `${gap}rem`,
    isNarrow: WIDTHS.indexOf(widths) > 1,
  };
}

function withoutLeast(groups: readonly ColumnGroup[]): ColumnGroup[] {
  const least = LEAVE_OUT.find((key) => groups.some((group) => group.key === key)) ?? groups.at(-1)?.key;
  return groups.filter(({ key }) => key !== least);
}

function leastOf(groups: readonly ColumnGroup[], widths: Widths): number {
  const { rank, moved, text, final, gap } = widths;
  const others = groups.reduce((sum, { size }) => sum + widths[size], 0);
  return rank + moved + text + others + final + gap * (groups.length + 3) + TABLE_ENDS[0] + TABLE_ENDS[1];
}
