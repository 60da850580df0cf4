import type { Backend } from "../api/backend";
import type { ClusterReport, ClustersAnswer, ErrorInfo, OpenedCluster, Params, Said } from "../api/bindings";
import { Call } from "../shared/call.svelte";
import { NewestOnly } from "../shared/newest-only";
import { isSameLimit, type Limits, limitsOf, type Measure, withLimit } from "./limits";

type Calls = Pick<Backend, "aggregate" | "clusters" | "openedCluster">;

/** How often the time of a pass that is under way moves on. */
const TICK_MS = 100;

/** What is said more than once: what the last pass over all observations found, at limits that the user tries. */
export class Repeats {
  readonly #backend: Calls;
  readonly #asking = new Call((ask: () => Promise<ClustersAnswer>) => ask());
  readonly #opening: Call<[params: Params, said: Said], OpenedCluster | null>;
  #passing_ms = $state<number | null>(null);
  #opened = $state.raw<Said | null>(null);
  /** The limits that the user tries; null for those of the parameters. */
  #tried = $state.raw<Limits | null>(null);
  #asked: { params: Params; folder: string | null } | null = null;
  /** One at a time, so that a slider that is dragged asks for its newest place. */
  readonly #wishes = new NewestOnly(async () => {
    if (this.#asked === null) return;
    const { folder } = this.#asked;
    const params = this.params(this.#asked.params);
    const opened = this.#opened;
    await Promise.all([
      this.#asking.run(() => this.#backend.clusters(params, folder)),
      opened === null ? null : this.#opening.run(params, opened),
    ]);
  });

  constructor(backend: Calls) {
    this.#backend = backend;
    this.#opening = new Call(
      (params, { folder, path, line, text }) => backend.openedCluster(params, folder, path, line, text),
      "drop",
    );
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
    return this.#asking.error ?? this.#opening.error;
  }
  /** For how long a pass has been under way; null while there is none. */
  get passing_ms(): number | null {
    return this.#passing_ms;
  }
  /** The statement that is opened; null for the list. */
  get opened(): Said | null {
    return this.#opened;
  }
  /** What says the same as it; null before the first answer, and if its text is in no note now. */
  get cluster(): OpenedCluster | null {
    return this.#opening.data;
  }
  get isOpening(): boolean {
    return this.#opening.isRunning;
  }

  /** The limits that are tried, or else those of the parameters. */
  limits(params: Params): Limits {
    return this.#tried ?? limitsOf(params);
  }
  /** Whether other limits than those of the parameters are tried. */
  isTrying(params: Params): boolean {
    return this.#tried !== null && !isSameLimit(this.#tried, limitsOf(params));
  }
  /** The parameters with the limits that are tried. */
  params(params: Params): Params {
    return { ...params, ...this.limits(params) };
  }

  /** Tries a limit. The list and the opened statement follow. */
  try(params: Params, measure: Measure, limit: number): void {
    this.#tried = withLimit(this.limits(params), measure, limit);
  }
  /** Back to the limits of the parameters. */
  tryNone(): void {
    this.#tried = null;
  }

  open(said: Said): void {
    this.#opened = said;
    this.#opening.reset();
  }
  close(): void {
    this.#opened = null;
    this.#opening.reset();
  }

  /** Reads what the last pass found, of one folder or of all, and the opened statement. */
  read(params: Params, folder: string | null): void {
    this.#asked = { params, folder };
    this.#wishes.wish();
  }

  /** Passes over all observations now. One pass at a time. */
  async pass(params: Params, folder: string | null): Promise<void> {
    if (this.#passing_ms !== null) return;
    const started = performance.now();
    this.#passing_ms = 0;
    const ticking = setInterval(() => (this.#passing_ms = performance.now() - started), TICK_MS);
    await this.#asking.run(() => this.#backend.aggregate(this.params(params), folder));
    clearInterval(ticking);
    this.#passing_ms = null;
    if (this.#opened !== null) await this.#opening.run(this.params(params), this.#opened);
  }
}
