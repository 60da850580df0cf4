import type { Backend } from "../api/backend";
import type { ClusterReport, ClustersAnswer, ErrorInfo, Params } from "../api/bindings";
import { Call } from "../shared/call.svelte";

/** How often the time of a pass that is under way moves on. */
const TICK_MS = 100;

/** What is said more than once: what the last pass over all observations found, and a pass on demand. */
export class Clusters {
  readonly #backend: Backend;
  readonly #asking = new Call((ask: () => Promise<ClustersAnswer>) => ask());
  #passing_ms = $state<number | null>(null);

  constructor(backend: Backend) {
    this.#backend = backend;
  }

  /** null before the first pass. */
  get report(): ClusterReport | null {
    return this.#asking.data?.report ?? null;
  }
  /** How many observations the library holds; null before it is known. */
  get n_observations(): number | null {
    return this.#asking.data?.n_observations ?? null;
  }
  /** Something changed since the pass. */
  get isStale(): boolean {
    return this.#asking.data?.is_stale ?? false;
  }
  get error(): ErrorInfo | null {
    return this.#asking.error;
  }
  /** For how long a pass has been under way; null while there is none. */
  get passing_ms(): number | null {
    return this.#passing_ms;
  }

  /** Reads what the last pass found, by the distance that `params` name; of one folder, or of all. */
  async read(params: Params, folder: string | null): Promise<void> {
    await this.#asking.run(() => this.#backend.clusters(params, folder));
  }

  /** Passes over all observations now. One pass at a time. */
  async pass(params: Params, folder: string | null): Promise<void> {
    if (this.#passing_ms !== null) return;
    const started = performance.now();
    this.#passing_ms = 0;
    const ticking = setInterval(() => (this.#passing_ms = performance.now() - started), TICK_MS);
    await this.#asking.run(() => this.#backend.aggregate(params, folder));
    clearInterval(ticking);
    this.#passing_ms = null;
  }
}
