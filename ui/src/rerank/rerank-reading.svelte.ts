import type { Backend } from "../api/backend";
import type { ErrorInfo, Heat, Params, RerankTime, SentText } from "../api/bindings";
import { Call } from "../shared/call.svelte";

/** The user's calls to rerankers, read when somebody looks at them. */
export class RerankCalls {
  readonly #backend: Backend;
  #calls = $state.raw<readonly RerankTime[]>([]);

  constructor(backend: Backend) {
    this.#backend = backend;
  }

  /** Newest first. */
  get calls(): readonly RerankTime[] {
    return this.#calls;
  }

  /** Reads them again; what cannot be read leaves those that are there. */
  async read(): Promise<void> {
    try {
      this.#calls = await this.#backend.rerankCalls();
    } catch {
      // The workbench shows no times then; reranking itself does not hang on them.
    }
  }
}

type Read = { texts: readonly SentText[]; heat: Heat | null };

/** The texts of rows as the reranker gets them, and where one was read closely, its heat. */
export class RerankTexts {
  readonly #backend: Backend;
  readonly #reading = new Call((read: () => Promise<Read>) => read());

  constructor(backend: Backend) {
    this.#backend = backend;
  }

  /** In the order asked for; null while they are not there. */
  get texts(): readonly SentText[] | null {
    return this.#reading.data?.texts ?? null;
  }

  /** `null` until it is loaded, and for a reranker that does not report it. */
  get heat(): Heat | null {
    return this.#reading.data?.heat ?? null;
  }

  /** Why they could not be read. */
  get error(): ErrorInfo | null {
    return this.#reading.error;
  }

  /** Reads the texts of rows. */
  async read(search: number, params: Params, slots: number[]): Promise<void> {
    await this.#reading.run(async () => ({
      texts: await this.#backend.rerankPreview(search, params, slots),
      heat: null,
    }));
  }

  /** Reads one row's text, with its heat where `hasHeat`. Until it is there nothing of another row shows. */
  async readRow(search: number, params: Params, slot: number, hasHeat: boolean): Promise<void> {
    const before = this.#reading.data;
    if (before?.texts[0]?.slot !== slot) this.#reading.data = null;
    else if (!hasHeat) this.#reading.data = { ...before, heat: null };
    await this.#reading.run(async () => {
      const [texts, heat] = await Promise.all([
        this.#backend.rerankPreview(search, params, [slot]),
        hasHeat ? this.#backend.rerankHeat(search, params, slot) : null,
      ]);
      return { texts, heat };
    });
  }
}
