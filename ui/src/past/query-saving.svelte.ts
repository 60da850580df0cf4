import type { Backend } from "../api/backend";
import { Call } from "../shared/call.svelte";
import type { ErrorInfo } from "../api/bindings";

/** Past questions, written as a query set where the person says. */
export class QuerySaving {
  readonly #save: Call<[], string | null>;

  constructor(backend: Pick<Backend, "savePastQueries">) {
    this.#save = new Call(async () => (await backend.savePastQueries()) ?? this.path);
  }

  /** Where they were written last. */
  get path(): string | null {
    return this.#save.data;
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
