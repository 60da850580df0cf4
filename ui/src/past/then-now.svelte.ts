import type { Backend } from "../api/backend";
import type { ErrorInfo, Ranking, ThenNow } from "../api/bindings";
import { toErrorInfo } from "../api/errors";
import { NewestOnly } from "../shared/newest-only";

/** The opened question's answer then and now. While the keys run through the list, only the last is asked for. */
export class ThenNowReading {
  readonly #backend: Pick<Backend, "thenNow">;
  readonly #loop = new NewestOnly(() => this.#readOnce());
  #wanted = $state.raw<{ id: string; by: Ranking | null } | null>(null);
  #read = $state.raw<{ id: string; answer: ThenNow } | null>(null);
  #failed = $state.raw<{ id: string; error: ErrorInfo } | null>(null);
  /** What was asked last: the question, the ranking, and the library's generation. */
  #asked = "";

  constructor(backend: Pick<Backend, "thenNow">) {
    this.#backend = backend;
  }

  /** The answer of the question that is wanted; null while it is not there. */
  get answer(): ThenNow | null {
    return this.#read !== null && this.#read.id === this.#wanted?.id ? this.#read.answer : null;
  }

  /** What is waited for; null while nothing is. */
  get wanted(): object | null {
    return this.answer === null && this.error === null ? this.#wanted : null;
  }

  get error(): ErrorInfo | null {
    return this.#failed !== null && this.#failed.id === this.#wanted?.id ? this.#failed.error : null;
  }

  /** Asks for a question, ranked by the agent's own pipeline where `by` is null; what was asked already is not. */
  show(id: string | null, by: Ranking | null, generation: number | null): void {
    const wish = JSON.stringify([id, by, generation]);
    if (wish === this.#asked) return;
    this.#asked = wish;
    this.#wanted = id === null ? null : { id, by };
    if (id !== null) this.#loop.wish();
  }

  async #readOnce(): Promise<void> {
    const wanted = this.#wanted;
    if (wanted === null) return;
    try {
      const answer = await this.#backend.thenNow(wanted.id, wanted.by);
      if (wanted !== this.#wanted) return;
      this.#read = { id: wanted.id, answer };
      this.#failed = null;
    } catch (error) {
      if (wanted === this.#wanted) this.#failed = { id: wanted.id, error: toErrorInfo(error) };
    }
  }
}
