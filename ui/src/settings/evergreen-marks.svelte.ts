// What the person marked as not decaying, for the Settings view.
import type { Backend } from "../api/backend";
import type { ErrorInfo } from "../api/bindings";
import { toErrorInfo } from "../api/errors";
import { evergreenList, type EvergreenEntry } from "./evergreen-list";

/** The list of what does not decay, and the way to take an entry off it. */
export class EvergreenMarks {
  readonly #backend: Backend;
  #entries = $state.raw<EvergreenEntry[] | null>(null);
  #error = $state.raw<ErrorInfo | null>(null);
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

  /** Why the list could not be read or changed. */
  get error(): ErrorInfo | null {
    return this.#error;
  }

  get isBusy(): boolean {
    return this.#isBusy;
  }

  async read(): Promise<void> {
    await this.#take(() => this.#backend.tree());
  }

  /** Lets the rule around an entry hold for it as well. */
  async remove({ folder, path, isEvergreen }: EvergreenEntry): Promise<void> {
    if (this.#isBusy) return;
    this.#isBusy = true;
    await this.#take(() => this.#backend.setEvergreen(folder, path, !isEvergreen));
    this.#isBusy = false;
  }

  async #take(ask: () => ReturnType<Backend["tree"]>): Promise<void> {
    const asked = ++this.#nRead;
    try {
      const trees = await ask();
      if (asked !== this.#nRead) return;
      this.#entries = evergreenList(trees);
      this.#error = null;
    } catch (error) {
      if (asked === this.#nRead) this.#error = toErrorInfo(error);
    }
  }
}
