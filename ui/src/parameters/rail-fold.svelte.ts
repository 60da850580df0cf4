import type { Parameter, StageId } from "../api/bindings";
import { readStored, writeStored } from "../shared/stored";
import { OWN, type Pipeline } from "./pipeline";

const KEY = "memlens.advanced";

/** What most people turn; the rest of Memlens's own parameters are advanced. */
const PRIMARY: ReadonlySet<string> = new Set([
  "fusion",
  "fusion_k",
  "vector_weight",
  "text_weight",
  "rerank",
  "rerank_max_docs",
  "corroboration_gain",
  "half_life_days",
  "mmr_lambda",
  "min_score",
  "max_results",
  "budget_tokens",
]);

/** Whether a parameter stands in the rail without being asked for. Every one of an agent does: it has few. */
export function isPrimary(pipeline: Pipeline, { id }: Parameter): boolean {
  return pipeline.id !== OWN.id || PRIMARY.has(id);
}

/** Which advanced parameters are shown: all, kept on this machine, or those of stages that a person opened since. */
export class RailFold {
  #isAllOpen = $state(readStored(KEY, (value) => value === true) ?? false);
  #byHand = $state.raw<ReadonlyMap<StageId, boolean>>(new Map());

  get isAllOpen(): boolean {
    return this.#isAllOpen;
  }

  openAll(isOpen: boolean): void {
    this.#isAllOpen = isOpen;
    this.#byHand = new Map();
    writeStored(KEY, isOpen ? true : null);
  }

  isOpen(stage: StageId): boolean {
    return this.#byHand.get(stage) ?? this.#isAllOpen;
  }

  open(stage: StageId, isOpen: boolean): void {
    this.#byHand = new Map(this.#byHand).set(stage, isOpen);
  }
}
