// The download of a model: at most one runs at a time, whatever it is for.
import type { Backend } from "../api/backend";
import type { DownloadProgress, ErrorInfo } from "../api/bindings";
import { Actions } from "../shared/call.svelte";

/** The download of a model that is under way or ended last. */
export class ModelDownload {
  readonly #backend: Pick<Backend, "onProgress" | "stop">;
  readonly #start: (name: string) => Promise<unknown>;
  readonly #onFinished: () => void;
  /** Begins and cancels downloads. */
  readonly #actions = new Actions();
  #progress = $state.raw<DownloadProgress | null>(null);

  /** `start` begins the download of a model; `onFinished` is called after each, successful or not. */
  constructor(
    backend: Pick<Backend, "onProgress" | "stop">,
    start: (name: string) => Promise<unknown>,
    onFinished: () => void,
  ) {
    this.#backend = backend;
    this.#start = start;
    this.#onFinished = onFinished;
  }

  get progress(): DownloadProgress | null {
    return this.#progress;
  }

  get isRunning(): boolean {
    return this.#progress !== null && !this.#progress.finished;
  }

  /** Why it did not begin or could not be cancelled. */
  get error(): ErrorInfo | null {
    return this.#actions.error;
  }

  dismissError(): void {
    this.#actions.dismissError();
  }

  /** Follows downloads until the returned function is called. */
  follow(): () => void {
    return this.#backend.onProgress("download", (progress) => {
      if (progress === null) return;
      this.#progress = progress;
      if (progress.finished) this.#onFinished();
    });
  }

  /** Begins the download of a model, or continues with it. */
  async start(name: string, totalBytes: number): Promise<void> {
    if (this.isRunning) return;
    this.#actions.dismissError();
    this.#progress = {
      ...{ name, done_bytes: 0, total_bytes: totalBytes },
      ...{ error: null, cancelled: false, finished: false },
    };
    if (!(await this.#actions.run(() => this.#start(name)))) this.#progress = null;
  }

  async cancel(): Promise<void> {
    await this.#actions.run(() => this.#backend.stop("download"));
  }

  /** Whether a part of the model came in this session, and the next download continues from there. */
  isPartial(name: string): boolean {
    return this.#progress !== null && this.#progress.name === name && this.#progress.done_bytes > 0;
  }
}
