import type { StageId, StageInfo } from "../api/bindings";
import { readStored, writeStored } from "../shared/stored";
import { LaidOut } from "./laid-out.svelte";
import type { ParameterHistory } from "./parameter-history.svelte";
import { isStageOn } from "./stage-switch";

/**
 * The stages that are off, folded into one line, and whether that line is open; the latter is kept on this machine.
 *
 * Switching a stage folds and unfolds nothing, since what is behind it would move.
 */
export class OffFold {
  readonly #key: string;
  readonly #parameters: () => ParameterHistory;
  readonly #laidOut: LaidOut;
  #isOpen: boolean;

  readonly #off = $derived.by(() => {
    const { pipeline, current } = this.#parameters();
    return pipeline.stages.filter((stage) => !isStageOn(pipeline, current, stage));
  });
  readonly #folded = $derived.by(() => {
    const { pipeline } = this.#parameters();
    const { values } = this.#laidOut;
    if (this.#isOpen) return [];
    return pipeline.stages.filter((stage) => !isStageOn(pipeline, values, stage));
  });

  constructor(key: string, parameters: () => ParameterHistory) {
    this.#key = key;
    this.#parameters = parameters;
    this.#laidOut = new LaidOut(parameters);
    this.#isOpen = $state(readStored(key, (value) => value === true) ?? false);
  }

  /** The stages that are off, in the pipeline's order. */
  get off(): StageInfo[] {
    return this.#off;
  }

  /** The folded stages that were switched on since. */
  get foldedOn(): StageInfo[] {
    return this.#folded.filter((stage) => !this.#off.includes(stage));
  }

  /** Whether every stage has its own place. */
  get isOpen(): boolean {
    return this.#folded.length === 0;
  }

  isOff(stage: StageId): boolean {
    return this.#off.some(({ id }) => id === stage);
  }

  isFolded(stage: StageId): boolean {
    return this.#folded.some(({ id }) => id === stage);
  }

  /** Opens the line, or folds all that is off now. */
  toggle(): void {
    const opens = !this.isOpen;
    this.#isOpen = opens;
    if (!opens) this.#laidOut.redo();
    writeStored(this.#key, opens ? true : null);
  }
}

/** The line of the folded stages, as "6 off" or "5 off, 1 on". */
export function foldWords({ off, foldedOn }: OffFold): string {
  return foldedOn.length === 0 ? `${off.length} off` : `${off.length} off, ${foldedOn.length} on`;
}
