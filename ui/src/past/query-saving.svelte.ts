import type { Backend } from "../api/backend";
import type { ErrorInfo } from "../api/bindings";
import { toErrorInfo } from "../api/errors";

/** Past questions, written as a query set where the person says. */
export class QuerySaving {
  readonly #backend: Pick<Backend, "savePastQueries">;
  #path = $state<string | null>(null);
  #isBusy = $state(false);
  #error = $state.raw<ErrorInfo | null>(null);

  constructor(backend: Pick<Backend, "savePastQueries">) {
    this.#backend = backend;
  }

  /** Where they were written last. */
  get path(): string | null {
    return this.#path;
  }

  /** A dialog is open. */
  get isBusy(): boolean {
    return this.#isBusy;
  }

  get error(): ErrorInfo | null {
    return this.#error;
  }

  async save(): Promise<void> {
    if (this.#isBusy) return;
    this.#isBusy = true;
    this.#error = null;
    try {
      this.#path = (await this.#backend.savePastQueries()) ?? this.#path;
    } catch (error) {
      this.#error = toErrorInfo(error);
    } finally {
      this.#isBusy = false;
    }
  }
}
