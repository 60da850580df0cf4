// The setting of another program that comes nearest to the sliders, on judged queries. It is looked for by the person alone.
import type { Backend } from "../api/backend";
import type { ErrorInfo, NearestSetting, QuerySetProgress, Ranking } from "../api/bindings";
import { toErrorInfo } from "../api/errors";
import { looks } from "../shared/looks";

type Asked = Pick<Backend, "chooseQueries" | "nearestSetting" | "compareProgress" | "stopCompare">;

export class NearestSearch {
  readonly #backend: Asked;
  #found = $state.raw<NearestSetting | null>(null);
  /** What it was found for. */
  #wish = $state("");
  #progress = $state.raw<QuerySetProgress | null>(null);
  #isRunning = $state(false);
  #error = $state.raw<ErrorInfo | null>(null);

  constructor(backend: Asked) {
    this.#backend = backend;
  }

  get progress(): QuerySetProgress | null {
    return this.#progress;
  }
  get isRunning(): boolean {
    return this.#isRunning;
  }
  get error(): ErrorInfo | null {
    return this.#error;
  }

  /** What was found for these; null where nothing was. */
  foundFor(ranking: Ranking, target: string): NearestSetting | null {
    return this.#wish === wish(ranking, target) ? this.#found : null;
  }

  /** Lets the person choose a query set, and tries settings on it. */
  async find(ranking: Ranking, target: string): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#error = null;
    const stopLooking = looks(
      () => this.#backend.compareProgress(),
      (progress) => (this.#progress = progress),
    );
    try {
      if ((await this.#backend.chooseQueries()) !== null) {
        const found = await this.#backend.nearestSetting(ranking, target);
        if (found !== null) {
          this.#found = found;
          this.#wish = wish(ranking, target);
        }
      }
    } catch (error) {
      this.#error = toErrorInfo(error);
      this.#found = null;
    }
    stopLooking();
    this.#progress = null;
    this.#isRunning = false;
  }

  cancel(): void {
    this.#backend.stopCompare().catch(() => undefined);
  }
}

function wish(ranking: Ranking, target: string): string {
  return JSON.stringify([ranking, target]);
}
