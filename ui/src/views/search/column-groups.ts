// Which column groups the table has, and what their heads say.
import type { Columns, StageId } from "../../api/bindings";
import { scaleWords } from "../../search/rerank-columns";
import type { SortKey } from "../../search/row-order";

/** A group of the table: a stage's, or the RRF columns beside fusion. */
export type ColumnGroup = {
  key: Exclude<SortKey, "final">;
  /** Gives the hue. */
  stage: StageId;
  label: string;
  below: string;
  sorted: "ascending" | "descending";
};

const LISTS: readonly ColumnGroup[] = [
  { key: "vector", stage: "vector", label: "Vector", below: "rank · cos", sorted: "ascending" },
  { key: "bm25", stage: "bm25", label: "BM25", below: "rank · score", sorted: "ascending" },
  { key: "rrf", stage: "fusion", label: "RRF", below: "rank · score", sorted: "ascending" },
  { key: "fusion", stage: "fusion", label: "Fused", below: "score", sorted: "descending" },
];

/** The groups from left to right. Stages behind fusion have one only while they do something. */
export function columnGroups(columns: Columns): ColumnGroup[] {
  const idle = new Set(
    columns.stages.filter(({ status }) => status.kind === "skipped").map((stage) => stage.id),
  );
  const scale = columns.rerank_scale;
  const behind: ColumnGroup[] = [
    {
      key: "rerank",
      stage: "rerank",
      label: "Rerank",
      below: `rank · ${scale === null ? "score" : scaleWords(scale).short}`,
      sorted: "ascending",
    },
    {
      key: "corroboration",
      stage: "corroboration",
      label: "Corrob.",
      below: "others · add",
      sorted: "descending",
    },
    { key: "feedback", stage: "feedback", label: "Feedb.", below: "weight", sorted: "descending" },
  ];
  // While nothing has a score yet the reranker has done nothing, but its rows are marked.
  if (columns.rerank_state.some((state) => state !== null)) idle.delete("rerank");
  return [...LISTS, ...behind.filter(({ stage }) => !idle.has(stage))];
}
