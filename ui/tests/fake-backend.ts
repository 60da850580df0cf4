import type { Backend } from "../src/api/backend";
import { commands } from "../src/api/bindings";
import type {
  AgentConfig,
  AutopsyQuestion,
  ClusterReport,
  ClustersAnswer,
  DriftAnswer,
  Drifted,
  DriftReport,
  DriftSide,
  DriftTotals,
  Editor,
  ErrorInfo,
  Export,
  FileProblem,
  HiddenNotes,
  IfTaken,
  MadeSet,
  MapLayout,
  MapPicture,
  Metric,
  NearestSetting,
  NewSetFrom,
  NoteDrift,
  NoteQuery,
  OppositionPair,
  Params,
  PastFilterArgument,
  PastPageArgument,
  Preset,
  QueryEdit,
  Ranking,
  RecallChangeArgument,
  RecallImport,
  RecallLogs,
  ReplaySummary,
  SavedQueries,
  SetFormat,
  SetWish,
  ToolServerChoice,
  ToolServerWritten,
  TuneRequest,
  WrittenConfig,
} from "../src/api/bindings";
import { mapOf } from "./fake/map";
import { overviewOf, pageOf, tagsOf, timelineOf } from "./fake/overview";
import { DEFAULTS } from "../src/api/parameters";
import { DRIFT, pairOf } from "./fake/drift";
import { CLUSTERS, openedOf } from "./fake/repeats";
import { CONFIG, exported, NEAREST, TARGETS } from "./fake/export";
import { autopsied } from "./fake/autopsy";
import { madeOpening, PastMemory } from "./fake/past";
import { ServingMemory } from "./fake/serving";
import { TuneMemory } from "./fake/tune";

import type { FakeOptions } from "./fake/engine";
import { FakeSearch } from "./fake/search-commands";

export type { FakeOptions };

export const PROBLEMS: FileProblem[] = [
  {
    folder: "notes",
    folder_name: "notes",
    path: "people/old.md",
    line: null,
    message: "cannot read people/old.md: permission denied",
    severity: "error",
  },
  {
    folder: "agents",
    folder_name: "agents",
    path: "clerk/scan.md",
    line: 812,
    message: "not UTF-8 at line 812, read as Windows-1252",
    severity: "note",
  },
];

// The class has a method for every command: those that no class writes are made by its static block.
// eslint-disable-next-line @typescript-eslint/no-unsafe-declaration-merging, @typescript-eslint/no-empty-object-type
export interface FakeBackend extends Omit<Backend, keyof FakeSearch> {}

/** An engine in memory: its data are made up, its answers follow the parameters, its calls are counted. */
// eslint-disable-next-line @typescript-eslint/no-unsafe-declaration-merging
export class FakeBackend extends FakeSearch {
  static {
    for (const name of Object.keys(commands) as (keyof typeof commands)[]) {
      if (name in FakeBackend.prototype) continue;
      Object.defineProperty(FakeBackend.prototype, name, {
        value(this: FakeBackend, ...args: unknown[]) {
          return this.answer(name, args, () => {
            throw { code: "not_faked", message: `FakeBackend does not answer ${name}` } satisfies ErrorInfo;
          });
        },
      });
    }
  }

  /** The minScore in the clerk's config. */
  #leastScore = 0.35;
  #exported: Export | null = null;
  /** What agents asked. */
  readonly past: PastMemory;
  /** What agents' configs enter. */
  readonly serving = new ServingMemory();
  readonly #tune: TuneMemory;
  #presets: Preset[];
  /** What a pass finds. */
  found: ClusterReport = CLUSTERS;
  #hasPassed = false;
  /** How many statements occur more than once; null: as many as `found` holds. */
  nSaidAgain: number | null = null;
  hidden: HiddenNotes = { n_folders: 0, n_files: 0, sentence: "", entries: [] };
  /** What a pass would find of contradictions. */
  drifting: DriftReport = DRIFT;
  /** How many contradictions there are; null: as many as `drifting` lists. */
  driftTotals: DriftTotals | null = null;
  /** Holds a pass back until it is settled, or the job is stopped. */
  driftGate: Promise<void> | null = null;
  /** Whether notes changed since the last pass; null: if there was none. */
  isDriftStale: boolean | null = null;
  #hasDrifted = false;
  /** Whether the layout by neighbours was computed. */
  isLaidOut = false;
  /** Holds the layout back until it is settled, or the job is stopped. */
  layoutGate: Promise<void> | null = null;
  /** What differs in the pictures of the map. */
  mapChange: Partial<MapPicture> = {};
  /** Whether the user agrees that logs are read. */
  isRecallAgreed = true;
  /** While it is set, an import does not end by itself. */
  recallGate: Promise<void> | null = null;
  /** Delays the next answers of then and now until it is settled. */
  thenNowGate: Promise<void> | null = null;
  /** While it is set, a replay does not end by itself. */
  replayGate: Promise<void> | null = null;
  /** Delays the answer to an autopsy until it is settled. */
  autopsyGate: Promise<void> | null = null;
  /** Delays everything that measures a query set until it is settled or stopped. */
  tuneGate: Promise<void> | null = null;
  /** Whether the user chooses a file for an import. */
  isSetChosen = true;

  constructor(options: FakeOptions = {}) {
    super(options);
    this.past = new PastMemory(options.past ?? "none", options.nPast ?? null);
    this.#tune = new TuneMemory(options.tune ?? "none");
    this.#presets = options.presets ?? [
      {
        name: "Keywords first",
        params: { ...DEFAULTS, fusion: "rrf", vector_weight: 0.3, text_weight: 0.7 },
        notes: [],
        is_built_in: false,
      },
      {
        name: "Short and strict",
        params: { ...DEFAULTS, min_score: 0.3, max_results: 5, budget_tokens: 600 },
        notes: [],
        is_built_in: false,
      },
    ];
  }

  clusters(params: Params, folder: string | null) {
    return this.answer("clusters", [params, folder], () => this.#clusters(folder));
  }

  openedCluster(params: Params, folder: string, path: string, line: number, text: string) {
    return this.answer("openedCluster", [params, folder, path, line, text], () =>
      openedOf(this.found, params, text),
    );
  }

  aggregate(params: Params, folder: string | null) {
    return this.answer("aggregate", [params, folder], () => {
      this.#hasPassed = true;
      return this.#clusters(folder);
    });
  }

  #clusters(folder: string | null): ClustersAnswer {
    const isIn = ({ canonical, members }: ClusterReport["clusters"][number]) =>
      folder === null || [canonical, ...members].some((one) => one.folder === folder);
    return {
      report: this.#hasPassed ? { ...this.found, clusters: this.found.clusters.filter(isIn) } : null,
      n_observations: this.found.n_observations,
      is_stale: !this.#hasPassed,
    };
  }

  overview(params: Params, isSeen: boolean) {
    return this.answer("overview", [params, isSeen], () => {
      const hasCompared = this.#hasPassed || this.#hasDrifted;
      return overviewOf(
        hasCompared ? (this.nSaidAgain ?? this.found.n_clusters) : null,
        hasCompared ? this.#drift().totals.n_sure : null,
      );
    });
  }

  hiddenNotes() {
    return this.answer("hiddenNotes", [], () => this.hidden);
  }

  notePage(query: NoteQuery, first: number) {
    return this.answer("notePage", [query, first], () => pageOf(query, first));
  }

  noteTags(query: NoteQuery, find: string) {
    return this.answer("noteTags", [query, find], () => tagsOf(query, find));
  }

  timeline(query: NoteQuery) {
    return this.answer("timeline", [query], () => timelineOf(query));
  }

  map(params: Params, query: NoteQuery, layout: MapLayout | null) {
    return this.answer("map", [params, query, layout], (): MapPicture => {
      const shown = layout ?? (this.isLaidOut ? "neighbours" : "components");
      const picture = mapOf(query, shown);
      return {
        ...picture,
        neighbours: { ...picture.neighbours, state: this.isLaidOut ? "stored" : "missing" },
        ...this.mapChange,
      };
    });
  }

  layOut() {
    return this.answer("layOut", [], async () => {
      const how =
        this.layoutGate === null
          ? "computed"
          : await Promise.race([this.layoutGate, this.whenStopped("layout")]);
      this.isLaidOut ||= how !== "stopped";
      return how !== "stopped";
    });
  }

  drift(params: Params) {
    return this.answer("drift", [params], () => this.#drift());
  }

  noteDrift(folder: string, path: string) {
    return this.answer("noteDrift", [folder, path], (): NoteDrift | null => {
      if (!this.#hasDrifted) return null;
      const is = (side: DriftSide) => side.folder === folder && side.path === path;
      const ofNote = (all: readonly Drifted[]) => all.filter(({ a, b }) => is(a) || is(b));
      return {
        contradictions: ofNote(this.drifting.contradictions).filter(({ sure }) => sure),
        changed: ofNote(this.drifting.changed),
        is_stale: this.isDriftStale ?? false,
      };
    });
  }

  driftNow(params: Params) {
    return this.answer("driftNow", [params], async () => {
      const how =
        this.driftGate === null
          ? "compared"
          : await Promise.race([this.driftGate, this.whenStopped("aggregation")]);
      this.#hasDrifted ||= how !== "stopped";
      return this.#drift();
    });
  }

  dismissContradiction(id: string, isDismissed: boolean, params: Params) {
    return this.answer("dismissContradiction", [id, isDismissed, params], () => {
      const { contradictions, dismissed } = this.drifting;
      const [from, to] = isDismissed ? [contradictions, dismissed] : [dismissed, contradictions];
      const moved = from.filter((drifted) => drifted.id === id);
      const [left, joined] = [from.filter((drifted) => drifted.id !== id), [...moved, ...to]];
      this.drifting = isDismissed
        ? { ...this.drifting, contradictions: left, dismissed: joined }
        : { ...this.drifting, contradictions: joined, dismissed: left };
      return this.#drift();
    });
  }

  resolveContradiction(id: string, isResolved: boolean, params: Params) {
    return this.answer("resolveContradiction", [id, isResolved, params], () => {
      const { contradictions, resolved } = this.drifting;
      const is = (drifted: Drifted) => drifted.resolved_id === id;
      this.drifting = isResolved
        ? {
            ...this.drifting,
            contradictions: contradictions.filter((one) => !is(one)),
            resolved: [...contradictions.filter(is), ...resolved],
          }
        : {
            ...this.drifting,
            contradictions: [...resolved.filter(is), ...contradictions],
            resolved: resolved.filter((one) => !is(one)),
          };
      return this.#drift();
    });
  }

  /** The pairs of opposite words; all words are accepted. */
  pairs: OppositionPair[] = [
    pairOf(["allow", "permit"], ["forbid"], false),
    pairOf(["open"], ["closed", "shut"], false),
  ];

  oppositions() {
    return this.answer("oppositions", [], () => this.pairs);
  }

  addOpposition(words: string, opposite: string) {
    return this.answer("addOpposition", [words, opposite], () => {
      this.pairs = [pairOf(words.split(", "), opposite.split(", "), true), ...this.pairs];
      return this.pairs;
    });
  }

  removeOpposition(id: string) {
    return this.answer("removeOpposition", [id], () => {
      this.pairs = this.pairs.filter((pair) => !pair.is_own || pair.id !== id);
      return this.pairs;
    });
  }

  switchOpposition(id: string, isOn: boolean) {
    return this.answer("switchOpposition", [id, isOn], () => {
      this.pairs = this.pairs.map((pair) => (pair.id === id ? { ...pair, is_on: isOn } : pair));
      return this.pairs;
    });
  }

  /** The folder whose model gives a second opinion. */
  opinionFolder: string | null = null;

  secondOpinion() {
    return this.answer("secondOpinion", [], () => ({ folder: this.opinionFolder }));
  }

  chooseSecondOpinion(folder: string | null) {
    return this.answer("chooseSecondOpinion", [folder], () => {
      this.opinionFolder = folder;
      return { folder };
    });
  }

  #drift(): DriftAnswer {
    return {
      report: this.#hasDrifted ? this.drifting : null,
      totals: this.driftTotals ?? {
        n_sure: this.drifting.contradictions.filter(({ sure }) => sure).length,
        n_unsure: this.drifting.contradictions.filter(({ sure }) => !sure).length,
        n_changed: this.drifting.changed.length,
        n_dismissed: this.drifting.dismissed.length,
        n_resolved: this.drifting.resolved.length,
      },
      n_observations: this.drifting.compared.n_observations,
      is_stale: this.isDriftStale ?? !this.#hasDrifted,
    };
  }

  exportText(params: Params) {
    return this.answer("exportText", [params], () => JSON.stringify({ memlens: 1, params }, null, 2));
  }

  exportSave(params: Params) {
    return this.answer("exportSave", [params], (): string | null => "/home/robin/memlens.json");
  }

  toolServers() {
    return this.answer("toolServers", [], () => this.serving.servers);
  }

  toolServerChange(agent: string, choice: ToolServerChoice | null) {
    return this.answer("toolServerChange", [agent, choice], () => this.serving.change(agent, choice));
  }

  toolServerWrite(id: number) {
    return this.answer("toolServerWrite", [id], (): ToolServerWritten | null => this.serving.write(id));
  }

  testToolServer(agent: string, query: string) {
    return this.answer("testToolServer", [agent, query], () => this.serving.test(agent, query));
  }

  exportTargets() {
    return this.answer("exportTargets", [], () => TARGETS);
  }

  exportFor(ranking: Ranking, target: string, agent: string | null) {
    return this.answer("exportFor", [ranking, target, agent], () => {
      this.#exported = exported(ranking, target, agent, this.#leastScore);
      return this.#exported;
    });
  }

  exportFragment(id: number) {
    return this.answer("exportFragment", [id], (): string | null => "/home/robin/clerk.json");
  }

  exportWrite(id: number) {
    return this.answer("exportWrite", [id], (): WrittenConfig | null => {
      const row = this.#exported?.rows.find(({ parameter }) => parameter === "min_score");
      this.#leastScore = Number(row?.told);
      return { path: "~/.clerk/clerk.json", backup: "~/.clerk/clerk.json.bak", n_backups: 1, problems: [] };
    });
  }

  exportUndo(backup: string) {
    return this.answer("exportUndo", [backup], (): WrittenConfig | null => {
      this.#leastScore = 0.45;
      return { path: "~/.clerk/clerk.json", backup: "~/.clerk/clerk.json.2.bak", n_backups: 2, problems: [] };
    });
  }

  nearestSetting(set: string, ranking: Ranking, target: string) {
    return this.answer("nearestSetting", [set, ranking, target], (): NearestSetting | null => NEAREST);
  }

  pickConfig(target: string) {
    return this.answer("pickConfig", [target], (): string | null => "/home/robin/clerk.json");
  }

  openConfig(target: string, forExport: boolean, editor: Editor) {
    return this.answer("openConfig", [target, forExport, editor], () => undefined);
  }

  agentConfig(target: string, agent: string | null) {
    return this.answer("agentConfig", [target, agent], (): AgentConfig | null => CONFIG);
  }

  presetOpen() {
    return this.answer("presetOpen", [], (): Preset | null => ({
      name: "memlens.json",
      params: { ...DEFAULTS, fusion: "rrf", fusion_k: 20 },
      notes: ["“rerank_model” is not known to this version and was left out."],
      is_built_in: false,
    }));
  }

  presetRead(path: string) {
    return this.answer("presetRead", [path], (): Preset => ({
      name: path,
      params: DEFAULTS,
      notes: [],
      is_built_in: false,
    }));
  }

  presets() {
    return this.answer("presets", [], () => this.#presets);
  }

  presetSave(name: string, params: Params) {
    return this.answer("presetSave", [name, params], () => {
      this.#presets = [
        ...this.#presets.filter((preset) => preset.name !== name),
        { name, params, notes: [], is_built_in: false },
      ];
      return this.#presets;
    });
  }

  presetDelete(name: string) {
    return this.answer("presetDelete", [name], () => {
      this.#presets = this.#presets.filter((preset) => preset.name !== name);
      return this.#presets;
    });
  }

  recallLogs() {
    return this.answer("recallLogs", [], () => this.past.logs());
  }

  importRecall() {
    const isStopped = this.whenStopped("import");
    return this.answer("importRecall", [], async (): Promise<RecallImport | null> => {
      if (!this.isRecallAgreed) return null;
      const how = this.recallGate === null ? null : await Promise.race([this.recallGate, isStopped]);
      return { ...this.past.import(), is_stopped: how === "stopped" };
    });
  }

  forgetRecall() {
    return this.answer("forgetRecall", [], () => this.past.forget());
  }

  recordCalls(isOn: boolean) {
    return this.answer("recordCalls", [isOn], (): RecallLogs | null => this.past.record(isOn));
  }

  setRecall(change: RecallChangeArgument) {
    return this.answer("setRecall", [change], () => this.past.change(change));
  }

  pastQuestions(filter: PastFilterArgument, page: PastPageArgument) {
    return this.answer("pastQuestions", [filter, page], () => this.past.questions(filter, page));
  }

  completePast(text: string) {
    return this.answer("completePast", [text], () => this.past.wordings(text));
  }

  autopsyChoices(agent: string | null) {
    return this.answer("autopsyChoices", [agent], () => this.past.choices(agent));
  }

  thenNow(id: string, by: Ranking | null) {
    return this.answer("thenNow", [id, by], async () => {
      if (this.thenNowGate !== null) await this.thenNowGate;
      return this.past.thenNow(id, by);
    });
  }

  replayPast(by: Ranking | null) {
    const isStopped = this.whenStopped("replay");
    return this.answer("replayPast", [by], async (): Promise<ReplaySummary | null> => {
      const how = this.replayGate === null ? null : await Promise.race([this.replayGate, isStopped]);
      return how === "stopped" ? null : this.past.replay(by);
    });
  }

  autopsy(question: AutopsyQuestion) {
    return this.answer("autopsy", [question], async () => {
      if (this.autopsyGate !== null) await this.autopsyGate;
      return autopsied(question);
    });
  }

  pastMarkdown(id: string, by: Ranking | null, withText: boolean) {
    return this.answer("pastMarkdown", [id, by, withText], () => `# Past question ${id}\n`);
  }

  autopsyMarkdown(question: AutopsyQuestion, withText: boolean) {
    return this.answer(
      "autopsyMarkdown",
      [question, withText],
      () => `# Why was “${question.fact}” forgotten?\n`,
    );
  }

  savePastQueries() {
    return this.answer("savePastQueries", [], (): SavedQueries | null => ({
      path: "/home/robin/queries.jsonl",
      notices: ["9 opened or cited notes were changed since and are not counted"],
    }));
  }

  /** The answer, or null if it is stopped meanwhile. */
  #measured<T>(name: keyof Backend, args: unknown[], make: () => T): Promise<T | null> {
    const isStopped = this.whenStopped("tune");
    return this.answer(name, args, async () => {
      const how = this.tuneGate === null ? null : await Promise.race([this.tuneGate, isStopped]);
      return how === "stopped" ? null : make();
    });
  }

  querySets() {
    return this.answer("querySets", [], () => this.#tune.infos());
  }

  querySet(set: string) {
    return this.answer("querySet", [set], () => this.#tune.view(set));
  }

  newQuerySet(name: string, from: NewSetFrom, ifTaken: IfTaken) {
    return this.answer("newQuerySet", [name, from, ifTaken], () => this.#tune.make(name, from, ifTaken));
  }

  renameQuerySet(set: string, name: string) {
    return this.answer("renameQuerySet", [set, name], () => this.#tune.rename(set, name));
  }

  deleteQuerySet(set: string) {
    return this.answer("deleteQuerySet", [set], () => this.#tune.remove(set));
  }

  saveQuery(set: string, query: QueryEdit) {
    return this.answer("saveQuery", [set, query], () => this.#tune.save(set, query));
  }

  removeQueries(set: string, ids: string[]) {
    return this.answer("removeQueries", [set, ids], () => this.#tune.removeQueries(set, ids));
  }

  importQuerySet(again: IfTaken | null) {
    return this.answer("importQuerySet", [again], (): MadeSet | null =>
      this.isSetChosen ? this.#tune.import(again ?? "refuse") : null,
    );
  }

  exportQuerySet(set: string, format: SetFormat) {
    return this.answer("exportQuerySet", [set, format], (): string | null => `/home/robin/queries.${format}`);
  }

  measureSet(wish: SetWish, pinned: Ranking, metric: Metric) {
    return this.#measured("measureSet", [wish, pinned, metric], () =>
      this.#tune.metrics(wish, pinned, metric),
    );
  }

  sensitivity(wish: SetWish, pinned: Ranking | null, metric: Metric) {
    return this.#measured("sensitivity", [wish, pinned, metric], () =>
      this.#tune.sensitivity(wish, pinned, metric),
    );
  }

  calibrate(wish: SetWish) {
    return this.#measured("calibrate", [wish], () => this.#tune.calibrate(wish));
  }

  autoTune(wish: SetWish, request: TuneRequest) {
    return this.#measured("autoTune", [wish, request], () => this.#tune.autoTune(wish, request));
  }

  runs() {
    return this.answer("runs", [], () => this.#tune.runs());
  }

  saveRun(wish: SetWish, name: string) {
    return this.answer("saveRun", [wish, name], () => this.#tune.saveRun(wish, name));
  }

  run(id: string) {
    return this.answer("run", [id], () => this.#tune.run(id));
  }

  compareRuns(a: string, b: string) {
    return this.answer("compareRuns", [a, b], () => this.#tune.compareRuns(a, b));
  }

  renameRun(id: string, name: string) {
    return this.answer("renameRun", [id, name], () => this.#tune.renameRun(id, name));
  }

  deleteRun(id: string) {
    return this.answer("deleteRun", [id], () => this.#tune.deleteRun(id));
  }

  exportRun(id: string) {
    return this.answer("exportRun", [id], (): string | null => `/home/robin/${id}.json`);
  }

  zoom(factor: number) {
    return this.answer("zoom", [factor], () => {});
  }

  startQuery() {
    return this.answer("startQuery", [], () => this.options.startQuery ?? null);
  }

  /** Has a past search be one that failed. */
  failSearch(id: string): void {
    this.past.fail(id);
  }

  /** Has an agent open notes without a search. */
  openNotes(): void {
    this.past.add(madeOpening(Date.now()));
  }

  /** Lets the oldest past questions expire. */
  forgetOldest(n: number): void {
    this.past.forgetOldest(n);
    this.loseAnswers(null);
  }
}
