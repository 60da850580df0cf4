import { untrack } from "svelte";
import type { ParameterHistory } from "./parameter-history.svelte";
import type { Values } from "./pipeline";

/**
 * The values by which controls were laid out last.
 *
 * A control that is touched must not move others, so these values follow a new start of the parameters or another pipeline,
 * and otherwise change only by `redo`.
 */
export class LaidOut {
  readonly #parameters: () => ParameterHistory;
  #nLayouts = $state(0);
  readonly #values = $derived.by<Values>(() => {
    void this.#nLayouts;
    const parameters = this.#parameters();
    void parameters.start;
    return untrack(() => parameters.committed);
  });

  constructor(parameters: () => ParameterHistory) {
    this.#parameters = parameters;
  }

  get values(): Values {
    return this.#values;
  }

  /** Lays out by the present values. */
  redo(): void {
    this.#nLayouts++;
  }
}
