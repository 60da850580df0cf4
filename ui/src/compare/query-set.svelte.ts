import type { Backend } from "../api/backend";
import type { ChosenQueries, ErrorInfo, QueryChange, QuerySetProgress, SetComparison } from "../api/bindings";
import { Call } from "../shared/call.svelte";
import { Job, reporting, type Report } from "../shared/job.svelte";
import { rankingOf, type Choice } from "./choices";

type Calls = Pick<Backend, "chooseQueries" | "compareQueries" | "onProgress" | "stop">;

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

/** What two rankings make of the query set, and which two. */
type Compared = { comparison: SetComparison; wish: string };

/** The query set that the user chose, and its results for two rankings. It only runs at the user's request. */
export class QuerySetRun {
  readonly #choosing: Call<[], ChosenQueries | null>;
  readonly #comparing: Job<[a: Choice, b: Choice], Compared, QuerySetProgress>;
  #chosen = $state.raw<ChosenQueries | null>(null);

  constructor(backend: Calls) {
    this.#choosing = new Call(() => backend.chooseQueries());
    this.#comparing = new Job({
      work: (report: Report<QuerySetProgress>, a: Choice, b: Choice) =>
        reporting(
          (report) => backend.onProgress("compare", report),
          report,
          async () => {
            const comparison = await backend.compareQueries(rankingOf(a), rankingOf(b));
            return comparison === null ? null : { comparison, wish: wish(a, b) };
          },
        ),
      stop: () => backend.stop("compare"),
      onFailure: "drop",
    });
  }

  get chosen(): ChosenQueries | null {
    return this.#chosen;
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
    return this.#choosing.error ?? this.#comparing.error;
  }

  /** Results of these two over the query set; null if they were not compared. */
  comparisonOf(a: Choice, b: Choice): SetComparison | null {
    const compared = this.#comparing.data;
    return compared?.wish === wish(a, b) ? compared.comparison : null;
  }

  /** Lets the user choose a query set, and runs it with both. */
  async choose(a: Choice, b: Choice): Promise<void> {
    if (this.#choosing.isRunning) return;
    if (!(await this.#choosing.run()) || this.#choosing.data === null) return;
    this.#chosen = this.#choosing.data;
    this.#comparing.data = null;
    await this.run(a, b);
  }

  /** Asks every query of both. */
  async run(a: Choice, b: Choice): Promise<void> {
    this.#choosing.dismissError();
    await this.#comparing.run(a, b);
  }

  /** Ends the comparison; what was there before stays. */
  stop(): void {
    this.#comparing.stop();
  }
}

function wish(a: Choice, b: Choice): string {
  return JSON.stringify([rankingOf(a), rankingOf(b)]);
}
