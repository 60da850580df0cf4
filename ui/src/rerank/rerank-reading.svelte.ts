import type { Backend } from "../api/backend";
import type { ErrorInfo, Heat, Params, RerankTime, SentText } from "../api/bindings";
import { toErrorInfo } from "../api/errors";

/** The person's calls to rerankers, read when somebody looks at them. */
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

  /** Reads them anew; what cannot be read leaves those that are there. */
  async read(): Promise<void> {
    try {
      this.#calls = await this.#backend.rerankCalls();
    } catch {
      // The workbench shows no times then; reranking itself does not hang on them.
    }
  }
}

/** The texts of rows as the reranker gets them, and where one was read closely, its heat. */
export class RerankTexts {
  readonly #backend: Backend;
  #texts = $state.raw<readonly SentText[] | null>(null);
  #heat = $state.raw<Heat | null>(null);
  #error = $state.raw<ErrorInfo | null>(null);
  #nAsked = 0;

  constructor(backend: Backend) {
    this.#backend = backend;
  }

  /** In the order asked for; null while they are not there. */
  get texts(): readonly SentText[] | null {
    return this.#texts;
  }

  /** Null while it is not there, and for a reranker that cannot tell. */
  get heat(): Heat | null {
    return this.#heat;
  }

  /** Why they could not be read. */
  get error(): ErrorInfo | null {
    return this.#error;
  }

  /** Reads the texts of rows. */
  async read(search: number, params: Params, slots: number[]): Promise<void> {
    await this.#ask(async () => ({
      texts: await this.#backend.rerankPreview(search, params, slots),
      heat: null,
    }));
  }

  /** Reads one row's text, with its heat where `hasHeat`. Until it is there nothing of another row shows. */
  async readRow(search: number, params: Params, slot: number, hasHeat: boolean): Promise<void> {
    if (this.#texts?.[0]?.slot !== slot) this.#texts = null;
    if (this.#texts === null || !hasHeat) this.#heat = null;
    await this.#ask(async () => {
      const [texts, heat] = await Promise.all([
        this.#backend.rerankPreview(search, params, [slot]),
        hasHeat ? this.#backend.rerankHeat(search, params, slot) : null,
      ]);
      return { texts, heat };
    });
  }

  async #ask(read: () => Promise<{ texts: readonly SentText[]; heat: Heat | null }>): Promise<void> {
    const asked = ++this.#nAsked;
    try {
      const { texts, heat } = await read();
      if (asked !== this.#nAsked) return;
      this.#texts = texts;
      this.#heat = heat;
      this.#error = null;
    } catch (error) {
      if (asked === this.#nAsked) this.#error = toErrorInfo(error);
    }
  }
}
