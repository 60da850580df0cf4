import type { Backend } from "../api/backend";
import type { ErrorInfo, HistoryKept } from "../api/bindings";
import { Actions, Call } from "../shared/call.svelte";

type Calls = Pick<Backend, "historyKept" | "keepHistory">;

/** Whether what notes said before is saved, and how much of it. */
export class HistoryKeeping {
  readonly #backend: Calls;
  readonly #reading: Call<[], HistoryKept>;
  readonly #changing = new Actions();

  constructor(backend: Calls) {
    this.#backend = backend;
    this.#reading = new Call(() => backend.historyKept());
  }

  /** null until it is known. */
  get kept(): HistoryKept | null {
    return this.#reading.data;
  }
  get isBusy(): boolean {
    return this.#changing.isRunning;
  }
  get error(): ErrorInfo | null {
    return this.#changing.error ?? this.#reading.error;
  }

  async read(): Promise<void> {
    await this.#reading.run();
  }

  /** `false` also deletes what is saved. */
  async keep(isKept: boolean): Promise<void> {
    await this.#changing.run(async () => {
      const kept = await this.#backend.keepHistory(isKept);
      // A read that began before would show the old state.
      this.#reading.drop();
      this.#reading.data = kept;
    });
  }
}
