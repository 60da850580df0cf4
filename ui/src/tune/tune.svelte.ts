import type { Backend } from "../api/backend";
import type {
  CalibrationAnswer,
  Metric,
  QuerySetInfo,
  Ranking,
  Sensitivity,
  SetMetrics,
  SetWish,
  TuneProgress,
} from "../api/bindings";
import type { Pipeline, Values } from "../parameters/pipeline";
import { differingIds, parameterOf, withValue } from "../parameters/rules";
import { ProgressWatch } from "../shared/job.svelte";
import { readStored, writeStored } from "../shared/stored";
import { AutoTune } from "./auto-tune.svelte";
import { Following } from "./following.svelte";
import { isMetric } from "./metrics";
import { QuerySets } from "../sets/query-sets.svelte";
import { Runs } from "./runs.svelte";
import { SetEditing } from "./set-editing.svelte";

const METRIC_KEY = "memlens.tune-metric";
const RAIL_KEY = "memlens.tune-rail";
/** Above so many queries the curves take seconds and more, so they are drawn when the user asks for them. */
export const CURVE_QUERIES_MAX = 2_000;

/** What was measured: as these were, it need not be asked again. */
type State = { hash: string; generation: number | null; nFacts: number };
type Measure = { wish: SetWish; pinned: Ranking; metric: Metric; state: State };

/** What the window shows that is to be measured. */
export type Shown = {
  pipeline: Pipeline;
  current: Values;
  committed: Values;
  /** The values that changes are measured against. */
  pinned: Values;
  /** Of the library. */
  generation: number | null;
  /** Counts the changes of facts beside the parameters, as thumbs are. */
  nFacts: number;
};

/**
 * The values that a drag can be measured by: what asks the lists or somebody outside keeps its value until the release.
 *
 * A whole query set is measured at each step of a drag, so even our own lists are not asked again for that.
 */
export function liveValues(pipeline: Pipeline, current: Values, committed: Values): Values {
  return differingIds(current, committed)
    .filter((id) => parameterOf(pipeline, id).phase !== "rank")
    .reduce((values, id) => withValue(values, id, committed[id] ?? null), current);
}

/** What the Tune view holds: a query set, what the present ranking makes of it, and what others would. */
export class Tune {
  readonly sets: QuerySets;
  readonly editing: SetEditing;
  readonly metrics: Following<Measure, SetMetrics>;
  readonly sensitivity: Following<Measure, Sensitivity>;
  readonly calibration: Following<Pick<Measure, "wish" | "state">, CalibrationAnswer>;
  readonly autoTune: AutoTune;
  readonly runs: Runs;
  readonly #watch: ProgressWatch<TuneProgress>;
  #metric = $state<Metric>(readStored(METRIC_KEY, isMetric) ?? "ndcg@10");
  #isRailOpen = $state<boolean>(readStored(RAIL_KEY, (value) => typeof value === "boolean") ?? true);
  /** The set that is measured. */
  #followed: string | undefined;
  /** What every figure on the page is of: the set as it is, the judgments that count, the notes and the thumbs. */
  #basis = $state("");
  /** Whether the calibrator is to be brought into view. */
  #isCalibratorWished = $state(false);
  /** The set whose curves the user asked for, though it is large. */
  #curvesOf = $state<string | null>(null);

  constructor(backend: Backend) {
    this.#watch = new ProgressWatch(
      (report) => backend.onProgress("tune", report),
      () => backend.stop("tune"),
    );
    this.sets = new QuerySets(backend);
    this.editing = new SetEditing(backend, this.sets);
    this.metrics = new Following(({ wish, pinned, metric }) => backend.measureSet(wish, pinned, metric));
    this.sensitivity = new Following(({ wish, pinned, metric }) => backend.sensitivity(wish, pinned, metric));
    this.calibration = new Following(({ wish }) => backend.calibrate(wish));
    this.autoTune = new AutoTune(backend);
    this.runs = new Runs(backend);
  }

  get metric(): Metric {
    return this.#metric;
  }

  set metric(metric: Metric) {
    this.#metric = metric;
    writeStored(METRIC_KEY, metric);
  }

  get isRailOpen(): boolean {
    return this.#isRailOpen;
  }

  set isRailOpen(isOpen: boolean) {
    this.#isRailOpen = isOpen;
    writeStored(RAIL_KEY, isOpen);
  }

  /** How far what is under way is; null before that is known. */
  get progress(): TuneProgress | null {
    return this.#watch.progress;
  }

  get basis(): string {
    return this.#basis;
  }

  get isCalibratorWished(): boolean {
    return this.#isCalibratorWished;
  }

  /** Brings the calibrator into view, once there is something to show in it. */
  wishCalibrator(): void {
    this.#isCalibratorWished = true;
  }

  /** The calibrator is in view, or another view is shown. */
  dropCalibratorWish(): void {
    this.#isCalibratorWished = false;
  }

  get isStopping(): boolean {
    return this.#watch.isStopping;
  }

  get isMeasuring(): boolean {
    return this.metrics.isAsking || this.sensitivity.isAsking || this.calibration.isAsking;
  }

  /** The set that can be measured; null where none is chosen or nothing in it is judged. */
  get measured(): QuerySetInfo | null {
    const { chosen } = this.sets;
    return chosen !== null && chosen.n_judged + chosen.n_nonsense > 0 ? chosen : null;
  }

  /** Whether no query of the measured set has an answer that counts: then no metric is defined, and no curve. */
  get isUnjudged(): boolean {
    return this.metrics.answer?.n_judged === 0;
  }

  /** Whether the curves of this set wait for the user. */
  areCurvesHeld({ id, n_judged }: QuerySetInfo): boolean {
    return n_judged > CURVE_QUERIES_MAX && this.#curvesOf !== id;
  }

  drawCurves({ id }: QuerySetInfo): void {
    this.#curvesOf = id;
  }

  /** What is asked of the set by a ranking; null where there is nothing to measure. */
  wishFor(ranking: Ranking): SetWish | null {
    const set = this.measured;
    return set === null ? null : { set: set.id, without: this.sets.without, ranking };
  }

  /** Measures what is shown; once it is released and measured, also what each slider would do. */
  follow(shown: Shown): void {
    const set = this.measured;
    // The figures of one set are none of another.
    if (set?.id !== this.#followed) {
      for (const following of [this.metrics, this.sensitivity, this.calibration]) following.clear();
      this.#followed = set?.id;
    }
    if (set === null) return;
    const { pipeline, current, committed, generation, nFacts } = shown;
    const rankingOf = (values: Values): Ranking => ({ pipeline: pipeline.id, values: { ...values } });
    const wish = {
      set: set.id,
      without: this.sets.without,
      ranking: rankingOf(liveValues(pipeline, current, committed)),
    };
    const state = { hash: set.hash, generation, nFacts };
    this.#basis = JSON.stringify([set.id, this.sets.without, state]);
    const measure = { wish, pinned: rankingOf(shown.pinned), metric: this.#metric, state };
    this.metrics.want(measure);
    // What cannot be measured has no curves either.
    if (this.metrics.error !== null)
      for (const following of [this.sensitivity, this.calibration]) following.clear();
    // One after the other: the first prepares the set for all.
    if (current !== committed || !this.metrics.isCurrent) return;
    this.calibration.want({ wish, state });
    if (this.isUnjudged) this.sensitivity.clear();
    else if (!this.areCurvesHeld(set)) this.sensitivity.want(measure);
  }

  /** Follows the progress while something is under way, until the returned function is called. */
  followProgress(): () => void {
    return this.#watch.follow(() => (this.isMeasuring || this.autoTune.isRunning ? this : null));
  }

  stop(): void {
    this.#watch.stop();
  }

  /** Takes up a set that changed, and measures again what was stopped or failed. */
  measureAgain(): void {
    for (const following of [this.metrics, this.sensitivity, this.calibration]) {
      if (following.isStopped || following.error !== null) following.askAgain();
    }
  }
}
