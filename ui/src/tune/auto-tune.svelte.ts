import type { Backend } from "../api/backend";
import type { ErrorInfo, Metric, Ranking, SetWish, TuneAnswer, TuneRequest } from "../api/bindings";
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
  /** What the answer is of, beside the settings. */
  #basis = $state<string | null>(null);
  /** The settings that the answer compares with. */
  #present = $state.raw<Ranking | null>(null);
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

  /** The last answer; null where there is none of this set, these judgments and these notes. */
  answerOf(basis: string): TuneAnswer | null {
    return this.#basis === basis ? this.#answer : null;
  }

  /** Whether there is an answer, but of another set, other judgments or other notes. */
  isOutdated(basis: string): boolean {
    return this.#answer !== null && this.#basis !== basis;
  }

  /** Whether the answer compares with other settings than these. */
  isOfOther(present: Ranking): boolean {
    return this.#present !== null && JSON.stringify(this.#present) !== JSON.stringify(present);
  }

  /** Tries settings; what was found before stays where it is stopped. */
  async run(wish: SetWish, shown: Metric, basis: string): Promise<void> {
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
        this.#basis = basis;
        this.#present = wish.ranking;
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
