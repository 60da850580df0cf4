// The ranking that is shown, on its way into the watched agent's config: the change, what it does to the live query set in the
// agent's own ranking, writing it, and undoing that.
import type { Backend } from "../api/backend";
import type { QuerySetInfo, Ranking, SetMetrics, TuneProgress } from "../api/bindings";
import { Job, reporting, type Report } from "../shared/job.svelte";
import type { QuerySets } from "../sets/query-sets.svelte";
import { HandOver } from "./hand-over.svelte";

type Asked = ConstructorParameters<typeof HandOver>[0] & Pick<Backend, "measureSet" | "onProgress" | "stop">;

/** The config as it is, and as it would be. */
type Rankings = { before: Ranking; after: Ranking };

/** Figures of one set, and the rankings that they are of. */
type Measured = { set: QuerySetInfo; metrics: SetMetrics; of: string };

/** The dialog's state. */
export class Applying {
  readonly handing: HandOver;
  readonly #sets: QuerySets;
  readonly #measuring: Job<[set: QuerySetInfo, rankings: Rankings], Measured, TuneProgress>;
  #isOpen = $state(false);
  #setId = $state<string | null>(null);

  constructor(backend: Asked, sets: QuerySets) {
    this.handing = new HandOver(backend);
    this.#sets = sets;
    this.#measuring = new Job({
      work: (report: Report<TuneProgress>, set: QuerySetInfo, { before, after }: Rankings) =>
        reporting(
          (report) => backend.onProgress("tune", report),
          report,
          async () => {
            const wish = { set: set.id, without: [], ranking: after };
            const metrics = await backend.measureSet(wish, before, "ndcg@10");
            return metrics === null ? null : { set, metrics, of: keyOf(set, { before, after }) };
          },
        ),
      stop: () => backend.stop("tune"),
      onFailure: "drop",
    });
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }
  /** The sets that hold answers, those that follow the judgments and past questions first. */
  get sets(): readonly QuerySetInfo[] {
    const judged = (this.#sets.all ?? []).filter(({ n_judged }) => n_judged > 0);
    return judged.toSorted((a, b) => Number(b.is_live) - Number(a.is_live));
  }
  /** The set that is measured; null without any. */
  get set(): QuerySetInfo | null {
    const past = this.sets.find(({ id }) => id === "past");
    return this.sets.find(({ id }) => id === this.#setId) ?? past ?? this.sets[0] ?? null;
  }
  /** Whether it is known which sets there are. */
  get areSetsRead(): boolean {
    return this.#sets.all !== null || this.#sets.error !== null;
  }
  /** The rankings by the config before and after the change; null if nothing would change or it cannot be measured. */
  get rankings(): Rankings | null {
    const change = this.handing.exported?.change ?? null;
    if (change === null || change.is_same || change.refused !== null) return null;
    const { before, after } = change;
    return before === null || after === null ? null : { before, after };
  }
  /** The figures of the last change that was measured; after it is written they stay, of before and after it. */
  get measured(): Measured | null {
    const { data } = this.#measuring;
    const { rankings, set } = this;
    if (data === null || set === null || data.set.id !== set.id) return null;
    return rankings === null || keyOf(set, rankings) === data.of ? data : null;
  }
  get isMeasuring(): boolean {
    return this.#measuring.isRunning;
  }
  get progress(): TuneProgress | null {
    return this.#measuring.progress;
  }
  get measureError() {
    return this.#measuring.error ?? this.#sets.error;
  }
  /** Whether the last change can be undone. */
  get canUndo(): boolean {
    return this.handing.written !== null;
  }

  open(): void {
    this.handing.clear();
    this.#measuring.dismissError();
    this.#measuring.data = null;
    this.#isOpen = true;
    void this.#sets.read();
  }

  close(): void {
    this.#isOpen = false;
    this.#measuring.stop();
  }

  chooseSet(id: string): void {
    this.#measuring.stop();
    this.#setId = id;
  }

  /** Lets the user choose a file, which becomes a set and is measured. A name that is taken gets a number. */
  async importSet(): Promise<void> {
    const id = await this.#sets.importBeside();
    if (id !== null) this.chooseSet(id);
  }

  /** Measures the change on the chosen set, unless it is measured already. */
  async measure(): Promise<void> {
    const { set, rankings } = this;
    if (set === null || rankings === null || this.measured !== null) return;
    await this.#measuring.run(set, rankings);
  }

  stop(): void {
    this.#measuring.stop();
  }
}

function keyOf({ id, hash }: QuerySetInfo, rankings: Rankings): string {
  return JSON.stringify([id, hash, rankings]);
}
