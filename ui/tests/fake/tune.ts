/** Query sets in memory. The metric is a made-up hill over the sliders, so that each has its best place. */
import type {
  CalibrationAnswer,
  Curve,
  ErrorInfo,
  GoldPlace,
  IfTaken,
  LineFigures,
  MadeSet,
  Metric,
  NewSetFrom,
  Origin,
  Parameter,
  QueryEdit,
  QueryFigure,
  QuerySetInfo,
  QuerySetView,
  Ranking,
  RunComparison,
  RunInfo,
  RunView,
  Sensitivity,
  SetMetrics,
  SetQuery,
  SetWish,
  TuneAnswer,
  TuneProgress,
  TuneRequest,
  TuneRow,
  Value,
} from "../../src/api/bindings";
import { QUERIES_MIN } from "../../src/api/bindings";
import { PARAMETERS } from "../../src/api/parameters";
import { positionOf, valueAt } from "../../src/parameters/slider-scale";
import { METRIC_IDS, METRICS } from "../../src/tune/metrics";
import { CLERK } from "./agent-pipeline";

/** Initial contents. */
export type TuneState =
  /** no judgment and no set */
  | "none"
  /** the same, and the live set of past questions */
  | "past"
  /** questions of which none is judged */
  | "unjudged"
  /** a set of 57 queries, 3 of them not judged, and 40 nonsense questions */
  | "judged"
  /** a set of 50,000 queries, with names of 300 characters and right-to-left words */
  | "huge";

/** The model of every figure here. */
const MODEL = "all-MiniLM-L6-v2-q8@57d50a19";
const START_MS = Date.UTC(2026, 10, 21, 9, 30);
const QUESTIONS = [
  ["refuting a hypothesis with a control experiment", "paraphrase"],
  ["owning up to mistakes", "vague"],
  ["restart order after a power cut", "direct"],
  ["things getting too hot", "vague"],
  ["chronotype and peak productivity hours", "paraphrase"],
  ["customer complaint de-escalation script", "direct"],
  ["the internet is down at home, what should I try first", "direct"],
  ["naming and structure of code", "direct"],
  ["speak or stay silent in group rooms", "vague"],
  ["how much to ask for", "vague"],
] as const;
const GOLD = ["reference/home-server.md", "people/signe-profile.md", "protocols/group-rooms.md"];

/** A number in [0, 1) that stays the same for a text. */
function noise(text: string): number {
  let hash = 2166136261;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 16777619);
  hash ^= hash >>> 15;
  return ((Math.imul(hash, 2246822519) >>> 0) % 10_000) / 10_000;
}

function place(path: string, line: number, origin: Origin, state: GoldPlace["state"] = "fits"): GoldPlace {
  const now: [number, number] | null = state === "moved" ? [line + 4, line + 6] : null;
  return { path, start_line: line, end_line: line + 2, origin, state, now };
}

function queriesOf(n: number, nUnjudged: number, nNonsense: number, origin: Origin): SetQuery[] {
  const all = Array.from({ length: n }, (_, at): SetQuery => {
    const [query, category] = QUESTIONS[at % QUESTIONS.length] ?? QUESTIONS[0];
    const round = Math.floor(at / QUESTIONS.length);
    const state = at === 3 ? "moved" : at === 5 ? "gone" : "fits";
    const gold = [place(GOLD[at % GOLD.length] ?? "", 5 + at, at % 9 === 8 ? "observed" : origin, state)];
    return {
      id: `a${String(at + 1).padStart(2, "0")}`,
      query: round === 0 ? query : `${query} (${round})`,
      category,
      scope: null,
      relevant: at < n - nUnjudged ? gold : null,
    };
  });
  const nonsense = Array.from({ length: nNonsense }, (_, at): SetQuery => {
    const id = `n${String(at + 1).padStart(2, "0")}`;
    return {
      id,
      query: `glass tariffs of the moon ${at + 1}`,
      category: "nonsense",
      scope: null,
      relevant: [],
    };
  });
  return [...all, ...nonsense];
}

type KeptSet = { id: string; name: string; isLive: boolean; queries: SetQuery[]; notices: string[] };
type KeptRun = { info: RunInfo; ranking: Ranking };

export class TuneMemory {
  #sets: KeptSet[];
  #runs: KeptRun[] = [];
  #nMade = 0;

  constructor(state: TuneState) {
    const set = (id: string, name: string, queries: SetQuery[]): KeptSet => ({
      ...{ id, name, queries, isLive: id === "judgments" || id === "past", notices: [] },
    });
    const live = (n: number) => set("judgments", "Judgments", queriesOf(n, 0, 0, "given"));
    switch (state) {
      case "none":
        this.#sets = [live(0)];
        break;
      case "past":
        this.#sets = [live(0), set("past", "Past questions", queriesOf(6, 0, 0, "observed"))];
        break;
      case "unjudged":
        this.#sets = [live(0), set("1", "From my history", queriesOf(8, 8, 0, "given"))];
        break;
      case "judged":
        this.#sets = [live(12), set("1", "agent-memory-57", queriesOf(57, 3, 40, "imported"))];
        this.#runs = [
          this.#run("Default, in spring", 0, "notes changed since: 3 of 12"),
          this.#run("Keywords first", 1, null),
        ];
        break;
      case "huge": {
        const queries = queriesOf(50_000, 0, 0, "imported");
        queries[1] = { ...(queries[1] as SetQuery), query: "מתי עוברת הרכבת האחרונה לעיר העתיקה בסוף השבוע" };
        this.#sets = [live(0), set("1", "A set with a very long name ".repeat(11).slice(0, 300), queries)];
      }
    }
  }

  #run(name: string, at: number, stale: string | null): KeptRun {
    const info = {
      ...{ id: `r${at + 1}`, name, at_ms: START_MS + at * 86_400_000, set: "agent-memory-57", hash: "b3" },
      ...{ pipeline: "memlens", label: "Memlens", model: MODEL, n_judged: 54, stale },
      ...{ ndcg_10: 0.505 + at * 0.03, mrr_10: 0.465 + at * 0.03 },
    };
    return { info, ranking: { pipeline: "memlens", values: { fusion_k: 20 + 40 * at, min_score: 0.3 } } };
  }

  #set(id: string): KeptSet {
    const set = this.#sets.find((one) => one.id === id);
    if (set === undefined)
      throw { code: "error", message: `there is no query set ${id}` } satisfies ErrorInfo;
    return set;
  }

  #info({ id, name, isLive, queries }: KeptSet): QuerySetInfo {
    const gold = queries.flatMap(({ relevant }) => relevant ?? []);
    const origins = (["given", "imported", "observed"] as const)
      .map((origin) => ({ origin, n: gold.filter((one) => one.origin === origin).length }))
      .filter(({ n }) => n > 0);
    const categories = [...new Set(queries.flatMap(({ category }) => (category === null ? [] : [category])))];
    return {
      ...{ id, name, is_live: isLive, hash: `${id}-${queries.length}-${gold.length}-${this.#nMade}` },
      n_queries: queries.length,
      n_judged: queries.filter(({ relevant }) => relevant !== null && relevant.length > 0).length,
      n_nonsense: queries.filter(({ relevant }) => relevant?.length === 0).length,
      n_unjudged: queries.filter(({ relevant }) => relevant === null).length,
      ...{ n_gold: gold.length, categories, origins, changed_ms: isLive ? null : START_MS },
    };
  }

  infos(): QuerySetInfo[] {
    return this.#sets.map((set) => this.#info(set));
  }

  view(id: string): QuerySetView {
    const set = this.#set(id);
    return { info: this.#info(set), base: "", queries: set.queries, notices: set.notices };
  }

  make(name: string, from: NewSetFrom, ifTaken: IfTaken): MadeSet {
    return this.#keep(name, this.#begun(from), ifTaken, { left_out: [], notices: [] });
  }

  #begun(from: NewSetFrom): SetQuery[] {
    switch (from.kind) {
      case "empty":
        return [];
      case "set":
        return this.#set(from.set).queries;
      case "merged":
        return from.sets.flatMap((id) => this.#set(id).queries);
      case "nonsense": {
        const beside = from.beside === null ? [] : this.#set(from.beside).queries;
        return [...beside, ...queriesOf(0, 0, 40, "given")];
      }
      case "questions":
        return from.questions.map((query, at): SetQuery => ({
          id: `q${at + 1}`,
          query,
          category: null,
          scope: null,
          relevant: null,
        }));
    }
  }

  #keep(
    name: string,
    queries: SetQuery[],
    ifTaken: IfTaken,
    said: Pick<MadeSet, "left_out" | "notices">,
  ): MadeSet {
    const there = this.#sets.find((set) => set.name === name);
    if (there !== undefined && ifTaken === "refuse")
      throw {
        code: "set_taken",
        message: `cannot use the name ${name}: another query set has it`,
      } satisfies ErrorInfo;
    this.#nMade++;
    if (there !== undefined && ifTaken === "replace") {
      there.queries = queries;
      return { info: this.#info(there), ...said };
    }
    const free = there === undefined ? name : `${name} (2)`;
    const set = { id: `m${this.#nMade}`, name: free, isLive: false, queries, notices: [] };
    this.#sets = [...this.#sets, set];
    return { info: this.#info(set), ...said };
  }

  rename(id: string, name: string): QuerySetInfo {
    this.#set(id).name = name;
    return this.#info(this.#set(id));
  }

  remove(id: string): void {
    this.#sets = this.#sets.filter((set) => set.id !== id);
  }

  save(id: string, edit: QueryEdit): QuerySetView {
    const set = this.#set(id);
    this.#nMade++;
    const relevant =
      edit.relevant?.map((one): GoldPlace => ({ ...one, origin: "given", state: "fits", now: null })) ?? null;
    const saved = { ...edit, id: edit.id ?? `new${this.#nMade}`, relevant };
    const isKnown = set.queries.some((query) => query.id === saved.id);
    set.queries = isKnown
      ? set.queries.map((query) => (query.id === saved.id ? saved : query))
      : [...set.queries, saved];
    return this.view(id);
  }

  removeQueries(id: string, ids: string[]): QuerySetView {
    const set = this.#set(id);
    set.queries = set.queries.filter((query) => !ids.includes(query.id));
    return this.view(id);
  }

  import(ifTaken: IfTaken): MadeSet {
    return this.#keep("locomo", queriesOf(20, 0, 0, "imported"), ifTaken, {
      left_out: ["queries.jsonl:7: is no JSON", "queries.jsonl:9: two queries are named a4"],
      notices: ["18 of 20 places are in the notes (90 %)"],
    });
  }

  #judged(wish: SetWish): SetQuery[] {
    return this.#set(wish.set).queries.filter(
      ({ relevant }) => relevant?.some(({ origin }) => !wish.without.includes(origin)) ?? false,
    );
  }

  metrics(wish: SetWish, pinned: Ranking, metric: Metric): SetMetrics {
    const judged = this.#judged(wish);
    const nonsense = this.#set(wish.set).queries.filter(({ relevant }) => relevant?.length === 0).length;
    const per = judged.slice(0, 2_000).map((query): QueryFigure => {
      const { id, category } = query;
      return { id, query: query.query, category, now: at(id, wish.ranking), pinned: at(id, pinned) };
    });
    const n = judged.length;
    const [now, before] = [mean(per.map((one) => one.now)), mean(per.map((one) => one.pinned))];
    const changed = per.filter((one) => Math.abs(one.now - one.pinned) > 0.02);
    const wins = changed.filter((one) => one.now > one.pinned);
    const rows = METRIC_IDS.map((one, place) => ({
      ...{ metric: one, label: METRICS[one].label, n, n_undefined: one === "precision" ? 2 : 0 },
      ...{ now: now - place * 0.02, pinned: before - place * 0.02 },
      difference: { mean: now - before, low: now - before - 0.078, high: now - before + 0.078 },
      ...{ wins: wins.length, ties: n - changed.length, losses: changed.length - wins.length },
    }));
    const categories = [...new Set(per.flatMap(({ category }) => (category === null ? [] : [category])))];
    return {
      ...{
        hash: this.#info(this.#set(wish.set)).hash,
        model: MODEL,
        metric,
        n_judged: n,
        n_unjudged: 3,
        rows,
      },
      origins: this.#info(this.#set(wish.set)).origins,
      nothing: nonsense === 0 ? null : { n: nonsense, now: 0.325, pinned: 0.025 },
      by_category: categories.map((category) => {
        const of = per.filter((one) => one.category === category);
        return {
          ...{ category, n: of.length },
          ...{ now: mean(of.map((one) => one.now)), pinned: mean(of.map((one) => one.pinned)) },
        };
      }),
      per_query: changed.toSorted((a, b) => b.now - b.pinned - (a.now - a.pinned)),
      undefined: [],
      verdict:
        Math.abs(now - before) < 0.078
          ? `with ${n} queries, this difference cannot be distinguished from chance`
          : null,
      notices: this.#set(wish.set).notices,
      micros: 4_200,
    };
  }

  sensitivity(wish: SetWish, pinned: Ranking | null, metric: Metric): Sensitivity {
    const { ranking } = wish;
    const present = quality(ranking);
    const sliders = parametersOf(ranking).filter(
      ({ phase, kind }) => phase === "rank" && kind.kind === "number",
    );
    return {
      ...{ metric, n_queries: this.#judged(wish).length, present, n_rankings: 21_000, micros: 410_000 },
      pinned: pinned === null ? null : quality(pinned),
      curves: sliders.map((parameter) => curveOf(parameter, ranking)),
    };
  }

  calibrate(wish: SetWish): CalibrationAnswer {
    if (wish.ranking.pipeline !== "memlens") return { kind: "none", why: "Clerk 1.2 has no min score" };
    const present = Number(wish.ranking.values["min_score"] ?? 0.1);
    const nQueries = this.#judged(wish).length;
    const nBins = 26;
    const edges = Array.from({ length: nBins + 1 }, (_, bin) => 0.45 + bin * 0.025);
    const hump = (middle: number, width: number, most: number) =>
      Array.from({ length: nBins }, (_, bin) =>
        Math.round(most * Math.exp(-(((edges[bin] ?? 0) - middle) ** 2) / width)),
      );
    const [relevant, notRelevant, nonsense] = [
      hump(0.68, 0.02, 9),
      hump(0.56, 0.008, 78),
      hump(0.6, 0.004, 11),
    ];
    const kept = (counts: number[], line: number) =>
      counts.reduce((sum, n, bin) => sum + ((edges[bin] ?? 0) >= line - 1e-9 ? n : 0), 0);
    const sum = (counts: number[]) => counts.reduce((all, n) => all + n, 0);
    const figures = (line: number): LineFigures => {
      const [good, bad] = [kept(relevant, line), kept(notRelevant, line)];
      return {
        ...{ line, precision: good + bad === 0 ? null : good / (good + bad), recall: good / sum(relevant) },
        ...{ relevant_kept: good, not_relevant_kept: bad, nonsense_kept: kept(nonsense, line) },
      };
    };
    return {
      ...{ kind: "line", parameter: "min_score", label: "Min score", n_queries: nQueries, depth: 10, edges },
      ...{ relevant, not_relevant: notRelevant, nonsense },
      ...{ n_relevant: sum(relevant), n_not_relevant: sum(notRelevant), n_nonsense: sum(nonsense) },
      present: figures(present),
      suggested: nQueries < QUERIES_MIN ? null : figures(0.6),
      lines: Array.from({ length: 61 }, (_, step) => figures(Number((0.45 + step * 0.01).toFixed(2)))),
      separates: false,
      sentence:
        nQueries < QUERIES_MIN
          ? `no line is suggested: that needs ${QUERIES_MIN} judged queries; this set has ${nQueries}`
          : "the humps overlap: no line keeps nonsense out without losing relevant rows. At 0.60, 27 of 40 nonsense questions still return something, and 82 % of the relevant rows stay",
    };
  }

  autoTune(wish: SetWish, request: TuneRequest): TuneAnswer {
    const row = (name: string, kind: TuneRow["kind"], by: number, k: number | null): TuneRow => {
      const changed = k === null ? [] : [{ parameter: "fusion_k", label: "k", value: String(k) }];
      return {
        ...{
          name,
          kind,
          changed: kind === "try" ? [...changed, { parameter: "x", label: "Gain", value: "0.00" }] : changed,
        },
        ranking: { pipeline: wish.ranking.pipeline, values: { ...wish.ranking.values, fusion_k: k ?? 60 } },
        ...{ chosen_on: 0.6 + by, held_out: 0.555 + by, to_present: by },
        difference: { mean: by, low: by - 0.09, high: by + 0.09 },
      };
    };
    const tries = [0.119, 0.031, 0.029, 0.003, -0.03].map((by, at) =>
      row(String(at + 1), "try", by, 10 + at),
    );
    return {
      ...{
        model: MODEL,
        metric: request.metric,
        n_queries: 54,
        folds: request.folds,
        seed: request.seed,
        n_tried: request.n_tries,
      },
      rows: [
        ...tries,
        row("Present", "present", 0, null),
        row("Default, pinned", "default", -0.083, 60),
        row("Vector alone", "list", 0.129, null),
        row("BM25 alone", "list", -0.183, null),
      ],
      can_choose: false,
      best_try: {
        changed: [{ parameter: "fusion_k", label: "k", value: "35" }],
        ranking: { pipeline: wish.ranking.pipeline, values: { ...wish.ranking.values, fusion_k: 35 } },
        difference: { mean: 0.029, low: -0.01, high: 0.07 },
        n_more: 120,
        is_held_out: true,
      },
      sentence:
        "Nothing is surely better. Best try: fusion_k 35, +0.029 (95 % −0.010 to +0.070); about 120 more judged queries would decide. Measured on queries that it was not chosen by (54, in 5 folds).",
      notices: [],
      rankings_per_s: 52_300,
    };
  }

  runs(): RunInfo[] {
    return this.#runs.map(({ info }) => info);
  }

  saveRun(wish: SetWish, name: string): RunInfo {
    const made = this.#run(name, this.#runs.length, null);
    const info = { ...made.info, ndcg_10: quality(wish.ranking), set: this.#set(wish.set).name };
    this.#runs = [...this.#runs, { info, ranking: wish.ranking }];
    return info;
  }

  #runOf(id: string): KeptRun {
    const run = this.#runs.find(({ info }) => info.id === id);
    if (run === undefined) throw { code: "error", message: `there is no run ${id}` } satisfies ErrorInfo;
    return run;
  }

  run(id: string): RunView {
    const { info, ranking } = this.#runOf(id);
    return {
      ...{ info, ranking, changed: [{ parameter: "fusion_k", label: "k", value: "20" }] },
      rows: [{ metric: "ndcg@10", label: "nDCG@10", value: info.ndcg_10 }],
      nothing: 0.3,
      per_query: [{ id: "a01", query: QUESTIONS[0][0], category: "paraphrase", value: 0.63 }],
    };
  }

  compareRuns(a: string, b: string): RunComparison {
    const [first, second] = [this.#runOf(a).info, this.#runOf(b).info];
    const difference = { mean: (second.ndcg_10 ?? 0) - (first.ndcg_10 ?? 0), low: -0.05, high: 0.11 };
    return {
      ...{ a: first, b: second, notices: [] },
      rows: [
        {
          ...{ metric: "ndcg@10", label: "nDCG@10", now: second.ndcg_10, pinned: first.ndcg_10, difference },
          ...{ n: 54, n_undefined: 0, wins: 20, ties: 24, losses: 10 },
        },
      ],
      per_query: [{ id: "a01", query: QUESTIONS[0][0], category: "paraphrase", now: 1, pinned: 0.5 }],
      verdict: "with 54 queries, this difference cannot be distinguished from chance",
    };
  }

  renameRun(id: string, name: string): RunInfo {
    const run = this.#runOf(id);
    run.info = { ...run.info, name };
    return run.info;
  }

  deleteRun(id: string): void {
    this.#runs = this.#runs.filter(({ info }) => info.id !== id);
  }
}

/** Progress of preparing a query set, if that takes long. */
export const PREPARING: TuneProgress = { what: "preparing", n_done: 120, n_all: 564 };

function mean(of: readonly number[]): number {
  return of.length === 0 ? 0 : of.reduce((sum, one) => sum + one, 0) / of.length;
}

function parametersOf({ pipeline }: Ranking): readonly Parameter[] {
  return pipeline === "memlens" ? PARAMETERS : CLERK.parameters;
}

/** The best value of a slider, and the loss at its far end. */
function hillOf(parameter: Parameter, value: Value): number {
  if (parameter.kind.kind !== "number" || typeof value !== "number") return 0;
  const best = noise(`${parameter.id} best`);
  const height = 0.01 + 0.22 * noise(`${parameter.id} height`) ** 3;
  return -height * Math.abs(positionOf(parameter.kind, value) - best) ** 1.5;
}

function quality(ranking: Ranking): number {
  const hills = parametersOf(ranking).map((one) => hillOf(one, ranking.values[one.id] ?? one.default));
  return Math.max(0, 0.86 + hills.reduce((sum, hill) => sum + hill, 0));
}

/** A query's figure by a ranking. */
function at(id: string, ranking: Ranking): number {
  const q = quality(ranking);
  const own = 0.6 * (noise(`${id} ${Math.round(q * 400)}`) - 0.5) * (noise(id) < 0.5 ? 1 : 0);
  return Math.min(1, Math.max(0, q + own));
}

function curveOf(parameter: Parameter, ranking: Ranking): Curve {
  const { kind } = parameter;
  if (kind.kind !== "number") throw new Error(`${parameter.id} is no slider`);
  const value = ranking.values[parameter.id] ?? parameter.default;
  const present = typeof value === "number" ? value : kind.min;
  const places = Array.from({ length: 21 }, (_, step) => valueAt(kind, step / 20, false));
  const values = [...new Set([...places, present])].toSorted((a, b) => a - b);
  const means = values.map((one) =>
    quality({ ...ranking, values: { ...ranking.values, [parameter.id]: one } }),
  );
  const best = means.indexOf(Math.max(...means));
  const standard = typeof parameter.default === "number" ? parameter.default : kind.min;
  return {
    ...{
      parameter: parameter.id,
      label: parameter.label,
      values,
      means,
      present,
      default: standard,
      best,
    },
    errors: means.map(() => 0.045),
    gain: (means[best] ?? 0) - quality(ranking),
  };
}
