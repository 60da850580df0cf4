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
  size: "list" | "fused" | "rerank" | "corroboration" | "feedback";
  label: string;
  below: string;
  sorted: "ascending" | "descending";
};

/** A column of our own pipeline. */
type OwnGroup = Omit<ColumnGroup, "hue">;

const LISTS: readonly OwnGroup[] = [
  { key: "vector", stage: "vector", size: "list", label: "Vector", below: "rank · cos", sorted: "ascending" },
  { key: "bm25", stage: "bm25", size: "list", label: "BM25", below: "rank · score", sorted: "ascending" },
  { key: "rrf", stage: "fusion", size: "list", label: "RRF", below: "rank · score", sorted: "ascending" },
  { key: "fusion", stage: "fusion", size: "fused", label: "Fused", below: "score", sorted: "descending" },
];

/** The groups from left to right: of an agent's pipeline one per list, and one per stage that changed a score or a place. */
export function columnGroups(columns: Columns, isAgent: boolean): ColumnGroup[] {
  const groups = isAgent ? agentGroups(columns) : ownGroups(columns);
  return groups.map((group) => ({ ...group, hue: hueOf(group.stage) }));
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
      below: "others · add",
      sorted: "descending",
    },
    {
      key: "feedback",
      stage: "feedback",
      size: "feedback",
      label: "Feedb.",
      below: "weight",
      sorted: "descending",
    },
  ];
  // While nothing has a score yet the reranker has done nothing, but its rows are marked.
  if (columns.rerank_state.some((state) => state !== null)) idle.delete("rerank");
  return [...LISTS, ...behind.filter(({ stage }) => !idle.has(stage))];
}

/** How wide columns are, in rem. */
type Widths = {
  rank: number;
  moved: number;
  /** the least; what is left over is the text's too */
  text: number;
  list: number;
  fused: number;
  behind: Record<"rerank" | "corroboration" | "feedback", number>;
  final: number;
  gap: number;
};

/** From the widest to the narrowest. In a very wide table bars are longer; below that, spare room is the text's alone. */
const WIDTHS: readonly Widths[] = [
  {
    ...{ rank: 1.75, moved: 3, text: 28, list: 6.5, fused: 5.5, final: 8, gap: 1 },
    behind: { rerank: 8, corroboration: 6, feedback: 2.75 },
  },
  {
    ...{ rank: 1.625, moved: 2.75, text: 11, list: 4.25, fused: 3.5, final: 5.25, gap: 0.75 },
    behind: { rerank: 5.5, corroboration: 4.5, feedback: 2.75 },
  },
  {
    ...{ rank: 1.5, moved: 2.5, text: 8, list: 3.5, fused: 2.75, final: 4, gap: 0.5 },
    behind: { rerank: 5, corroboration: 4, feedback: 2.75 },
  },
  {
    ...{ rank: 1.375, moved: 2, text: 4, list: 3.25, fused: 2.5, final: 3.25, gap: 0.375 },
    behind: { rerank: 4.75, corroboration: 3.75, feedback: 2.5 },
  },
];

/** What stands before the first column and behind the last, in rem. */
export const TABLE_ENDS = [0.375, 0.75] as const;

/** The columns of the table as CSS has them, and how narrow they are: the names below short heads then have no room. */
export type TableLayout = { columns: string; gap: string; isNarrow: boolean };

/** Returns the widest layout that fits a table of this width, so that the final score is always in sight. */
export function layoutOf(groups: readonly ColumnGroup[], width_rem: number): TableLayout {
  const [wide, roomy] = WIDTHS;
  const fitting = WIDTHS.find((widths) => leastOf(groups, widths) <= width_rem) ?? WIDTHS.at(-1);
  const { rank, moved, text, final, gap, ...widths } = fitting as Widths;
  const others = groups.map(({ size }) => widthOf(size, widths));
  return {
    columns: `${rank}rem ${moved}rem minmax(${text}rem, 1fr) ${others.map((other) => `${other}rem`).join(" ")} ${final}rem`,
    gap: `${gap}rem`,
    isNarrow: fitting !== wide && fitting !== roomy,
  };
}

function leastOf(
  groups: readonly ColumnGroup[],
  { rank, moved, text, final, gap, ...widths }: Widths,
): number {
  const others = groups.reduce((sum, { size }) => sum + widthOf(size, widths), 0);
  return rank + moved + text + others + final + gap * (groups.length + 3) + TABLE_ENDS[0] + TABLE_ENDS[1];
}

function widthOf(
  size: ColumnGroup["size"],
  { list, fused, behind }: Pick<Widths, "list" | "fused" | "behind">,
): number {
  switch (size) {
    case "list":
      return list;
    case "fused":
      return fused;
    default:
      return behind[size];
  }
}
