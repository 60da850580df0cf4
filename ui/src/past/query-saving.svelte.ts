import type { Backend } from "../api/backend";
import { Call } from "../shared/call.svelte";
import type { ErrorInfo, SavedQueries } from "../api/bindings";

/** Writes past questions as a query set to a place that the user chooses. */
export class QuerySaving {
  readonly #save: Call<[], SavedQueries | null>;

  constructor(backend: Pick<Backend, "savePastQueries">) {
    this.#save = new Call(async () => (await backend.savePastQueries()) ?? this.#save.data);
  }

  /** Path to which they were written last. */
  get path(): string | null {
    return this.#save.data?.path ?? null;
  }

  /** What was left out of them, a sentence each. */
  get notices(): readonly string[] {
    return this.#save.data?.notices ?? [];
  }

  /** A dialog is open. */
  get isBusy(): boolean {
    return this.#save.isRunning;
  }

  get error(): ErrorInfo | null {
    return this.#save.error;
  }

  async save(): Promise<void> {
    if (this.#save.isRunning) return;
    this.#save.dismissError();
    await this.#save.run();
  }
}
