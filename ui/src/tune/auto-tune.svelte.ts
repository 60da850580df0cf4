import type { Backend } from "../api/backend";
import type { ErrorInfo, Metric, SetWish, TuneAnswer, TuneRequest } from "../api/bindings";
import { toErrorInfo } from "../api/errors";

type Calls = Pick<Backend, "autoTune" | "stopTuning">;

/** What is asked for unless the person says otherwise; the metric is the one that is shown. */
export type TuneWish = Omit<TuneRequest, "metric"> & { metric: Metric | null };

export const TUNE_DEFAULTS: TuneWish = {
  parameters: null,
  metric: null,
  folds: 5,
  seed: 0,
  n_tries: 2000,
  max_rerank_docs: null,
  max_ms: null,
};

/** The search for better settings: what is asked for, and the last answer. */
export class AutoTune {
  readonly #backend: Calls;
  #wish = $state.raw<TuneWish>(TUNE_DEFAULTS);
  #answer = $state.raw<TuneAnswer | null>(null);
  /** The set that the answer is of. */
  #set = $state<string | null>(null);
  #error = $state.raw<ErrorInfo | null>(null);
  #isRunning = $state(false);
  #isStopping = $state(false);

  constructor(backend: Calls) {
    this.#backend = backend;
  }

  get wish(): TuneWish {
    return this.#wish;
  }

  set wish(wish: TuneWish) {
    this.#wish = wish;
  }

  get error(): ErrorInfo | null {
    return this.#error;
  }

  get isRunning(): boolean {
    return this.#isRunning;
  }

  get isStopping(): boolean {
    return this.#isStopping;
  }

  /** The last answer over this set; null where there is none. */
  answerOf(set: string): TuneAnswer | null {
    return this.#set === set ? this.#answer : null;
  }

  /** Tries settings; what was found before stays where it is stopped. */
  async run(wish: SetWish, shown: Metric): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#error = null;
    try {
      const answer = await this.#backend.autoTune(wish, {
        ...this.#wish,
        metric: this.#wish.metric ?? shown,
      });
      if (answer !== null) {
        this.#answer = answer;
        this.#set = wish.set;
      }
    } catch (error) {
      this.#error = toErrorInfo(error);
    }
    this.#isRunning = false;
    this.#isStopping = false;
  }

  stop(): void {
    this.#isStopping = true;
    this.#backend.stopTuning().catch(() => (this.#isStopping = false));
  }
}
