import { orderedTree } from "../src/api/trees";
import type { Backend } from "../src/api/backend";
import { RunningJobs, type ProgressReport } from "../src/api/jobs";
import { commands } from "../src/api/bindings";
import type {
  Activity,
  AgentConfig,
  AgentView,
  AutopsyQuestion,
  ClusterReport,
  ClustersAnswer,
  DriftAnswer,
  DriftReport,
  DriftTotals,
  Editor,
  ErrorInfo,
  Export,
  FeedbackEntry,
  FeedbackImport,
  FileProblem,
  FolderTree,
  HttpChoice,
  IfTaken,
  JobKind,
  JobProgress,
  LibraryState,
  LostAnswers,
  MadeSet,
  Metric,
  ModelChoice,
  NearestSetting,
  NewSetFrom,
  NoteQuery,
  Params,
  PastFilterArgument,
  PastPageArgument,
  PipelineInfo,
  Preset,
  QueryEdit,
  Ranking,
  RecallChangeArgument,
  RecallImport,
  ReplaySummary,
  Reranked,
  RerankSettings,
  RerankTime,
  RowThumb,
  Said,
  SavedQueries,
  ScopeArgument,
  SearchAnswer,
  SetFormat,
  SetWish,
  SuggestedQuestion,
  TraceForm,
  TreeEntry,
  TuneRequest,
  UnreadFolder,
  WrittenConfig,
} from "../src/api/bindings";
import { overviewOf, pageOf } from "./fake/overview";
import { DEFAULTS } from "../src/api/parameters";
import { ownParams } from "../src/parameters/pipeline";
import { DRIFT } from "./fake/drift";
import { EMULATED } from "./fake/agent-pipeline";
import { journeyBy, rankBy } from "./fake/any-pipeline";
import { alwaysText, alwaysView, found } from "./fake/agents";
import { compared, comparedOver, PIPELINES } from "./fake/compare";
import { CONFIG, exported, NEAREST, TARGETS } from "./fake/export";
import { FOLDERS, makeChunks, type FakeChunk } from "./fake/notes";
import { autopsied } from "./fake/autopsy";
import { madeOpening, PastMemory, type PastState } from "./fake/past";
import { rank, retrieve, sentBy, snippetsOf, type FakeSet } from "./fake/ranking";
import { heatOf, NO_RERANKERS, previewOf, rerankKey, scoreBy, withHttp, withModel } from "./fake/rerank";
import { TuneMemory, type TuneState } from "./fake/tune";
import { whyNotOf } from "./fake/why-not";

export type FakeOptions = {
  nChunks?: number;
  /** Added to every answer. */
  latencyMs?: number;
  indexing?: LibraryState["indexing"];
  problems?: FileProblem[];
  hasFolders?: boolean;
  startQuery?: string | null;
  presets?: Preset[];
  readOnly?: string | null;
  rerankers?: Partial<RerankSettings>;
  rerankCalls?: RerankTime[];
  /** What is found on the machine; nothing unless given. */
  agents?: AgentView[];
  /** The agents' pipelines that can be chosen. */
  pipelines?: PipelineInfo[];
  /** How much is known of what agents asked; no log unless given. */
  past?: PastState;
  /** How many past questions there are; a few unless given. */
  nPast?: number;
  /** The stored query sets; empty unless set. */
  tune?: TuneState;
};

const START_MS = Date.UTC(2026, 10, 21, 9, 30);

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

const said = (path: string, line: number, text: string, source: string, distance: number): Said => ({
  folder: "notes",
  path,
  line,
  end_line: line,
  text,
  source,
  distance,
  measure: "simhash",
});

/** Two statements that occur more than once. */
export const CLUSTERS: ClusterReport = {
  clusters: [
    {
      canonical: said("reference/home-server.md", 12, "The push relay listens on 8093.", "helper", 0),
      members: [
        said("people/signe-profile.md", 9, "the push relay listens on 8093", "iris", 0),
        said("protocols/group-rooms.md", 4, "The push relay still listens on 8093.", "otto", 3),
      ],
      n_members: 2,
      n_sources: 3,
    },
    {
      canonical: said("people/health-and-food.md", 7, "Signe does not eat walnuts at all.", "helper", 0),
      members: [said("people/signe-profile.md", 21, "Signe does not eat walnuts, at all", "helper", 0)],
      n_members: 1,
      n_sources: 1,
    },
  ],
  n_clusters: 2,
  corroborated_count: 5,
  n_observations: 412,
  n_boilerplate: 38,
  elapsed_ms: 31.4,
};

// The class has a method for every command: those that it does not write itself are made by its static block.
// eslint-disable-next-line @typescript-eslint/no-unsafe-declaration-merging, @typescript-eslint/no-empty-object-type
export interface FakeBackend extends Backend {}

/** An engine in memory: its data are made up, its answers follow the parameters, its calls are counted. */
// eslint-disable-next-line @typescript-eslint/no-unsafe-declaration-merging
export class FakeBackend {
  static {
    for (const name of Object.keys(commands) as (keyof typeof commands)[]) {
      if (name in FakeBackend.prototype) continue;
      Object.defineProperty(FakeBackend.prototype, name, {
        value(this: FakeBackend, ...args: unknown[]) {
          return this.#answer(name, args, () => {
            throw { code: "not_faked", message: `FakeBackend does not answer ${name}` } satisfies ErrorInfo;
          });
        },
      });
    }
  }

  readonly calls: { name: keyof Backend; args: unknown[] }[] = [];
  /** Rejects every call of this name until it is cleared. */
  failing: Partial<Record<keyof Backend, ErrorInfo>> = {};
  /** What is not read, by the folder's path in any watched folder. */
  unreadFiles: Record<string, Pick<UnreadFolder, "entries" | "n_more">> = {};
  /** What the test of a provider finds. */
  rerankTestScores = [0.93, 0.04];
  rerankTestNotices: string[] = [];
  /** Why the reranker fails; null if it answers. */
  rerankFailure: string | null = null;
  /** How many calls are given up because the reranker is still being loaded; they are not held back. */
  nCallsLoading = 0;
  /** Delays the reranker's answer until it is called or the call ends. */
  rerankGate: Promise<void> | null = null;
  /** Delays the answer to an agent's question until it is settled. */
  emulationGate: Promise<void> | null = null;
  /** The minScore in the clerk's config. */
  #leastScore = 0.35;
  #exported: Export | null = null;
  /** What agents asked. */
  readonly past: PastMemory;
  readonly #tune: TuneMemory;
  readonly #options: FakeOptions;
  readonly #chunks: FakeChunk[];
  #holds: (path: string) => boolean = () => true;
  readonly #sets = new Map<number, FakeSet>();
  readonly #stateListeners = new Set<(state: LibraryState) => void>();
  readonly #activityListeners = new Set<(activity: Activity) => void>();
  readonly #jobs = new RunningJobs();
  readonly #followed = new Map<JobKind, number>();
  readonly #stops = new Map<JobKind, () => void>();
  readonly #lostListeners = new Set<(lost: LostAnswers | null) => void>();
  #rerankers: RerankSettings;
  #endRerank: () => void = () => undefined;
  #state: LibraryState;
  #presets: Preset[];
  #nSearches = 0;
  #feedback: (FeedbackEntry & { chunk: string })[] = [];
  readonly #queries = new Map<number, string>();
  #nVotes = 0;

  constructor(options: FakeOptions = {}) {
    this.#options = options;
    this.past = new PastMemory(options.past ?? "none", options.nPast ?? null);
    this.#tune = new TuneMemory(options.tune ?? "none");
    this.#chunks = makeChunks(options.nChunks ?? 564);
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
    this.#rerankers = { ...NO_RERANKERS, ...options.rerankers };
    const problems = options.problems ?? [];
    const hasFolders = options.hasFolders ?? true;
    this.#state = {
      folders: hasFolders
        ? FOLDERS.map((folder) => ({
            ...folder,
            n_chunks: this.#chunks.filter((chunk) => chunk.folder === folder.id).length,
          }))
        : [],
      n_files: hasFolders ? 10 : 0,
      n_chunks: hasFolders ? this.#chunks.length : 0,
      n_problems: problems.length,
      model: "all-MiniLM-L6-v2",
      generation: 1,
      clustering: null,
      phase: { kind: "working" },
      indexing: options.indexing ?? null,
      scanning: null,
      data_dir: "/home/robin/.local/share/memlens",
      data_bytes: 4_812_300,
      notices: [],
      read_only: options.readOnly ?? null,
      version: "0.1.0",
    };
  }

  /** Changes the library and notifies the window, as an event would. */
  changeState(change: Partial<LibraryState>): void {
    this.#state = { ...this.#state, ...change };
    for (const listener of this.#stateListeners) listener(this.#state);
  }

  /** Lets the notes whose path passes be all that the library holds, as if others had gone or those had come. */
  changeNotes(holds: (path: string) => boolean): void {
    this.#holds = holds;
    this.changeState({ generation: this.#state.generation + 1 });
  }

  happen(activity: Activity): void {
    for (const listener of this.#activityListeners) listener(activity);
  }

  nCalls(name: keyof Backend): number {
    return this.calls.filter((call) => call.name === name).length;
  }

  /** Changes the progress of a job, as an event of the engine would. */
  progress(progress: JobProgress): void {
    this.#jobs.take(progress);
  }

  onProgress<Kind extends JobKind>(job: Kind, report: ProgressReport<Kind>) {
    const end = this.#jobs.follow(job, report);
    this.#followed.set(job, this.nFollowing(job) + 1);
    return () => {
      end();
      this.#followed.set(job, this.nFollowing(job) - 1);
    };
  }

  /** How many follow the progress of a job. */
  nFollowing(job: JobKind): number {
    return this.#followed.get(job) ?? 0;
  }

  stop(job: JobKind) {
    return this.#answer("stop", [job], () => this.#stops.get(job)?.());
  }

  /** How often a job was asked to stop. */
  nStops(job: JobKind): number {
    return this.calls.filter(({ name, args }) => name === "stop" && args[0] === job).length;
  }

  /** Settles when the job is asked to stop. */
  #stopped(job: JobKind): Promise<"stopped"> {
    return new Promise((resolve) => this.#stops.set(job, () => resolve("stopped")));
  }

  state() {
    return this.#answer("state", [], () => this.#state);
  }

  openAgain() {
    return this.#answer("openAgain", [], () => this.#state);
  }

  #isIn(scope: ScopeArgument, folder: string, path: string): boolean {
    if (scope.agent === undefined) return folder === scope.folder && path.startsWith(scope.path);
    return this.#state.folders.some((one) => one.id === folder && one.agent?.id === scope.agent);
  }

  pipelines() {
    return this.#answer("pipelines", [], (): PipelineInfo[] =>
      this.#options.pipelines === undefined
        ? PIPELINES
        : [...PIPELINES.slice(0, 1), ...this.#options.pipelines],
    );
  }

  search(query: string, ranking: Ranking, scope: ScopeArgument | null) {
    return this.#answer("search", [query, ranking, scope], async (): Promise<SearchAnswer> => {
      const own = ownParams(ranking);
      if (own === null && this.emulationGate !== null) await this.emulationGate;
      const chunks = this.#chunks.filter(
        (chunk) => this.#holds(chunk.path) && (scope === null || this.#isIn(scope, chunk.folder, chunk.path)),
      );
      const set = retrieve(query, chunks, own ?? DEFAULTS);
      const id = ++this.#nSearches;
      this.#sets.set(id, set);
      this.#queries.set(id, query);
      const columns = rankBy(set, ranking);
      return {
        id,
        query,
        rows: set.rows,
        columns,
        snippets: snippetsOf(set, columns.order.slice(0, 60)),
        words: set.words,
        bm25_ideal: set.bm25Ideal,
        emulated: own === null ? EMULATED : null,
        notices:
          set.words.length === 0
            ? [
                `“${query}” has no letters or digits, so BM25 was skipped. The order comes from vectors alone.`,
              ]
            : [],
        n_chunks: chunks.length,
        retrieve_ms: 9.3,
        generation: this.#state.generation,
        clustering: this.#state.clustering,
      };
    });
  }

  compare(query: string, a: Ranking, b: Ranking, scope: ScopeArgument | null) {
    return this.#answer("compare", [query, a, b, scope], () => compared(query, this.#chunks, a, b));
  }

  /** While it is set, a comparison over a query set does not end by itself. */
  compareGate: Promise<void> | null = null;

  compareQueries(set: string, a: Ranking, b: Ranking) {
    const isStopped = this.#stopped("compare");
    return this.#answer("compareQueries", [set, a, b], async () => {
      const how = this.compareGate === null ? null : await Promise.race([this.compareGate, isStopped]);
      return how === "stopped" ? null : comparedOver(a, b);
    });
  }

  rank(search: number, ranking: Ranking) {
    return this.#answer("rank", [search, ranking], () => rankBy(this.#set(search), ranking));
  }

  rerank(search: number, params: Params) {
    this.#endRerank();
    const isLoading = this.nCallsLoading > 0;
    if (isLoading) this.nCallsLoading--;
    const gate = isLoading ? null : this.rerankGate;
    const isEnded = new Promise<"ended">((resolve) => (this.#endRerank = () => resolve("ended")));
    return this.#answer("rerank", [search, params], async (): Promise<Reranked> => {
      const set = this.#set(search);
      const key = rerankKey(params);
      const known = set.known.get(key) ?? { bySlot: new Map<number, number>(), failure: null };
      const how = gate === null ? "answered" : await Promise.race([gate, isEnded]);
      if (isLoading) known.failure = "the model is still being loaded";
      else known.failure = how === "ended" ? "cancelled" : this.rerankFailure;
      if (known.failure === null)
        for (const slot of sentBy(set, params)) known.bySlot.set(slot, scoreBy(set, params, slot));
      set.known.set(key, known);
      if (params.hook === "on") {
        const { order, n_kept } = rank(set, { ...params, hook: "off" });
        set.hooked.add(order.slice(0, n_kept).join());
      }
      return { columns: rank(set, params), is_loading: isLoading };
    });
  }

  cancelRerank() {
    return this.#answer("cancelRerank", [], () => this.#endRerank());
  }

  rerankPreview(search: number, params: Params, slots: number[]) {
    return this.#answer("rerankPreview", [search, params, slots], () => {
      const set = this.#set(search);
      return previewOf(set, params, sentBy(set, params), slots);
    });
  }

  rerankHeat(search: number, params: Params, slot: number) {
    return this.#answer("rerankHeat", [search, params, slot], () => heatOf(this.#set(search), params, slot));
  }

  rerankCalls() {
    return this.#answer("rerankCalls", [], (): RerankTime[] => this.#options.rerankCalls ?? []);
  }

  rerankSettings() {
    return this.#answer("rerankSettings", [], () => this.#rerankers);
  }

  setRerankHttp(http: HttpChoice, key: string | null) {
    return this.#answer("setRerankHttp", [http, key], () => {
      this.#rerankers = withHttp(this.#rerankers, http, key);
      return this.#rerankers;
    });
  }

  rerankHttpOff() {
    return this.#answer("rerankHttpOff", [], () => {
      const { http } = this.#rerankers;
      this.#rerankers = { ...this.#rerankers, http: http === null ? null : { ...http, is_on: false } };
      return this.#rerankers;
    });
  }

  testRerankHttp(nTexts: number) {
    return this.#answer("testRerankHttp", [nTexts], () => ({
      ms: 212,
      scores: this.rerankTestScores,
      n_texts: nTexts,
      notices: this.rerankTestNotices,
      model: "rerank-v4.0-fast",
      scale: "unit" as const,
      host: "api.cohere.com",
    }));
  }

  setRerankModel(model: ModelChoice | null) {
    return this.#answer("setRerankModel", [model], () => {
      this.#rerankers = withModel(this.#rerankers, model);
      return this.#rerankers;
    });
  }

  downloadRerankModel(name: string) {
    return this.#answer("downloadRerankModel", [name], () => undefined);
  }

  setHook(command: string[] | null) {
    return this.#answer("setHook", [command], () => {
      this.#rerankers = { ...this.#rerankers, hook: command };
      return this.#rerankers;
    });
  }

  journey(search: number, ranking: Ranking, slot: number) {
    return this.#answer("journey", [search, ranking, slot], () =>
      journeyBy(this.#set(search), ranking, slot),
    );
  }

  snippets(search: number, slots: number[]) {
    return this.#answer("snippets", [search, slots], () => snippetsOf(this.#set(search), slots));
  }

  whyNot(
    search: number,
    ranking: Ranking,
    folder: string | null,
    path: string,
    line: number | null,
    chunk: string | null,
  ) {
    return this.#answer("whyNot", [search, ranking, folder, path, line, chunk], () =>
      whyNotOf(this.#set(search), ranking, { folder, path, line, chunk }, this.#options.problems ?? []),
    );
  }

  thumbs(search: number) {
    return this.#answer("thumbs", [search], () => this.#rowThumbs(search));
  }

  vote(search: number, slot: number, up: boolean) {
    return this.#answer("vote", [search, slot, up], () => {
      const row = this.#set(search).rows[slot];
      const query = this.#queries.get(search) ?? "";
      if (row === undefined) throw { code: "error", message: `cannot show row ${slot}` } satisfies ErrorInfo;
      const known = this.#feedback.find((one) => one.chunk === row.chunk && one.query === query);
      this.#feedback = this.#feedback.filter((one) => one !== known);
      if (known?.up !== up)
        this.#feedback.unshift({
          id: `${++this.#nVotes}`,
          chunk: row.chunk,
          up,
          query,
          path: `${row.folder_name}/${row.path}`,
          text: `The text of ${row.path}`,
          at_ms: START_MS,
          is_edited: false,
          found: {
            folder: row.folder,
            path: row.path,
            start_line: row.start_line,
            end_line: row.end_line,
          },
        });
      return this.#rowThumbs(search);
    });
  }

  /** What was judged at places. */
  #judgedPlaces = new Set<string>();

  judgePlace(query: string, place: string, up: boolean) {
    return this.#answer("judgePlace", [query, place, up], () => {
      const key = JSON.stringify([query, place, up]);
      if (this.#judgedPlaces.delete(key)) return false;
      this.#judgedPlaces.add(key);
      return true;
    });
  }

  /** What a pass finds. */
  found: ClusterReport = CLUSTERS;
  #hasPassed = false;

  clusters(params: Params, folder: string | null) {
    return this.#answer("clusters", [params, folder], () => this.#clusters(folder));
  }

  aggregate(params: Params, folder: string | null) {
    return this.#answer("aggregate", [params, folder], () => {
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

  /** How many statements occur more than once; null: as many as `found` holds. */
  nSaidAgain: number | null = null;

  overview(params: Params, isSeen: boolean) {
    return this.#answer("overview", [params, isSeen], () => {
      const hasCompared = this.#hasPassed || this.#hasDrifted;
      return overviewOf(
        hasCompared ? (this.nSaidAgain ?? this.found.n_clusters) : null,
        hasCompared ? this.#drift().totals.n_sure : null,
      );
    });
  }

  notePage(query: NoteQuery, first: number) {
    return this.#answer("notePage", [query, first], () => pageOf(query, first));
  }

  /** What a pass would find of contradictions. */
  drifting: DriftReport = DRIFT;
  /** How many contradictions there are; null: as many as `drifting` lists. */
  driftTotals: DriftTotals | null = null;
  /** Holds a pass back until it is settled, or the job is stopped. */
  driftGate: Promise<void> | null = null;
  /** Whether notes changed since the last pass; null: if there was none. */
  isDriftStale: boolean | null = null;
  #hasDrifted = false;

  drift(params: Params) {
    return this.#answer("drift", [params], () => this.#drift());
  }

  driftNow(params: Params) {
    return this.#answer("driftNow", [params], async () => {
      const how =
        this.driftGate === null
          ? "compared"
          : await Promise.race([this.driftGate, this.#stopped("aggregation")]);
      this.#hasDrifted ||= how !== "stopped";
      return this.#drift();
    });
  }

  dismissContradiction(id: string, isDismissed: boolean, params: Params) {
    return this.#answer("dismissContradiction", [id, isDismissed, params], () => {
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

  #drift(): DriftAnswer {
    return {
      report: this.#hasDrifted ? this.drifting : null,
      totals: this.driftTotals ?? {
        n_sure: this.drifting.contradictions.filter(({ sure }) => sure).length,
        n_unsure: this.drifting.contradictions.filter(({ sure }) => !sure).length,
        n_changed: this.drifting.changed.length,
        n_dismissed: this.drifting.dismissed.length,
      },
      n_observations: this.drifting.compared.n_observations,
      is_stale: this.isDriftStale ?? !this.#hasDrifted,
    };
  }

  /** Of the headings of the notes. */
  suggested: SuggestedQuestion[] = [
    { question: "What do my notes say about the push relay?", agent_name: null, found_nothing: false },
    { question: "Who wants to be told what?", agent_name: null, found_nothing: false },
  ];

  suggestedQuestions() {
    return this.#answer("suggestedQuestions", [], () => this.suggested);
  }

  openSampleNotes() {
    return this.#answer("openSampleNotes", [], () => {
      const folder = {
        id: `folder-${this.#state.folders.length + 1}`,
        path: "/home/robin/.local/share/memlens-sample-notes",
        name: "memlens-sample-notes",
        agent: null,
        n_files: 11,
        n_chunks: 117,
        status: "watching" as const,
        why: null,
      };
      const folders = this.#state.folders.filter(({ path }) => path !== folder.path);
      this.changeState({ folders: [...folders, folder] });
      return this.#state;
    });
  }

  savedList: string[] = [];

  savedQuestions() {
    return this.#answer("savedQuestions", [], () => this.savedList);
  }

  saveQuestion(question: string, saved: boolean) {
    return this.#answer("saveQuestion", [question, saved], () => {
      const others = this.savedList.filter((one) => one !== question);
      this.savedList = saved ? [question, ...others] : others;
      return this.savedList;
    });
  }

  setEvergreen(folder: string, path: string, isEvergreen: boolean): Promise<FolderTree[]> {
    return this.#answer("setEvergreen", [folder, path, isEvergreen], (): FolderTree[] => []);
  }

  feedback() {
    return this.#answer("feedback", [], (): FeedbackEntry[] => this.#feedback);
  }

  feedbackUndo(id: string) {
    return this.#answer("feedbackUndo", [id], (): FeedbackEntry[] => {
      this.#feedback = this.#feedback.filter((one) => one.id !== id);
      return this.#feedback;
    });
  }

  feedbackSave() {
    return this.#answer("feedbackSave", [], (): string | null => "/home/robin/memlens-feedback.jsonl");
  }

  feedbackOpen() {
    return this.#answer("feedbackOpen", [], (): FeedbackImport | null => ({
      n_added: 0,
      n_turned: 0,
      n_known: 3,
      problems: ["line 2: thumb must be 1 or -1, not 2", "line 2: thumb must be 1 or -1, not 2"],
    }));
  }

  unread(folder: string, paths: string[]) {
    return this.#answer("unread", [folder, paths], () =>
      paths.map((path) => ({ path, entries: [], n_more: 0, ...this.unreadFiles[path] })),
    );
  }

  tree() {
    return this.#answer("tree", [], (): FolderTree[] => {
      return this.#state.folders.map((folder) => {
        const entries = this.#entries(folder.id);
        return orderedTree({ folder, is_evergreen: false, stamp: JSON.stringify(entries), entries });
      });
    });
  }

  document(folder: string, path: string) {
    return this.#answer("document", [folder, path], () => {
      const chunks = this.#chunks.filter((chunk) => chunk.folder === folder && chunk.path === path);
      const nLines = chunks.at(-1)?.end_line ?? 1;
      const lines: string[] = Array.from({ length: nLines }, () => "");
      for (const chunk of chunks) lines[chunk.start_line - 1] = chunk.text;
      return {
        folder,
        folder_name: folder,
        path,
        text: lines.join("\n"),
        n_lines: nLines,
        chunks: chunks.map(({ chunk, start_line, end_line, tokens, heading }) => ({
          chunk,
          start_line,
          end_line,
          tokens,
          heading,
        })),
        agent: chunks[0]?.source ?? null,
        date: "2026-11-02",
        tags: ["home", "network"],
        modified_ms: START_MS,
        encoding: "UTF-8",
        problems: (this.#options.problems ?? []).filter((problem) => problem.path === path),
      };
    });
  }

  pickFolder() {
    return this.#answer("pickFolder", [], (): string | null => "/home/robin/more-notes");
  }

  addFolder(path: string) {
    return this.#answer("addFolder", [path], () => {
      const name = path.split("/").at(-1) ?? path;
      const folder = {
        id: `folder-${this.#state.folders.length + 1}`,
        path,
        name,
        agent: null,
        n_files: 3,
        n_chunks: 17,
        status: "watching" as const,
        why: null,
      };
      this.changeState({
        folders: [...this.#state.folders, folder],
        n_files: this.#state.n_files + 3,
        n_chunks: this.#state.n_chunks + 17,
      });
      return this.#state;
    });
  }

  agents() {
    return this.#answer("agents", [], () => found(this.#options.agents ?? [], this.#state.folders));
  }

  agentsLoaded() {
    return this.#answer("agentsLoaded", [], () =>
      found(this.#options.agents ?? [], this.#state.folders).agents.flatMap((agent) => agent.loaded),
    );
  }

  alwaysLoaded(agent: string) {
    return this.#answer("alwaysLoaded", [agent], () => alwaysView(agent));
  }

  alwaysText(agent: string, path: string) {
    return this.#answer("alwaysText", [agent, path], () => alwaysText(agent, path));
  }

  addAgent(id: string) {
    return this.#answer("addAgent", [id], () => {
      const agent = this.#options.agents?.find((one) => one.id === id);
      const known = new Set(this.#state.folders.map(({ path }) => path));
      const added = (agent?.folders ?? []).filter(({ path }) => !known.has(path));
      const folders = added.map(({ path }, at) => ({
        id: `folder-${this.#state.folders.length + at + 1}`,
        path,
        name: added.length === 1 ? (agent?.name ?? id) : `${agent?.name ?? id} ${at + 1}`,
        agent: { id, name: agent?.name ?? id },
        n_files: 2,
        n_chunks: 9,
        status: "watching" as const,
        why: null,
      }));
      this.changeState({ folders: [...this.#state.folders, ...folders] });
      return this.#state;
    });
  }

  removeFolder(folder: string) {
    return this.#answer("removeFolder", [folder], () => {
      this.changeState({ folders: this.#state.folders.filter(({ id }) => id !== folder) });
      return this.#state;
    });
  }

  pauseFolder(folder: string, paused: boolean) {
    return this.#answer("pauseFolder", [folder, paused], () => {
      const status = paused ? ("paused" as const) : ("watching" as const);
      this.changeState({
        folders: this.#state.folders.map((one) => (one.id === folder ? { ...one, status } : one)),
      });
      return this.#state;
    });
  }

  moveFolder(folder: string, path: string) {
    return this.#answer("moveFolder", [folder, path], () => {
      const name = path.split("/").at(-1) ?? path;
      this.changeState({
        folders: this.#state.folders.map((one) =>
          one.id === folder ? { ...one, path, name, status: "watching", why: null } : one,
        ),
      });
      return this.#state;
    });
  }

  pauseIndexing(paused: boolean) {
    return this.#answer("pauseIndexing", [paused], () => {
      this.changeState({ phase: { kind: paused ? "paused" : "working" } });
      return this.#state;
    });
  }

  problems() {
    return this.#answer("problems", [], () => this.#options.problems ?? []);
  }

  activity() {
    return this.#answer("activity", [], (): Activity[] => [
      {
        at_ms: START_MS - 40_000,
        folder_name: "notes",
        path: "MEMORY.md",
        what: "changed",
        detail: "2 chunks embedded",
      },
      {
        at_ms: START_MS - 400_000,
        folder_name: "agents",
        path: "clerk/2026-10-03.md",
        what: "added",
        detail: null,
      },
    ]);
  }

  openInEditor(folder: string, path: string, line: number | null, editor: Editor) {
    return this.#answer("openInEditor", [folder, path, line, editor], () => undefined);
  }

  showInFolder(folder: string, path: string) {
    return this.#answer("showInFolder", [folder, path], () => undefined);
  }

  openLink(address: string) {
    return this.#answer("openLink", [address], () => true);
  }

  dataSize() {
    return this.#answer("dataSize", [], () => ({
      database: 1_490_000,
      text_list: 220_000,
      vectors: 180_000,
      total: 1_895_000,
    }));
  }

  showLibrary() {
    return this.#answer("showLibrary", [], () => undefined);
  }

  eraseAll() {
    return this.#answer("eraseAll", [], () => {
      this.changeState({ folders: [], n_files: 0, n_chunks: 0, n_problems: 0, data_bytes: 90_000 });
      return this.#state;
    });
  }

  exportText(params: Params) {
    return this.#answer("exportText", [params], () => JSON.stringify({ memlens: 1, params }, null, 2));
  }

  exportSave(params: Params) {
    return this.#answer("exportSave", [params], (): string | null => "/home/robin/memlens.json");
  }

  exportTargets() {
    return this.#answer("exportTargets", [], () => TARGETS);
  }

  exportFor(ranking: Ranking, target: string, agent: string | null) {
    return this.#answer("exportFor", [ranking, target, agent], () => {
      this.#exported = exported(ranking, target, agent, this.#leastScore);
      return this.#exported;
    });
  }

  exportFragment(id: number) {
    return this.#answer("exportFragment", [id], (): string | null => "/home/robin/clerk.json");
  }

  exportWrite(id: number) {
    return this.#answer("exportWrite", [id], (): WrittenConfig | null => {
      const row = this.#exported?.rows.find(({ parameter }) => parameter === "min_score");
      this.#leastScore = Number(row?.told);
      return { path: "~/.clerk/clerk.json", backup: "~/.clerk/clerk.json.bak", n_backups: 1, problems: [] };
    });
  }

  exportUndo(backup: string) {
    return this.#answer("exportUndo", [backup], (): WrittenConfig | null => {
      this.#leastScore = 0.45;
      return { path: "~/.clerk/clerk.json", backup: "~/.clerk/clerk.json.2.bak", n_backups: 2, problems: [] };
    });
  }

  /** Delays the memory of an agent until it is settled. */
  memoryGate: Promise<void> | null = null;
  isMemoryWhole = true;

  prepareMemory(ranking: Ranking) {
    return this.#answer("prepareMemory", [ranking], async () => {
      await this.memoryGate;
      return this.isMemoryWhole;
    });
  }

  nearestSetting(set: string, ranking: Ranking, target: string) {
    return this.#answer("nearestSetting", [set, ranking, target], (): NearestSetting | null => NEAREST);
  }

  pickConfig(target: string) {
    return this.#answer("pickConfig", [target], (): string | null => "/home/robin/clerk.json");
  }

  openConfig(target: string, forExport: boolean, editor: Editor) {
    return this.#answer("openConfig", [target, forExport, editor], () => undefined);
  }

  agentConfig(target: string, agent: string | null) {
    return this.#answer("agentConfig", [target, agent], (): AgentConfig | null => CONFIG);
  }

  presetOpen() {
    return this.#answer("presetOpen", [], (): Preset | null => ({
      name: "memlens.json",
      params: { ...DEFAULTS, fusion: "rrf", fusion_k: 20 },
      notes: ["“rerank_model” is not known to this version and was left out."],
      is_built_in: false,
    }));
  }

  presetRead(path: string) {
    return this.#answer("presetRead", [path], (): Preset => ({
      name: path,
      params: DEFAULTS,
      notes: [],
      is_built_in: false,
    }));
  }

  presets() {
    return this.#answer("presets", [], () => this.#presets);
  }

  presetSave(name: string, params: Params) {
    return this.#answer("presetSave", [name, params], () => {
      this.#presets = [
        ...this.#presets.filter((preset) => preset.name !== name),
        { name, params, notes: [], is_built_in: false },
      ];
      return this.#presets;
    });
  }

  presetDelete(name: string) {
    return this.#answer("presetDelete", [name], () => {
      this.#presets = this.#presets.filter((preset) => preset.name !== name);
      return this.#presets;
    });
  }

  /** Whether the user agrees that logs are read. */
  isRecallAgreed = true;
  /** While it is set, an import does not end by itself. */
  recallGate: Promise<void> | null = null;

  recallLogs() {
    return this.#answer("recallLogs", [], () => this.past.logs());
  }

  importRecall() {
    const isStopped = this.#stopped("import");
    return this.#answer("importRecall", [], async (): Promise<RecallImport | null> => {
      if (!this.isRecallAgreed) return null;
      const how = this.recallGate === null ? null : await Promise.race([this.recallGate, isStopped]);
      return { ...this.past.import(), is_stopped: how === "stopped" };
    });
  }

  forgetRecall() {
    return this.#answer("forgetRecall", [], () => this.past.forget());
  }

  setRecall(change: RecallChangeArgument) {
    return this.#answer("setRecall", [change], () => this.past.change(change));
  }

  pastQuestions(filter: PastFilterArgument, page: PastPageArgument) {
    return this.#answer("pastQuestions", [filter, page], () => this.past.questions(filter, page));
  }

  completePast(text: string) {
    return this.#answer("completePast", [text], () => this.past.wordings(text));
  }

  autopsyChoices(agent: string | null) {
    return this.#answer("autopsyChoices", [agent], () => this.past.choices(agent));
  }

  /** Delays the next answers of then and now until it is settled. */
  thenNowGate: Promise<void> | null = null;

  thenNow(id: string, by: Ranking | null) {
    return this.#answer("thenNow", [id, by], async () => {
      if (this.thenNowGate !== null) await this.thenNowGate;
      return this.past.thenNow(id, by);
    });
  }

  /** While it is set, a replay does not end by itself. */
  replayGate: Promise<void> | null = null;

  replayPast(by: Ranking | null) {
    const isStopped = this.#stopped("replay");
    return this.#answer("replayPast", [by], async (): Promise<ReplaySummary | null> => {
      const how = this.replayGate === null ? null : await Promise.race([this.replayGate, isStopped]);
      return how === "stopped" ? null : this.past.replay(by);
    });
  }

  /** Delays the answer to an autopsy until it is settled. */
  autopsyGate: Promise<void> | null = null;

  autopsy(question: AutopsyQuestion) {
    return this.#answer("autopsy", [question], async () => {
      if (this.autopsyGate !== null) await this.autopsyGate;
      return autopsied(question);
    });
  }

  traceText(search: number, ranking: Ranking, preset: string | null, form: TraceForm, withText: boolean) {
    return this.#answer("traceText", [search, ranking, preset, form, withText], () =>
      form === "csv" ? "rank,path\n" : `# Search ${search}\n`,
    );
  }

  /** Where a trace is saved; null for a cancelled dialog. */
  savedTrace: string | null = "/home/ada/memlens-trace.csv";

  saveTrace(search: number, ranking: Ranking, preset: string | null, form: TraceForm, withText: boolean) {
    return this.#answer("saveTrace", [search, ranking, preset, form, withText], () => this.savedTrace);
  }

  rowsCopied(search: number, ranking: Ranking, slots: number[], asJson: boolean) {
    return this.#answer("rowsCopied", [search, ranking, slots, asJson], () =>
      asJson ? JSON.stringify(slots) : `text of ${slots.join(" and ")}`,
    );
  }

  pastMarkdown(id: string, by: Ranking | null, withText: boolean) {
    return this.#answer("pastMarkdown", [id, by, withText], () => `# Past question ${id}\n`);
  }

  autopsyMarkdown(question: AutopsyQuestion, withText: boolean) {
    return this.#answer(
      "autopsyMarkdown",
      [question, withText],
      () => `# Why was “${question.fact}” forgotten?\n`,
    );
  }

  savePastQueries() {
    return this.#answer("savePastQueries", [], (): SavedQueries | null => ({
      path: "/home/robin/queries.jsonl",
      notices: ["9 opened or cited notes were changed since and are not counted"],
    }));
  }

  /** Delays everything that measures a query set until it is settled or stopped. */
  tuneGate: Promise<void> | null = null;
  /** Whether the user chooses a file for an import. */
  isSetChosen = true;

  /** The answer, or null if it is stopped meanwhile. */
  #measured<T>(name: keyof Backend, args: unknown[], make: () => T): Promise<T | null> {
    const isStopped = this.#stopped("tune");
    return this.#answer(name, args, async () => {
      const how = this.tuneGate === null ? null : await Promise.race([this.tuneGate, isStopped]);
      return how === "stopped" ? null : make();
    });
  }

  querySets() {
    return this.#answer("querySets", [], () => this.#tune.infos());
  }

  querySet(set: string) {
    return this.#answer("querySet", [set], () => this.#tune.view(set));
  }

  newQuerySet(name: string, from: NewSetFrom, ifTaken: IfTaken) {
    return this.#answer("newQuerySet", [name, from, ifTaken], () => this.#tune.make(name, from, ifTaken));
  }

  renameQuerySet(set: string, name: string) {
    return this.#answer("renameQuerySet", [set, name], () => this.#tune.rename(set, name));
  }

  deleteQuerySet(set: string) {
    return this.#answer("deleteQuerySet", [set], () => this.#tune.remove(set));
  }

  saveQuery(set: string, query: QueryEdit) {
    return this.#answer("saveQuery", [set, query], () => this.#tune.save(set, query));
  }

  removeQueries(set: string, ids: string[]) {
    return this.#answer("removeQueries", [set, ids], () => this.#tune.removeQueries(set, ids));
  }

  importQuerySet(again: IfTaken | null) {
    return this.#answer("importQuerySet", [again], (): MadeSet | null =>
      this.isSetChosen ? this.#tune.import(again ?? "refuse") : null,
    );
  }

  exportQuerySet(set: string, format: SetFormat) {
    return this.#answer(
      "exportQuerySet",
      [set, format],
      (): string | null => `/home/robin/queries.${format}`,
    );
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
    return this.#answer("runs", [], () => this.#tune.runs());
  }

  saveRun(wish: SetWish, name: string) {
    return this.#answer("saveRun", [wish, name], () => this.#tune.saveRun(wish, name));
  }

  run(id: string) {
    return this.#answer("run", [id], () => this.#tune.run(id));
  }

  compareRuns(a: string, b: string) {
    return this.#answer("compareRuns", [a, b], () => this.#tune.compareRuns(a, b));
  }

  renameRun(id: string, name: string) {
    return this.#answer("renameRun", [id, name], () => this.#tune.renameRun(id, name));
  }

  deleteRun(id: string) {
    return this.#answer("deleteRun", [id], () => this.#tune.deleteRun(id));
  }

  exportRun(id: string) {
    return this.#answer("exportRun", [id], (): string | null => `/home/robin/${id}.json`);
  }

  zoom(factor: number) {
    return this.#answer("zoom", [factor], () => {});
  }

  startQuery() {
    return this.#answer("startQuery", [], () => this.#options.startQuery ?? null);
  }

  onState(listener: (state: LibraryState) => void) {
    this.#stateListeners.add(listener);
    return () => this.#stateListeners.delete(listener);
  }

  onActivity(listener: (activity: Activity) => void) {
    this.#activityListeners.add(listener);
    return () => this.#activityListeners.delete(listener);
  }

  onLost(listener: (lost: LostAnswers | null) => void) {
    this.#lostListeners.add(listener);
    return () => this.#lostListeners.delete(listener);
  }

  /** Has an edit take notes out of answers to past questions. */
  loseAnswers(lost: LostAnswers | null): void {
    for (const listener of this.#lostListeners) listener(lost);
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

  async #answer<T>(name: keyof Backend, args: unknown[], make: () => T | Promise<T>): Promise<T> {
    this.calls.push({ name, args });
    const latencyMs = this.#options.latencyMs ?? 0;
    if (latencyMs > 0) await new Promise((resolve) => setTimeout(resolve, latencyMs));
    const failure = this.failing[name];
    if (failure !== undefined) throw failure;
    return make();
  }

  #rowThumbs(search: number): RowThumb[] {
    const query = this.#queries.get(search);
    return this.#set(search).rows.flatMap((row, slot) => {
      const known = this.#feedback.find((one) => one.chunk === row.chunk && one.query === query);
      return known === undefined ? [] : [{ slot, up: known.up }];
    });
  }

  #set(search: number): FakeSet {
    const set = this.#sets.get(search);
    if (set === undefined)
      throw { code: "unknown_search", message: `there is no search ${search}` } satisfies ErrorInfo;
    return set;
  }

  #entries(folder: string): TreeEntry[] {
    const roots: TreeEntry[] = [];
    for (const chunk of this.#chunks.filter((one) => one.folder === folder)) {
      let level = roots;
      const names = chunk.path.split("/");
      for (const [depth, name] of names.entries()) {
        const path = names.slice(0, depth + 1).join("/");
        const isFolder = depth < names.length - 1;
        let entry = level.find((one) => one.name === name);
        if (entry === undefined) {
          entry = {
            name,
            path,
            is_folder: isFolder,
            n_chunks: 0,
            state: "indexed",
            is_evergreen: false,
            children: [],
          };
          level.push(entry);
        }
        entry.n_chunks++;
        level = entry.children;
      }
    }
    return roots;
  }
}
