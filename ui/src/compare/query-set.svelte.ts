import type { Backend } from "../api/backend";
import type { ErrorInfo, QueryChange, QuerySetInfo, QuerySetProgress, SetComparison } from "../api/bindings";
import { Job, reporting, type Report } from "../shared/job.svelte";
import { rankingOf, type Choice } from "./choices";

type Calls = Pick<Backend, "compareQueries" | "onProgress" | "stop">;

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

/** What two rankings make of a query set, which two, and of which version of which set. */
type Compared = { comparison: SetComparison; wish: string };

/** The results of two rankings over a query set. It only runs at the user's request. */
export class QuerySetRun {
  readonly #comparing: Job<[set: QuerySetInfo, a: Choice, b: Choice], Compared, QuerySetProgress>;

  constructor(backend: Calls) {
    this.#comparing = new Job({
      work: (report: Report<QuerySetProgress>, set: QuerySetInfo, a: Choice, b: Choice) =>
        reporting(
          (report) => backend.onProgress("compare", report),
          report,
          async () => {
            const comparison = await backend.compareQueries(set.id, rankingOf(a), rankingOf(b));
            return comparison === null ? null : { comparison, wish: wish(set, a, b) };
          },
        ),
      stop: () => backend.stop("compare"),
      onFailure: "drop",
    });
  }

  get progress(): QuerySetProgress | null {
    return this.#comparing.progress;
  }

  get isRunning(): boolean {
    return this.#comparing.isRunning;
  }

  get isStopping(): boolean {
    return this.#comparing.isStopping;
  }

  get error(): ErrorInfo | null {
    return this.#comparing.error;
  }

  /** Results of these two over the set as it is; null if they were not compared. */
  comparisonOf(set: QuerySetInfo | null, a: Choice, b: Choice): SetComparison | null {
    const compared = this.#comparing.data;
    return set !== null && compared?.wish === wish(set, a, b) ? compared.comparison : null;
  }

  /** Asks every query of both. */
  async run(set: QuerySetInfo, a: Choice, b: Choice): Promise<void> {
    await this.#comparing.run(set, a, b);
  }

  /** Ends the comparison; what was there before stays. */
  stop(): void {
    this.#comparing.stop();
  }
}

function wish({ id, hash }: QuerySetInfo, a: Choice, b: Choice): string {
  return JSON.stringify([id, hash, rankingOf(a), rankingOf(b)]);
}
