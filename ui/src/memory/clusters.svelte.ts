import type { Backend } from "../api/backend";
import type { ClusterReport, ClustersAnswer, ErrorInfo, Params } from "../api/bindings";
import { toErrorInfo } from "../api/errors";

/** How often the time of a pass that is under way moves on. */
const TICK_MS = 100;

/** What is said more than once: what the last pass over all observations found, and a pass on demand. */
export class Clusters {
  readonly #backend: Backend;
  #answer = $state.raw<ClustersAnswer | null>(null);
  #error = $state.raw<ErrorInfo | null>(null);
  #passing_ms = $state<number | null>(null);
  #asked = 0;

  constructor(backend: Backend) {
    this.#backend = backend;
  }

  /** null before the first pass. */
  get report(): ClusterReport | null {
    return this.#answer?.report ?? null;
  }
  /** How many observations the library holds; null before it is known. */
  get n_observations(): number | null {
    return this.#answer?.n_observations ?? null;
  }
  /** Something changed since the pass. */
  get isStale(): boolean {
    return this.#answer?.is_stale ?? false;
  }
  get error(): ErrorInfo | null {
    return this.#error;
  }
  /** For how long a pass has been under way; null while there is none. */
  get passing_ms(): number | null {
    return this.#passing_ms;
  }

  /** Reads what the last pass found, by the distance that `params` name; of one folder, or of all. */
  read(params: Params, folder: string | null): Promise<void> {
    return this.#take(() => this.#backend.clusters(params, folder));
  }

  /** Passes over all observations now. One pass at a time. */
  async pass(params: Params, folder: string | null): Promise<void> {
    if (this.#passing_ms !== null) return;
    const started = performance.now();
    this.#passing_ms = 0;
    const ticking = setInterval(() => (this.#passing_ms = performance.now() - started), TICK_MS);
    try {
      await this.#take(() => this.#backend.aggregate(params, folder));
    } finally {
      clearInterval(ticking);
      this.#passing_ms = null;
    }
  }

  /** The newest answer wins. */
  async #take(ask: () => Promise<ClustersAnswer>): Promise<void> {
    const asked = ++this.#asked;
    try {
      const answer = await ask();
      if (asked !== this.#asked) return;
      this.#answer = answer;
      this.#error = null;
    } catch (error) {
      if (asked === this.#asked) this.#error = toErrorInfo(error);
    }
  }
}
