// Requests that take long: they report their progress and can be stopped.
import type { ErrorInfo } from "../api/bindings";
import { toErrorInfo } from "../api/errors";
import type { OnFailure } from "./call.svelte";

/** Receives the progress; null while it is not known. */
export type Report<Progress> = (progress: Progress | null) => void;

/** Starts to report progress; the returned function ends that. */
export type ProgressSource<Progress> = (report: Report<Progress>) => () => void;

/** Does `work`, and reports from `source` until it ends. */
export async function reporting<Progress, Answer>(
  source: ProgressSource<Progress>,
  report: Report<Progress>,
  work: () => Promise<Answer>,
): Promise<Answer> {
  const end = source(report);
  try {
    return await work();
  } finally {
    end();
  }
}

/** What a job does, and how it is stopped. */
export type JobParts<Args extends readonly unknown[], Answer, Progress> = {
  /** Returns null if it was stopped. Progress that is reported after the end is ignored. */
  work: (report: Report<Progress>, ...args: Args) => Promise<Answer | null>;
  stop: () => Promise<unknown>;
  onFailure?: OnFailure;
};

/** One long request at a time: a run while another is under way does nothing. */
export class Job<Args extends readonly unknown[], Answer, Progress> {
  /** The last answer; a stopped run keeps the previous one. */
  data = $state.raw<Answer | null>(null);
  readonly #parts: JobParts<Args, Answer, Progress>;
  #error = $state.raw<ErrorInfo | null>(null);
  #progress = $state.raw<Progress | null>(null);
  #isRunning = $state(false);
  #isStopping = $state(false);

  constructor(parts: JobParts<Args, Answer, Progress>) {
    this.#parts = parts;
  }

  /** Why the last run failed, until the next one starts. */
  get error(): ErrorInfo | null {
    return this.#error;
  }

  /** Null until it is known, and while nothing runs. */
  get progress(): Progress | null {
    return this.#progress;
  }

  get isRunning(): boolean {
    return this.#isRunning;
  }

  get isStopping(): boolean {
    return this.#isStopping;
  }

  /** Returns true if `data` is the answer of this run, false if it failed, was stopped or did not start. */
  async run(...args: Args): Promise<boolean> {
    if (this.#isRunning) return false;
    this.#isRunning = true;
    this.#error = null;
    let isOver = false;
    const report: Report<Progress> = (progress) => {
      if (!isOver) this.#progress = progress;
    };
    try {
      const answer = await this.#parts.work(report, ...args);
      if (answer !== null) this.data = answer;
      return answer !== null;
    } catch (error) {
      if (this.#parts.onFailure === "drop") this.data = null;
      this.#error = toErrorInfo(error);
      return false;
    } finally {
      isOver = true;
      this.#progress = null;
      this.#isRunning = false;
      this.#isStopping = false;
    }
  }

  /** Asks the engine to stop; the run ends with what `work` answers. */
  stop(): void {
    if (!this.#isRunning) return;
    this.#isStopping = true;
    // A run that cannot be stopped continues and shows its progress again.
    this.#parts.stop().catch(() => (this.#isStopping = false));
  }

  dismissError(): void {
    this.#error = null;
  }
}

/** Work that ends sooner shows no progress. */
const SHOWN_AFTER_MS = 300;

/** The progress, and the stop, of long work that begins inside another request. */
export class ProgressWatch<Progress> {
  readonly #source: ProgressSource<Progress>;
  readonly #stop: () => Promise<unknown>;
  #progress = $state.raw<Progress | null>(null);
  #isStopping = $state(false);

  constructor(source: ProgressSource<Progress>, stop: () => Promise<unknown>) {
    this.#source = source;
    this.#stop = stop;
  }

  /** Null until it is known, and while nothing is under way. */
  get progress(): Progress | null {
    return this.#progress;
  }

  get isStopping(): boolean {
    return this.#isStopping;
  }

  stop(): void {
    this.#isStopping = true;
    this.#stop().catch(() => (this.#isStopping = false));
  }

  /** Follows the progress while `underWay` names something, until the returned function is called. */
  follow(underWay: () => object | null): () => void {
    return $effect.root(() => {
      const followed = $derived(underWay());
      $effect(() => {
        if (followed === null) return;
        let end: () => void = () => undefined;
        const timer = setTimeout(() => {
          end = this.#source((progress) => (this.#progress = progress));
        }, SHOWN_AFTER_MS);
        return () => {
          clearTimeout(timer);
          end();
          this.#progress = null;
          this.#isStopping = false;
        };
      });
    });
  }
}
