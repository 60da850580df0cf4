// What the rerank stage made of each row, read from a ranking.
import type { Columns, Params, RerankMode, RerankScale, RerankState } from "../api/bindings";

/** One row in the rerank stage. */
export type Reranked = {
  state: RerankState;
  /** By fused score, among the rows that reached the stage. */
  before: number | null;
  /** Null for a row that the stage dropped. */
  after: number | null;
  /** As the reranker reported it; null without one. */
  score: number | null;
};

/** Null where the stage did nothing to the row. */
export function rerankedOf(columns: Columns, slot: number): Reranked | null {
  const cells = columns.cells.find((one) => one.state.length > 0);
  const state = cells?.state[slot] ?? null;
  if (cells === undefined || state === null) return null;
  return {
    state,
    before: cells.before[slot] ?? null,
    after: cells.rank[slot] ?? null,
    score: cells.value[slot] ?? null,
  };
}

/** Whether something outside has to be asked before the ranking is what its parameters say. */
export function isPending(columns: Columns): boolean {
  return columns.n_pending > 0 || columns.hook_pending;
}

/** The scale in words, as a column head has room for, and in full. */
export function scaleWords(scale: RerankScale): { short: string; full: string } {
  switch (scale) {
    case "unit":
      return { short: "0 to 1", full: "as reported, 0 to 1" };
    case "logit":
      return { short: "logit", full: "as reported, a logit: any number" };
    case "max_sim":
      return { short: "late", full: "late interaction: mean of each question word's best cosine, −1 to 1" };
  }
}

/** The scale that a provider's test names in a word; one that is not known is any number. */
export function scaleNamed(word: string): RerankScale {
  return word === "unit" || word === "max_sim" ? word : "logit";
}

/**
 * The scale of the scores that a reranker gives; null while nobody reranks, or nobody can say yet.
 *
 * `answered` is the scale of the scores that are there, `tested` that of the provider's last test. What runs on this
 * machine has one scale; that of a provider is known from its answers only.
 */
export function scaleOf(
  mode: RerankMode,
  answered: RerankScale | null,
  tested: RerankScale | null,
): RerankScale | null {
  switch (mode) {
    case "off":
      return null;
    case "late":
      return "max_sim";
    case "model":
      return "logit";
    case "http":
      return answered ?? tested;
  }
}

/** The ends that scores on a scale can reach; null where there are none. */
export function endsOf(scale: RerankScale): { min: number; max: number } | null {
  switch (scale) {
    case "unit":
      return { min: 0, max: 1 };
    case "max_sim":
      return { min: -1, max: 1 };
    case "logit":
      return null;
  }
}

/** Where a raw score is between the scale's ends, in [0, 1]: a logit by the logistic function. */
export function shareOf(scale: RerankScale, score: number): number {
  switch (scale) {
    case "unit":
    case "max_sim":
      return Math.min(1, Math.max(0, score));
    case "logit":
      return 1 / (1 + Math.exp(-score));
  }
}

/** Whether these parameters use the reranker at all. */
export function usesReranker(params: Params): boolean {
  return params.rerank_on && params.rerank !== "off";
}

/** Whether they send note text to a provider. */
export function usesProvider(params: Params): boolean {
  return params.rerank_on && params.rerank === "http";
}

/** Whether they run the user's command. */
export function usesHook(params: Params): boolean {
  return params.hook_on && params.hook === "on";
}
