// What the person marked as not decaying, for the Settings view.
import type { Backend } from "../api/backend";
import type { ErrorInfo, FolderTree } from "../api/bindings";
import { toErrorInfo } from "../api/errors";
import { evergreenList, type EvergreenEntry } from "./evergreen-list";

/** The list of what does not decay, and the way to take an entry off it. */
export class EvergreenMarks {
  readonly #backend: Backend;
  #entries = $state.raw<EvergreenEntry[] | null>(null);
  #readError = $state.raw<ErrorInfo | null>(null);
  #removeError = $state.raw<ErrorInfo | null>(null);
  #isBusy = $state(false);
  /** Counts readings; the newest one alone counts. */
  #nRead = 0;

  constructor(backend: Backend) {
    this.#backend = backend;
  }

  /** Null before it was read for the first time. */
  get entries(): EvergreenEntry[] | null {
    return this.#entries;
  }

  /** Why the list could not be changed, until it is; else why it could not be read. */
  get error(): ErrorInfo | null {
    return this.#removeError ?? this.#readError;
  }

  get isBusy(): boolean {
    return this.#isBusy;
  }

  async read(): Promise<void> {
    const asked = ++this.#nRead;
    try {
      const trees = await this.#backend.tree();
      if (asked === this.#nRead) this.#show(trees);
    } catch (error) {
      if (asked === this.#nRead) this.#readError = toErrorInfo(error);
    }
  }

  /** Lets the rule around an entry hold for it as well. */
  async remove({ folder, path, isEvergreen }: EvergreenEntry): Promise<void> {
    if (this.#isBusy) return;
    this.#isBusy = true;
    try {
      const trees = await this.#backend.setEvergreen(folder, path, !isEvergreen);
      // What was asked before may not know of it.
      this.#nRead++;
      this.#show(trees);
      this.#removeError = null;
    } catch (error) {
      this.#removeError = toErrorInfo(error);
    }
    this.#isBusy = false;
  }

  #show(trees: FolderTree[]): void {
    this.#entries = evergreenList(trees);
    this.#readError = null;
  }
}
