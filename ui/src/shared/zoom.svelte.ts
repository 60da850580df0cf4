import type { Backend } from "../api/backend";
import { readStored, writeStored } from "./stored";

/** As browsers step. */
const STEPS: readonly number[] = [0.5, 0.67, 0.75, 0.8, 0.9, 1, 1.1, 1.25, 1.5, 1.75, 2, 2.5, 3];
const STORED_AS = "memlens.zoom";

/** Zoom factor of the page; stored on this machine. */
export class Zoom {
  readonly #backend: Pick<Backend, "zoom">;
  #factor = $state(1);

  constructor(backend: Pick<Backend, "zoom">) {
    this.#backend = backend;
    const kept = readStored(STORED_AS, isStep);
    if (kept !== null) this.#set(kept);
  }

  /** 1 is as designed. */
  get factor(): number {
    return this.#factor;
  }

  get isLeast(): boolean {
    return this.#factor === STEPS[0];
  }

  get isMost(): boolean {
    return this.#factor === STEPS.at(-1);
  }

  step(by: 1 | -1): void {
    const next = STEPS[STEPS.indexOf(this.#factor) + by];
    if (next !== undefined) this.#set(next);
  }

  reset(): void {
    this.#set(1);
  }

  #set(factor: number): void {
    this.#factor = factor;
    writeStored(STORED_AS, factor === 1 ? null : factor);
    // A webview that cannot zoom shows the page as it is.
    this.#backend.zoom(factor).catch(() => {});
  }
}

/** What a key asks of the zoom: a step, 0 to reset, null if the key is not for the zoom. */
export function zoomKey({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): 1 | -1 | 0 | null {
  if (!(ctrlKey || metaKey) || altKey) return null;
  // The plus shares its key with “=” on many keyboards.
  if (key === "+" || key === "=") return 1;
  if (key === "-" || key === "_") return -1;
  return key === "0" ? 0 : null;
}

/** A factor as a percentage: 125 %. */
export function percent(factor: number): string {
  return `${Math.round(100 * factor)} %`;
}

function isStep(value: unknown): value is number {
  return STEPS.some((step) => step === value);
}
