import type { Backend } from "../api/backend";
import type { ChosenQueries, ErrorInfo, QueryChange, QuerySetProgress, SetComparison } from "../api/bindings";
import { toErrorInfo } from "../api/errors";
import { looks } from "../shared/looks";
import { rankingOf, type Choice } from "./choices";

type Calls = Pick<Backend, "chooseQueries" | "compareQueries" | "compareProgress" | "stopCompare">;

/** By how much B answers a query better than A. */
export function changeOf(query: QueryChange): number {
  return query.b["ndcg@10"] - query.a["ndcg@10"];
}

/** The queries that change most, the best changes first. */
export function mostChanged(queries: readonly QueryChange[], most: number): QueryChange[] {
  return queries
    .filter((query) => changeOf(query) !== 0)
    .toSorted((a, b) => Math.abs(changeOf(b)) - Math.abs(changeOf(a)))
    .slice(0, most)
    .toSorted((a, b) => changeOf(b) - changeOf(a));
}

/** A query set that the person chose, and what two rankings make of it. It is asked by the person alone. */
export class QuerySetRun {
  readonly #backend: Calls;
  #chosen = $state.raw<ChosenQueries | null>(null);
  #comparison = $state.raw<SetComparison | null>(null);
  /** What the comparison is of. */
  #compared = $state("");
  #progress = $state.raw<QuerySetProgress | null>(null);
  #isRunning = $state(false);
  #isCancelling = $state(false);
  #error = $state.raw<ErrorInfo | null>(null);

  constructor(backend: Calls) {
    this.#backend = backend;
  }

  get chosen(): ChosenQueries | null {
    return this.#chosen;
  }

  get progress(): QuerySetProgress | null {
    return this.#progress;
  }

  get isRunning(): boolean {
    return this.#isRunning;
  }

  get isCancelling(): boolean {
    return this.#isCancelling;
  }

  get error(): ErrorInfo | null {
    return this.#error;
  }

  /** What these two make of the query set; null where that was not asked. */
  comparisonOf(a: Choice, b: Choice): SetComparison | null {
    return this.#compared === wish(a, b) ? this.#comparison : null;
  }

  /** Lets the person choose a query set, and asks it of both. */
  async choose(a: Choice, b: Choice): Promise<void> {
    try {
      const chosen = await this.#backend.chooseQueries();
      if (chosen === null) return;
      this.#chosen = chosen;
      this.#comparison = null;
    } catch (error) {
      this.#error = toErrorInfo(error);
      return;
    }
    await this.run(a, b);
  }

  /** Asks every query of both. */
  async run(a: Choice, b: Choice): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#error = null;
    const stopLooking = looks(
      () => this.#backend.compareProgress(),
      (progress) => (this.#progress = progress),
    );
    try {
      const comparison = await this.#backend.compareQueries(rankingOf(a), rankingOf(b));
      if (comparison !== null) {
        this.#comparison = comparison;
        this.#compared = wish(a, b);
      }
    } catch (error) {
      this.#error = toErrorInfo(error);
      this.#comparison = null;
    }
    stopLooking();
    this.#progress = null;
    this.#isRunning = false;
    this.#isCancelling = false;
  }

  /** Ends the comparison; what was there before stays. */
  cancel(): void {
    this.#isCancelling = true;
    this.#backend.stopCompare().catch(() => (this.#isCancelling = false));
  }
}

function wish(a: Choice, b: Choice): string {
  return JSON.stringify([rankingOf(a), rankingOf(b)]);
}
