import type { Backend } from "../api/backend";
import type { ErrorInfo, LibraryState } from "../api/bindings";
import { Actions } from "../shared/call.svelte";
import { chosenEditor } from "../shared/editor";
import { Paced } from "../shared/paced";

const MS_PER_SECOND = 1_000;
/** Minimum interval between notifications of views: while notes are indexed, several generations come each second. */
const REPORT_MS = 1_000;

/** What Memlens knows, as the whole window shows it: the watched folders, the index and its progress. */
export class LibraryController {
  readonly #backend: Backend;
  readonly #actions = new Actions();
  #state = $state.raw<LibraryState | null>(null);
  /** Notices that the user has closed; one that recurs after it was over is shown again. */
  #closed = $state.raw<readonly string[]>([]);
  #retry_s = $state<number | null>(null);
  #generation = $state<number | null>(null);
  #generationAtRest = $state<number | null>(null);
  readonly #reporting = new Paced(REPORT_MS, () => (this.#generation = this.#state?.generation ?? null));
  #retryTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(backend: Backend) {
    this.#backend = backend;
  }

  /** Null until the engine has answered for the first time. */
  get state(): LibraryState | null {
    return this.#state;
  }

  /** The library's generation, which triggers reloading, updated at most once a second; null until the engine has answered. */
  get generation(): number | null {
    return this.#generation;
  }

  /** The last generation at which nothing was being indexed, for reloads that are too expensive at each one; null before that. */
  get generationAtRest(): number | null {
    return this.#generationAtRest;
  }

  /** Why the last request failed; a later success clears it. */
  get error(): ErrorInfo | null {
    return this.#actions.error;
  }

  /** Notices that the user has not closed. */
  get notices(): string[] {
    return this.#state?.notices.filter((notice) => !this.#closed.includes(notice)) ?? [];
  }

  /** Seconds until indexing, which failed, is tried again; 0 while it is being tried, null if nothing failed. */
  get retry_s(): number | null {
    return this.#retry_s;
  }

  closeNotice(notice: string): void {
    this.#closed = [...this.#closed, notice];
  }

  /** Follows the library's events until the returned function is called. */
  follow(): () => void {
    const stop = this.#backend.onState((state) => this.#take(state));
    return () => {
      stop();
      clearTimeout(this.#retryTimer);
      this.#reporting.stop();
    };
  }

  /** Requests the state again; resolves when it has arrived or failed (see `error`). */
  async refresh(): Promise<void> {
    await this.#actions.run(async () => {
      this.#take(await this.#backend.state());
    });
  }

  /** Has a library that could not be opened tried once more; resolves as `refresh` does. */
  async openAgain(): Promise<void> {
    await this.#actions.run(async () => {
      this.#take(await this.#backend.openAgain());
    });
  }

  async pauseIndexing(paused: boolean): Promise<void> {
    await this.#actions.run(async () => {
      this.#take(await this.#backend.pauseIndexing(paused));
    });
  }

  /** At a line counted from 1, if the user's editor accepts one. */
  async openInEditor(folder: string, path: string, line: number | null): Promise<void> {
    await this.#actions.run(() => this.#backend.openInEditor(folder, path, line, chosenEditor()));
  }

  /** An empty path is the watched folder itself. */
  async showInFolder(folder: string, path: string): Promise<void> {
    await this.#actions.run(() => this.#backend.showInFolder(folder, path));
  }

  dismissError(): void {
    this.#actions.dismissError();
  }

  #take(state: LibraryState): void {
    // What failed for want of a folder may not fail any more.
    const wasMissing = (id: string) =>
      this.#state?.folders.some((one) => one.id === id && one.status === "missing") === true;
    if (state.folders.some(({ id, status }) => status !== "missing" && wasMissing(id)))
      this.#actions.dismissError();
    // Equal notices are shown once, whatever their source.
    this.#state = { ...state, notices: [...new Set(state.notices)] };
    if (state.generation !== this.#generation) this.#reporting.wish();
    if (state.indexing === null) this.#generationAtRest = state.generation;
    this.#closed = this.#closed.filter((notice) => state.notices.includes(notice));
    clearTimeout(this.#retryTimer);
    this.#retry_s = null;
    if (state.phase.kind === "failed")
      this.#countDown(performance.now() + state.phase.retry_s * MS_PER_SECOND);
  }

  /** Wakes each second until the time of the retry, and not after it: the engine reports its result. */
  #countDown(retryAt: number): void {
    const left = Math.max(0, retryAt - performance.now());
    this.#retry_s = Math.ceil(left / MS_PER_SECOND);
    if (left === 0) return;
    const untilNext = left - (this.#retry_s - 1) * MS_PER_SECOND;
    this.#retryTimer = setTimeout(() => this.#countDown(retryAt), untilNext);
  }
}
