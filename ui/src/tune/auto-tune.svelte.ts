import type { Backend } from "../api/backend";
import type { ErrorInfo, Metric, Ranking, SetWish, TuneAnswer, TuneRequest } from "../api/bindings";
import { Job } from "../shared/job.svelte";

type Calls = Pick<Backend, "autoTune" | "stop">;

/** What is asked for unless the user says otherwise; the metric is the one that is shown. */
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

/** An answer, and what it is of. */
type Tuned = {
  answer: TuneAnswer;
  /** The set, the judgments and the notes. */
  basis: string;
  /** The settings that the answer compares with. */
  present: Ranking;
};

/** The search for better settings: what is asked for, and the last answer. Its progress is that of all measuring. */
export class AutoTune {
  readonly #job: Job<[wish: SetWish, shown: Metric, basis: string], Tuned, never>;
  #wish = $state.raw<TuneWish>(TUNE_DEFAULTS);

  constructor(backend: Calls) {
    this.#job = new Job({
      work: async (_report, wish: SetWish, shown: Metric, basis: string) => {
        const request = { ...this.#wish, metric: this.#wish.metric ?? shown };
        const answer = await backend.autoTune(wish, request);
        return answer === null ? null : { answer, basis, present: wish.ranking };
      },
      stop: () => backend.stop("tune"),
    });
  }

  get wish(): TuneWish {
    return this.#wish;
  }

  set wish(wish: TuneWish) {
    this.#wish = wish;
  }

  get error(): ErrorInfo | null {
    return this.#job.error;
  }

  get isRunning(): boolean {
    return this.#job.isRunning;
  }

  get isStopping(): boolean {
    return this.#job.isStopping;
  }

  /** The last answer; null where there is none of this set, these judgments and these notes. */
  answerOf(basis: string): TuneAnswer | null {
    const tuned = this.#job.data;
    return tuned?.basis === basis ? tuned.answer : null;
  }

  /** Whether there is an answer, but of another set, other judgments or other notes. */
  isOutdated(basis: string): boolean {
    const tuned = this.#job.data;
    return tuned !== null && tuned.basis !== basis;
  }

  /** Whether the answer compares with other settings than these. */
  isOfOther(present: Ranking): boolean {
    const tuned = this.#job.data;
    return tuned !== null && JSON.stringify(tuned.present) !== JSON.stringify(present);
  }

  /** Tries settings; what was found before stays where it is stopped. */
  async run(wish: SetWish, shown: Metric, basis: string): Promise<void> {
    await this.#job.run(wish, shown, basis);
  }

  stop(): void {
    this.#job.stop();
  }
}
