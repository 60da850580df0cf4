import type { Backend } from "../api/backend";
import type { ErrorInfo, LibraryState } from "../api/bindings";
import { Actions } from "../shared/call.svelte";
import { chosenEditor } from "../shared/editor";
import { Paced } from "../shared/paced";

const MS_PER_SECOND = 1_000;
/** How often views are told of a new generation: while notes are indexed, several come each second. */
const TELL_MS = 1_000;

/** What Memlens knows, as the whole window shows it: the watched folders, the index and its progress. */
export class LibraryController {
  readonly #backend: Backend;
  readonly #actions = new Actions();
  #state = $state.raw<LibraryState | null>(null);
  /** Notices that the person has closed; one that comes again after it was over is shown again. */
  #closed = $state.raw<readonly string[]>([]);
  #retry_s = $state<number | null>(null);
  #generation = $state<number | null>(null);
  #generationAtRest = $state<number | null>(null);
  readonly #telling = new Paced(TELL_MS, () => (this.#generation = this.#state?.generation ?? null));
  #retryTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(backend: Backend) {
    this.#backend = backend;
  }

  /** Null until the engine has answered for the first time. */
  get state(): LibraryState | null {
    return this.#state;
  }

  /** The library's generation for what is read anew with it, told at most once a second; null until the engine has answered. */
  get generation(): number | null {
    return this.#generation;
  }

  /** The generation that the library last had while nothing was indexed, for what is too dear to be done at each; null before that. */
  get generationAtRest(): number | null {
    return this.#generationAtRest;
  }

  /** What the last request came to grief on; a later success clears it. */
  get error(): ErrorInfo | null {
    return this.#actions.error;
  }

  /** What the person should be told and has not closed. */
  get notices(): string[] {
    return this.#state?.notices.filter((notice) => !this.#closed.includes(notice)) ?? [];
  }

  /** Seconds until indexing, which failed, is tried again; 0 while it is being tried, null where nothing failed. */
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
      this.#telling.stop();
    };
  }

  /** Asks for the state anew; resolves when it is there, or when it could not be had (see `error`). */
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

  /** At a line counted from 1, where the person's editor takes one. */
  async openInEditor(folder: string, path: string, line: number | null): Promise<void> {
    await this.#actions.run(() => this.#backend.openInEditor(folder, path, line, chosenEditor()));
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
    // The same words are told once, whoever says them.
    this.#state = { ...state, notices: [...new Set(state.notices)] };
    if (state.generation !== this.#generation) this.#telling.wish();
    if (state.indexing === null) this.#generationAtRest = state.generation;
    this.#closed = this.#closed.filter((notice) => state.notices.includes(notice));
    clearTimeout(this.#retryTimer);
    this.#retry_s = null;
    if (state.phase.kind === "failed")
      this.#countDown(performance.now() + state.phase.retry_s * MS_PER_SECOND);
  }

  /** Wakes each second until the moment to try again, and not after it: the engine tells what came of it. */
  #countDown(retryAt: number): void {
    const left = Math.max(0, retryAt - performance.now());
    this.#retry_s = Math.ceil(left / MS_PER_SECOND);
    if (left === 0) return;
    const untilNext = left - (this.#retry_s - 1) * MS_PER_SECOND;
    this.#retryTimer = setTimeout(() => this.#countDown(retryAt), untilNext);
  }
}
