// A controller's request to the engine: whether it is running, its answer, and why the last one failed.
import type { ErrorInfo } from "../api/bindings";
import { toErrorInfo } from "../api/errors";

/** What happens to the data when a run fails: `drop` where old data beside the error would mislead. */
export type OnFailure = "keep" | "drop";

/**
 * A request whose newest run wins: the answer or error of an earlier run is dropped.
 *
 * The data and the error stay until the next answer.
 */
export class Call<Args extends readonly unknown[], Answer> {
  /** The last answer; null before the first. A controller may set it if another request returns it. */
  data = $state.raw<Answer | null>(null);
  readonly #request: (...args: Args) => Promise<Answer>;
  readonly #onFailure: OnFailure;
  #error = $state.raw<ErrorInfo | null>(null);
  #isRunning = $state(false);
  #nRuns = 0;

  constructor(request: (...args: Args) => Promise<Answer>, onFailure: OnFailure = "keep") {
    this.#request = request;
    this.#onFailure = onFailure;
  }

  get error(): ErrorInfo | null {
    return this.#error;
  }

  get isRunning(): boolean {
    return this.#isRunning;
  }

  /** Returns true if `data` is the answer of this run, false if the run failed or was superseded. */
  async run(...args: Args): Promise<boolean> {
    const run = ++this.#nRuns;
    this.#isRunning = true;
    try {
      const answer = await this.#request(...args);
      if (run !== this.#nRuns) return false;
      this.data = answer;
      this.#error = null;
      return true;
    } catch (error) {
      if (run !== this.#nRuns) return false;
      if (this.#onFailure === "drop") this.data = null;
      this.#error = toErrorInfo(error);
      return false;
    } finally {
      if (run === this.#nRuns) this.#isRunning = false;
    }
  }

  /** Drops the answer of the run that is under way. */
  drop(): void {
    this.#nRuns++;
    this.#isRunning = false;
  }

  dismissError(): void {
    this.#error = null;
  }

  /** Back to the state before the first run. */
  reset(): void {
    this.drop();
    this.data = null;
    this.#error = null;
  }
}

/** Actions that show their errors in one place. All of them take effect, also when several run at once. */
export class Actions {
  #error = $state.raw<ErrorInfo | null>(null);
  #isRunning = $state(false);
  #nRunning = 0;
  #nFailed = 0;

  /** Why the last action failed, until another succeeds. */
  get error(): ErrorInfo | null {
    return this.#error;
  }

  get isRunning(): boolean {
    return this.#isRunning;
  }

  /** Returns true if the action succeeded. */
  async run(action: () => Promise<unknown>): Promise<boolean> {
    this.#nRunning++;
    this.#isRunning = true;
    const nFailed = this.#nFailed;
    try {
      await action();
      // The error of another action that failed meanwhile stays.
      if (nFailed === this.#nFailed) this.#error = null;
      return true;
    } catch (error) {
      this.#nFailed++;
      this.#error = toErrorInfo(error);
      return false;
    } finally {
      this.#nRunning--;
      this.#isRunning = this.#nRunning > 0;
    }
  }

  dismissError(): void {
    this.#error = null;
  }
}
