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
  /** What the last measurement is of. */
  #measuredKey = "";
  /** Whether something else was chosen while that was measured. */
  #isDue = false;

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
  get sets(): QuerySets {
    return this.#sets;
  }
  /**
   * The set that is measured: the one that the user chose since the window was opened, here or in another view, else the past
   * questions, else any that holds answers; null without any.
   */
  get set(): QuerySetInfo | null {
    const judged = (this.#sets.all ?? []).filter(({ n_judged }) => n_judged > 0);
    const chosen = this.#sets.isUsers ? this.#sets.chosen : null;
    const past = judged.find(({ id }) => id === "past");
    const live = judged.find(({ is_live }) => is_live);
    return judged.find(({ id }) => id === chosen?.id) ?? past ?? live ?? judged[0] ?? null;
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
    return this.#measuring.error;
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

  /** Measures the change on the chosen set, unless it is measured already; what is being measured of another set is stopped. */
  async measure(): Promise<void> {
    const { set, rankings } = this;
    if (set === null || rankings === null || this.measured !== null) return;
    const wanted = keyOf(set, rankings);
    if (this.#measuring.isRunning) {
      if (wanted === this.#measuredKey) return;
      this.#isDue = true;
      this.#measuring.stop();
      return;
    }
    this.#measuredKey = wanted;
    this.#isDue = false;
    await this.#measuring.run(set, rankings);
    if (this.#isDue && this.#isOpen) await this.measure();
  }

  stop(): void {
    this.#measuring.stop();
  }
}

function keyOf({ id, hash }: QuerySetInfo, rankings: Rankings): string {
  return JSON.stringify([id, hash, rankings]);
}
