// What the user marked as not decaying, for the Settings view.
import type { Backend } from "../api/backend";
import type { ErrorInfo } from "../api/bindings";
import { Actions, Call } from "../shared/call.svelte";
import { evergreenList, type EvergreenEntry } from "./evergreen-list";

/** The list of what does not decay, and the way to take an entry off it. */
export class EvergreenMarks {
  readonly #backend: Backend;
  readonly #reading: Call<[], EvergreenEntry[]>;
  readonly #removing = new Actions();

  constructor(backend: Backend) {
    this.#backend = backend;
    this.#reading = new Call(async () => evergreenList(await backend.tree()));
  }

  /** Null before it was read for the first time. */
  get entries(): EvergreenEntry[] | null {
    return this.#reading.data;
  }

  /** Why the list could not be changed, until it is; else why it could not be read. */
  get error(): ErrorInfo | null {
    return this.#removing.error ?? this.#reading.error;
  }

  get isBusy(): boolean {
    return this.#removing.isRunning;
  }

  async read(): Promise<void> {
    await this.#reading.run();
  }

  /** Applies the surrounding rule to an entry. */
  async remove({ folder, path, isEvergreen }: EvergreenEntry): Promise<void> {
    if (this.#removing.isRunning) return;
    await this.#removing.run(async () => {
      const trees = await this.#backend.setEvergreen(folder, path, !isEvergreen);
      // What was asked before may not know of it.
      this.#reading.reset();
      this.#reading.data = evergreenList(trees);
    });
  }
}
