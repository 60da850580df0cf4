import type {
  Activity,
  AgentConfig,
  AgentsView,
  AlwaysText,
  AlwaysView,
  Autopsy,
  AutopsyChoices,
  AutopsyProgress,
  AutopsyQuestion,
  CalibrationAnswer,
  ChosenQueries,
  ClustersAnswer,
  Columns,
  Comparison,
  DataSize,
  DocumentView,
  Editor,
  Download,
  EmulationProgress,
  Export,
  FeedbackEntry,
  FeedbackImport,
  FileProblem,
  FolderTree,
  Heat,
  HttpChoice,
  ImportedSet,
  Journey,
  LibraryState,
  LoadedFile,
  LostAnswers,
  Metric,
  ModelChoice,
  NearestSetting,
  NewSetFrom,
  Params,
  PastFilterArgument,
  PastPageArgument,
  PastQuestions,
  PipelineInfo,
  Preset,
  QueryEdit,
  QuerySetInfo,
  QuerySetProgress,
  QuerySetView,
  Ranking,
  RecallChangeArgument,
  RecallImport,
  RecallLogs,
  RecallProgress,
  ReplaySummary,
  Reranked,
  RerankSettings,
  RerankTest,
  RerankTime,
  RowThumb,
  RunComparison,
  RunInfo,
  RunView,
  ScopeArgument,
  SearchAnswer,
  Sensitivity,
  SentText,
  SetComparison,
  SetFormat,
  SetMetrics,
  SetWish,
  Snippet,
  TargetInfo,
  ThenNow,
  TuneAnswer,
  TuneProgress,
  TuneRequest,
  UnreadFolder,
  WhyAnswer,
  WrittenConfig,
  TraceForm,
} from "./bindings";

/** All that the window asks of the engine. Every call rejects with an `ErrorInfo`. */
export interface Backend {
  state(): Promise<LibraryState>;
  /** `scope`: a folder id and a sub-folder ("" = all of it), or an agent's id; null = everything. */
  search(query: string, ranking: Ranking, scope: ScopeArgument | null): Promise<SearchAnswer>;
  /** How far the chunks of an agent's memory are embedded while a search waits for it; null while none does. */
  emulationProgress(): Promise<EmulationProgress | null>;
  /** Ends that embedding; the search is answered by words alone. */
  stopEmulation(): Promise<void>;
  rank(search: number, ranking: Ranking): Promise<Columns>;
  /**
   * Asks the reranker and the hook for what these parameters lack, and ranks again. A newer call ends an older one,
   * which then answers with what it has. A failure of theirs is no rejection: it stands in the stage's status. A
   * reranker that is still being loaded is waited for by asking again.
   */
  rerank(search: number, params: Params): Promise<Reranked>;
  /** Ends the call to the reranker or the hook that is under way, if any. */
  cancelRerank(): Promise<void>;
  /** The texts of rows as the reranker gets them. */
  rerankPreview(search: number, params: Params, slots: number[]): Promise<SentText[]>;
  /** Which words of a row's text answered which words of the question; late interaction alone can tell. */
  rerankHeat(search: number, params: Params, slot: number): Promise<Heat>;
  /** The latest calls to rerankers, the newest first. */
  rerankCalls(): Promise<RerankTime[]>;
  journey(search: number, ranking: Ranking, slot: number): Promise<Journey>;
  /** The best passages of rows, by slot; those of the first rows come with the answer. */
  snippets(search: number, slots: number[]): Promise<Snippet[]>;
  /**
   * Tells what lost a note, or the chunks at one of its lines. Without a folder, `path` is a place as typed. The
   * changes that bring it back are those for `chunk`, or else for the best one.
   */
  whyNot(
    search: number,
    ranking: Ranking,
    folder: string | null,
    path: string,
    line: number | null,
    chunk: string | null,
  ): Promise<WhyAnswer>;
  /** Every pipeline that can be chosen, Memlens's own first. */
  pipelines(): Promise<PipelineInfo[]>;
  /** Two rankings of one question. */
  compare(query: string, a: Ranking, b: Ranking, scope: ScopeArgument | null): Promise<Comparison>;
  /** Lets the person choose a query set; null when they cancel. */
  chooseQueries(): Promise<ChosenQueries | null>;
  /** Two rankings over the query set that was chosen last; null where it was stopped. */
  compareQueries(a: Ranking, b: Ranking): Promise<SetComparison | null>;
  /** How far that is; null while none goes on. */
  compareProgress(): Promise<QuerySetProgress | null>;
  /** Ends it. */
  stopCompare(): Promise<void>;
  /** The thumbs that the rows of a search have for its question. */
  thumbs(search: number): Promise<RowThumb[]>;
  /** Gives a row a thumb: turns the other one, takes back the same one. The thumbs of the search's rows. */
  vote(search: number, slot: number, up: boolean): Promise<RowThumb[]>;
  /** Marks the chunk at a place ("folder/note.md:12") relevant for a question, or not; whether it has that mark now. */
  judgePlace(query: string, place: string, up: boolean): Promise<boolean>;
  /** Every thumb, the newest first. */
  feedback(): Promise<FeedbackEntry[]>;
  /** Takes a thumb back; those that are left. */
  feedbackUndo(id: string): Promise<FeedbackEntry[]>;
  /** Asks where and writes all thumbs; the path, or null when cancelled. */
  feedbackSave(): Promise<string | null>;
  /** Asks for a file and adds its thumbs; null when cancelled. */
  feedbackOpen(): Promise<FeedbackImport | null>;
  /** What the last pass over all observations found, at the distance that the parameters name. */
  clusters(params: Params, folder: string | null): Promise<ClustersAnswer>;
  /** Passes over all observations now, where anything changed. */
  aggregate(params: Params, folder: string | null): Promise<ClustersAnswer>;
  /** What the watched folders hold, in order (see `KnownTrees`). */
  tree(): Promise<FolderTree[]>;
  /** What is not read in folders of a watched folder; "" is the watched folder itself. */
  unread(folder: string, paths: string[]): Promise<UnreadFolder[]>;
  /** Says that a note or folder ("" = the watched folder) does not decay, or does; the trees as they are then. */
  setEvergreen(folder: string, path: string, isEvergreen: boolean): Promise<FolderTree[]>;
  /** Questions to begin with, of the headings of the notes; empty where none has words enough. */
  exampleQuestions(): Promise<string[]>;
  /** The questions that were saved, the newest first. */
  savedQuestions(): Promise<string[]>;
  /** Saves a question, or forgets that it was saved; those that are. */
  saveQuestion(question: string, saved: boolean): Promise<string[]>;
  document(folder: string, path: string): Promise<DocumentView>;
  /** Opens the system's folder dialog; null when cancelled. */
  pickFolder(): Promise<string | null>;
  addFolder(path: string): Promise<LibraryState>;
  /** Looks for agents at the places where they keep their memory, and nowhere else. */
  agents(): Promise<AgentsView>;
  /** What agents load of their files, up to their caps. */
  agentsLoaded(): Promise<LoadedFile[]>;
  /** The files that an agent always loads; none are read unless the agent is watched. */
  alwaysLoaded(agent: string): Promise<AlwaysView>;
  /** The text of a file that a watched agent always loads. */
  alwaysText(agent: string, path: string): Promise<AlwaysText>;
  /** Watches the folders of an agent that are not watched yet. */
  addAgent(id: string): Promise<LibraryState>;
  removeFolder(folder: string): Promise<LibraryState>;
  pauseFolder(folder: string, paused: boolean): Promise<LibraryState>;
  /** Says that a watched folder lies elsewhere now. */
  moveFolder(folder: string, path: string): Promise<LibraryState>;
  /** Opens the library once more, where that had failed. */
  openAgain(): Promise<LibraryState>;
  pauseIndexing(paused: boolean): Promise<LibraryState>;
  problems(): Promise<FileProblem[]>;
  activity(): Promise<Activity[]>;
  /** With the system's program for the file; `line` is for programs that can be told. */
  /** Opens a note with the person's program, at a line counted from 1 where that takes one. */
  openInEditor(folder: string, path: string, line: number | null, editor: Editor): Promise<void>;
  /** How much room the library takes on disk. */
  dataSize(): Promise<DataSize>;
  /** Opens the library's folder with the system's program for folders. */
  showLibrary(): Promise<void>;
  /** Forgets folders, notes, vectors, lists and presets; the notes' files are not touched. */
  eraseAll(): Promise<LibraryState>;
  /** Opens an address (`http`, `https` or `mailto`) with the system's program for it, once the person allows it; whether they did. */
  openLink(address: string): Promise<boolean>;
  /** The text of memlens.json for these parameters. */
  exportText(params: Params): Promise<string>;
  /** Asks where and writes it; the path, or null when cancelled. */
  exportSave(params: Params): Promise<string | null>;
  /** The programs that can be told how to rank. */
  exportTargets(): Promise<TargetInfo[]>;
  /** What becomes of a ranking in a target; `agent` names one of the program's agents. */
  exportFor(ranking: Ranking, target: string, agent: string | null): Promise<Export>;
  /** Asks where and writes the settings of this answer, alone; the path, or null when cancelled. */
  exportFragment(id: number): Promise<string | null>;
  /** Writes the change of this answer into the program's config, once the person allows it; null when they do not. */
  exportWrite(id: number): Promise<WrittenConfig | null>;
  /** The setting of a target that comes nearest to a ranking, on the query set that was chosen last; null where it was stopped. */
  nearestSetting(ranking: Ranking, target: string): Promise<NearestSetting | null>;
  /** Asks for the config of a target's program, which is used from then on; null when cancelled. */
  pickConfig(target: string): Promise<string | null>;
  /**
   * Opens the config of a target's program in the user's editor: the one that is written if `forExport`, else the one that its
   * ranking is read from.
   */
  openConfig(target: string, forExport: boolean, editor: Editor): Promise<void>;
  /** What the config of a target's program says of its search; null where there is none. */
  agentConfig(target: string, agent: string | null): Promise<AgentConfig | null>;
  /** Asks for a file and reads it back; null when cancelled. */
  presetOpen(): Promise<Preset | null>;
  /** Reads back what `exportSave` wrote to this path; no other can be read. */
  presetRead(path: string): Promise<Preset>;
  presets(): Promise<Preset[]>;
  presetSave(name: string, params: Params): Promise<Preset[]>;
  presetDelete(name: string): Promise<Preset[]>;
  /** What reranks besides the bundled model, the hook, and what could be chosen. */
  rerankSettings(): Promise<RerankSettings>;
  /** Null leaves the key as it is; an empty one forgets it. */
  setRerankHttp(http: HttpChoice, key: string | null): Promise<RerankSettings>;
  rerankHttpOff(): Promise<RerankSettings>;
  /** Sends two made-up texts to the provider that is set. */
  testRerankHttp(nTexts: number): Promise<RerankTest>;
  setRerankModel(model: ModelChoice | null): Promise<RerankSettings>;
  /** Begins a download or goes on with it; how it fares comes by `onDownload`. */
  downloadRerankModel(name: string): Promise<void>;
  cancelDownload(): Promise<void>;
  /** Program and arguments; null takes the hook back. */
  setHook(command: string[] | null): Promise<RerankSettings>;
  /** The files in which agents log their questions, and whether they may be read. */
  recallLogs(): Promise<RecallLogs>;
  /** Reads them, from where the last import ended. The first time the person is asked; null where they do not agree. */
  importRecall(): Promise<RecallImport | null>;
  /** How far that is; null while none goes on. */
  recallProgress(): Promise<RecallProgress | null>;
  /** Ends it; what was read is kept. */
  stopRecall(): Promise<void>;
  /** Forgets every past question, and that they may be read. */
  forgetRecall(): Promise<void>;
  setRecall(change: RecallChangeArgument): Promise<RecallLogs>;
  /** A page of the past questions, with what is true of all of them. */
  pastQuestions(filter: PastFilterArgument, page: PastPageArgument): Promise<PastQuestions>;
  /** Past questions that hold what is typed. */
  completePast(text: string): Promise<string[]>;
  /** A past question's answer then and now; `by` null ranks by the pipeline of the agent that asked. */
  thenNow(id: string, by: Ranking | null): Promise<ThenNow>;
  /** Asks all past questions again; null where it was stopped. */
  replayPast(by: Ranking | null): Promise<ReplaySummary | null>;
  /** How far that is; null while none goes on. */
  replayProgress(): Promise<QuerySetProgress | null>;
  /** Ends it; what the last one came to stays. */
  stopReplay(): Promise<void>;
  /** Where a fact was lost on its way to an agent's answer. */
  autopsy(question: AutopsyQuestion): Promise<Autopsy>;
  /** Whose memory and which sessions it can be asked about; the sessions of one agent where it is named. */
  autopsyChoices(agent: string | null): Promise<AutopsyChoices>;
  /**
   * A kept search, stage by stage, to paste into a report or open in a spreadsheet; without the notes' text where that is
   * left out. `preset` is what the person calls the ranking.
   */
  traceText(
    search: number,
    ranking: Ranking,
    preset: string | null,
    form: TraceForm,
    withText: boolean,
  ): Promise<string>;
  /** Asks where and writes the same to a file; its path, or null when the person cancels. */
  saveTrace(
    search: number,
    ranking: Ranking,
    preset: string | null,
    form: TraceForm,
    withText: boolean,
  ): Promise<string | null>;
  /** Rows of a kept search, in the order asked for: as JSON with their journeys, or their whole texts. */
  rowsCopied(search: number, ranking: Ranking, slots: number[], asJson: boolean): Promise<string>;
  /** A past question, then and now, to paste into a report; without the notes' text where that is left out. */
  pastMarkdown(id: string, by: Ranking | null, withText: boolean): Promise<string>;
  /** An autopsy to paste into a report. */
  autopsyMarkdown(question: AutopsyQuestion, withText: boolean): Promise<string>;
  /** How far an autopsy that reads files is; null while none does. */
  autopsyProgress(): Promise<AutopsyProgress | null>;
  /** Cancels that reading: the autopsy ends with what it has read, and says so. */
  stopAutopsy(): Promise<void>;
  /** Asks where and writes past questions as a query set; the path, or null when cancelled. */
  savePastQueries(): Promise<string | null>;
  /** The query sets, that of all judgments first. */
  querySets(): Promise<QuerySetInfo[]>;
  /** A query set with the state of each relevant place. */
  querySet(set: string): Promise<QuerySetView>;
  newQuerySet(name: string, from: NewSetFrom): Promise<QuerySetInfo>;
  renameQuerySet(set: string, name: string): Promise<QuerySetInfo>;
  deleteQuerySet(set: string): Promise<void>;
  /** Adds a query, or puts it in the place of the one with its id. */
  saveQuery(set: string, query: QueryEdit): Promise<QuerySetView>;
  removeQueries(set: string, ids: string[]): Promise<QuerySetView>;
  /** Lets the person choose a file and keeps it as a set; null when cancelled. */
  importQuerySet(): Promise<ImportedSet | null>;
  /** Asks where and writes it; the path, or null when cancelled. */
  exportQuerySet(set: string, format: SetFormat): Promise<string | null>;
  /** What two rankings are worth over a query set, which is prepared the first time; null where that was stopped. */
  measureSet(wish: SetWish, pinned: Ranking, metric: Metric): Promise<SetMetrics | null>;
  /** The metric along each live slider; null where it was stopped. */
  sensitivity(wish: SetWish, pinned: Ranking | null, metric: Metric): Promise<Sensitivity | null>;
  /** Where min score would cut; null where it was stopped. */
  calibrate(wish: SetWish): Promise<CalibrationAnswer | null>;
  /** The best settings found, on queries that had no part in choosing; null where it was stopped. */
  autoTune(wish: SetWish, request: TuneRequest): Promise<TuneAnswer | null>;
  /** How far any of these is; null while none goes on. */
  tuneProgress(): Promise<TuneProgress | null>;
  /** Ends them. */
  stopTuning(): Promise<void>;
  /** The measurements that were kept. */
  runs(): Promise<RunInfo[]>;
  /** Measures a ranking and keeps what comes out; null where it was stopped. */
  saveRun(wish: SetWish, name: string): Promise<RunInfo | null>;
  run(id: string): Promise<RunView>;
  /** What changed from one run to another. */
  compareRuns(a: string, b: string): Promise<RunComparison>;
  renameRun(id: string, name: string): Promise<RunInfo>;
  deleteRun(id: string): Promise<void>;
  /** Asks where and writes it; the path, or null when cancelled. */
  exportRun(id: string): Promise<string | null>;
  /** The query given on the command line at start, if any. */
  startQuery(): Promise<string | null>;
  /** Draws the page larger or smaller, by 0.5 to 3; 1 is as designed. */
  zoom(factor: number): Promise<void>;
  onState(listener: (state: LibraryState) => void): () => void;
  onDownload(listener: (download: Download) => void): () => void;
  /** An edit took notes out of answers to past questions; null where past questions are forgotten, and with them what was told. */
  onLost(listener: (lost: LostAnswers | null) => void): () => void;
  onActivity(listener: (activity: Activity) => void): () => void;
}
