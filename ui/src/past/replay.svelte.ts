import type { Backend } from "../api/backend";
import type { ErrorInfo, QuerySetProgress, Ranking } from "../api/bindings";
import { toErrorInfo } from "../api/errors";
import { looks } from "../shared/looks";

type Calls = Pick<Backend, "replayPast" | "replayProgress" | "stopReplay">;

/** All past questions, asked again over today's notes. What it came to stands with the questions. */
export class Replay {
  readonly #backend: Calls;
  readonly #onEnded: () => void;
  /** The name of what is to rank; null for each agent's own pipeline. */
  by = $state<string | null>(null);
  #progress = $state.raw<QuerySetProgress | null>(null);
  #isRunning = $state(false);
  #isStopping = $state(false);
  #error = $state.raw<ErrorInfo | null>(null);

  /** `onEnded` is told when there is something new to show. */
  constructor(backend: Calls, onEnded: () => void) {
    this.#backend = backend;
    this.#onEnded = onEnded;
  }

  /** Null until it is known. */
  get progress(): QuerySetProgress | null {
    return this.#progress;
  }

  get isRunning(): boolean {
    return this.#isRunning;
  }

  get isStopping(): boolean {
    return this.#isStopping;
  }

  get error(): ErrorInfo | null {
    return this.#error;
  }

  /** Ranks by the pipeline of each agent where `by` is null. */
  async run(by: Ranking | null): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#error = null;
    const stopLooking = looks(
      () => this.#backend.replayProgress(),
      (progress) => (this.#progress = progress),
    );
    try {
      if ((await this.#backend.replayPast(by)) !== null) this.#onEnded();
    } catch (error) {
      this.#error = toErrorInfo(error);
    } finally {
      stopLooking();
      this.#progress = null;
      this.#isRunning = false;
      this.#isStopping = false;
    }
  }

  /** Ends it; what the last one came to stays. */
  stop(): void {
    this.#isStopping = true;
    this.#backend.stopReplay().catch(() => (this.#isStopping = false));
  }

  dismissError(): void {
    this.#error = null;
  }
}
