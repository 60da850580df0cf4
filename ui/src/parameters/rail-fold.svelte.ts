import type { Parameter, StageId } from "../api/bindings";
import { readStored, writeStored } from "../shared/stored";
import { LaidOut } from "./laid-out.svelte";
import type { ParameterHistory } from "./parameter-history.svelte";
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

/** Whether a parameter is in the rail without being asked for. Every one of an agent does: it has few. */
export function isPrimary(pipeline: Pipeline, { id }: Parameter): boolean {
  return pipeline.id !== OWN.id || PRIMARY.has(id);
}

/**
 * Which parameters are shown: of stages that the user opened, or with all open, every one; else those that most people turn
 * and those that were set when the controls were laid out.
 */
export class RailFold {
  readonly #parameters: () => ParameterHistory;
  readonly #laidOut: LaidOut;
  #isAllOpen = $state(readStored(KEY, (value) => value === true) ?? false);
  #byHand = $state.raw<ReadonlyMap<StageId, boolean>>(new Map());

  constructor(parameters: () => ParameterHistory) {
    this.#parameters = parameters;
    this.#laidOut = new LaidOut(parameters);
  }

  get isAllOpen(): boolean {
    return this.#isAllOpen;
  }

  openAll(isOpen: boolean): void {
    this.#isAllOpen = isOpen;
    this.#byHand = new Map();
    this.#laidOut.redo();
    writeStored(KEY, isOpen ? true : null);
  }

  isOpen(stage: StageId): boolean {
    return this.#byHand.get(stage) ?? this.#isAllOpen;
  }

  open(stage: StageId, isOpen: boolean): void {
    this.#byHand = new Map(this.#byHand).set(stage, isOpen);
    this.#laidOut.redo();
  }

  isShown(parameter: Parameter): boolean {
    const { pipeline } = this.#parameters();
    const { id, stage } = parameter;
    return (
      (stage !== null && this.isOpen(stage)) ||
      isPrimary(pipeline, parameter) ||
      this.#laidOut.values[id] !== pipeline.defaults[id]
    );
  }
}
