import type { Backend } from "../api/backend";
import type { ErrorInfo, LibraryState } from "../api/bindings";
import { toErrorInfo } from "../api/errors";

/** What Memlens knows, as the whole window shows it: the watched folders, the index and its progress. */
export class LibraryController {
  readonly #backend: Backend;
  #state = $state.raw<LibraryState | null>(null);
  #error = $state.raw<ErrorInfo | null>(null);
  /** Notices that the person has closed; one that comes again after it was over is shown again. */
  #closed = $state.raw<readonly string[]>([]);

  constructor(backend: Backend) {
    this.#backend = backend;
  }

  /** Null until the engine has answered for the first time. */
  get state(): LibraryState | null {
    return this.#state;
  }

  /** What the last request came to grief on; a later success clears it. */
  get error(): ErrorInfo | null {
    return this.#error;
  }

  /** What the person should be told and has not closed. */
  get notices(): string[] {
    return this.#state?.notices.filter((notice) => !this.#closed.includes(notice)) ?? [];
  }

  closeNotice(notice: string): void {
    this.#closed = [...this.#closed, notice];
  }

  /** Follows the library's events until the returned function is called. */
  follow(): () => void {
    return this.#backend.onState((state) => this.#take(state));
  }

  /** Asks for the state anew; resolves when it is there, or when it could not be had (see `error`). */
  async refresh(): Promise<void> {
    await this.#ask(async () => {
      this.#take(await this.#backend.state());
    });
  }

  async pauseIndexing(paused: boolean): Promise<void> {
    await this.#ask(async () => {
      this.#take(await this.#backend.pauseIndexing(paused));
    });
  }

  async openInEditor(folder: string, path: string): Promise<void> {
    await this.#ask(() => this.#backend.openInEditor(folder, path));
  }

  dismissError(): void {
    this.#error = null;
  }

  #take(state: LibraryState): void {
    // The same words are told once, whoever says them.
    this.#state = { ...state, notices: [...new Set(state.notices)] };
    this.#closed = this.#closed.filter((notice) => state.notices.includes(notice));
  }

  async #ask(request: () => Promise<void>): Promise<void> {
    try {
      await request();
      this.#error = null;
    } catch (error) {
      this.#error = toErrorInfo(error);
    }
  }
}
