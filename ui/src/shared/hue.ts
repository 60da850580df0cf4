import type { StageId } from "../api/bindings";

/** The stages of Memlens's own that have a hue of their own in `tokens.css`. */
const HUES = new Set([
  ...["vector", "bm25", "fusion", "rerank", "corroboration", "feedback", "decay", "diversity"],
  ...["repeats", "threshold", "limit", "hook", "budget"],
]);
/** What other pipelines call such a stage. */
const ALIKE: Readonly<Record<string, string>> = { text: "bm25", mmr: "diversity" };

/** The class that gives a stage its hue: that of the stage of ours that does the same, else the neutral one of cuts. */
export function hueOf(stage: StageId): string {
  const name = stage.slice(stage.lastIndexOf(".") + 1);
  const ours = ALIKE[name] ?? name;
  return HUES.has(ours) ? ours : "cut";
}
