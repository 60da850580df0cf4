import type { Backend } from "../api/backend";
import type { Columns, Params, Reranked, RerankMode } from "../api/bindings";
import { usesReranker } from "./rerank-columns";

/** What is being asked for. */
export type Asked = {
  /** 0 where only the hook is asked. */
  nScores: number;
  by: Exclude<RerankMode, "off"> | "hook";
  /** After so many milliseconds the call is given up. */
  timeoutMs: number;
  /** Whether it is asked once more because it was still being loaded when the call before was given up. */
  isLoading: boolean;
};

/**
 * The call to the reranker and the hook that is under way, of which there is one at most: a newer one ends it.
 *
 * It asks only when the search requests it.
 */
export class RerankAsking {
  readonly #backend: Backend;
  #underWay = $state.raw<Asked | null>(null);
  #isCancelling = $state(false);
  /** Counts calls; the answer to the last one alone counts. */
  #nAsked = 0;

  constructor(backend: Backend) {
    this.#backend = backend;
  }

  /** Null while nobody is asked. */
  get underWay(): Asked | null {
    return this.#underWay;
  }

  get isCancelling(): boolean {
    return this.#isCancelling;
  }

  /**
   * Asks for what `columns`, ranked by `params`, lack; once more where `isLoading`, that is where the answer before said
   * so. Null when a newer call took its place or it was dropped.
   */
  async ask(search: number, params: Params, columns: Columns, isLoading = false): Promise<Reranked | null> {
    const asked = ++this.#nAsked;
    this.#underWay = { ...askedBy(params, columns), isLoading };
    this.#isCancelling = false;
    try {
      const answer = await this.#backend.rerank(search, params);
      return asked === this.#nAsked ? answer : null;
    } catch (error) {
      if (asked !== this.#nAsked) return null;
      throw error;
    } finally {
      if (asked === this.#nAsked) this.#underWay = null;
    }
  }

  /** Ends the call; it answers with what has come. */
  cancel(): void {
    if (this.#underWay === null || this.#isCancelling) return;
    this.#isCancelling = true;
    this.#end();
  }

  /** Ends the call and forgets its answer. */
  drop(): void {
    if (this.#underWay === null) return;
    this.#nAsked++;
    this.#underWay = null;
    this.#end();
  }

  #end(): void {
    // A call that cannot be ended runs into its timeout.
    this.#backend.cancelRerank().catch(() => undefined);
  }
}

function askedBy(params: Params, columns: Columns): Omit<Asked, "isLoading"> {
  const nScores = columns.n_pending;
  const isReranking = usesReranker(params) && (nScores > 0 || !columns.hook_pending);
  return isReranking && params.rerank !== "off"
    ? { nScores, by: params.rerank, timeoutMs: params.rerank_timeout_ms }
    : { nScores: 0, by: "hook", timeoutMs: params.hook_timeout_ms };
}
