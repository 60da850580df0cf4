import { getContext, tick } from "svelte";
import type { Backend } from "./api/backend";
import { agentsOf } from "./agents/folder-agents";
import { Applying } from "./export/applying.svelte";
import { AutopsyController } from "./autopsy/autopsy.svelte";
import { CompareController } from "./compare/compare-controller.svelte";
import { Contradictions } from "./drift/contradictions.svelte";
import { addressOf, CONTRADICTIONS, type MemoryPlace, placeOf } from "./overview/address";
import { OverviewController } from "./overview/overview.svelte";
import { QuerySetRun } from "./compare/query-set.svelte";
import { FolderAdding } from "./library/folder-adding.svelte";
import { LibraryController } from "./library/library-controller.svelte";
import { OtherModelOffer } from "./library/other-model.svelte";
import { MapController } from "./map/map.svelte";
import { MemoryController } from "./memory/memory-controller.svelte";
import type { Fix, Params, Ranking } from "./api/bindings";
import { ParameterHistory } from "./parameters/parameter-history.svelte";
import { withFixes } from "./parameters/rules";
import { Pipelines } from "./parameters/pipelines.svelte";
import { LostAnswersNews } from "./past/lost-answers.svelte";
import { PastList } from "./past/past-list.svelte";
import { QuerySaving } from "./past/query-saving.svelte";
import { Recall } from "./past/recall.svelte";
import { Replay } from "./past/replay.svelte";
import { ThenNowReading } from "./past/then-now.svelte";
import { Palette } from "./palette/palette.svelte";
import { AgentConfigs } from "./presets/agent-configs.svelte";
import { PresetController } from "./presets/preset-controller.svelte";
import { WhoseRanking } from "./presets/whose-ranking.svelte";
import { Feedback } from "./feedback/feedback.svelte";
import { RerankProviders } from "./rerank/rerank-providers.svelte";
import { QueryHistory } from "./search/query-history.svelte";
import { RowCopy } from "./search/row-copy.svelte";
import { SavedQuestions } from "./search/saved-questions.svelte";
import { Revival } from "./search/revival.svelte";
import { SearchController } from "./search/search-controller.svelte";
import { TraceCopying } from "./search/trace-copying.svelte";
import { WhyNotController } from "./why-not/why-not.svelte";
import { openDocument } from "./open-document.svelte";
import { Session, type ViewId } from "./session.svelte";
import { EDITOR_CHOICE_ID } from "./shared/editor";
import { BriefNotice } from "./shared/brief-notice.svelte";
import { MarkdownCopy } from "./shared/markdown-copy.svelte";
import { Theme } from "./shared/theme.svelte";
import { Zoom } from "./shared/zoom.svelte";
import { Tune } from "./tune/tune.svelte";
import { addressOfView, enter, followHistory, viewOf } from "./view-history";

/** A dialog that any view may open. */
export type DialogId = "keys" | "problems" | "activity";

/** All controllers of one window; created once, available to every view through `useWorkspace`. */
export class Workspace {
  readonly backend: Backend;
  readonly library: LibraryController;
  /** Folders that the user adds. */
  readonly adding: FolderAdding;
  /** The user's values of Memlens's own parameters, with undo. */
  readonly parameters: ParameterHistory<Params>;
  /** Whether these rank, or an agent's pipeline by its own. */
  readonly pipelines: Pipelines;
  readonly presets: PresetController;
  /** Whether the watched agent's ranking is shown, or Memlens's. */
  readonly whose: WhoseRanking;
  /** What agents' configs say. */
  readonly configs: AgentConfigs;
  readonly queries: QueryHistory;
  readonly saved: SavedQuestions;
  readonly search: SearchController;
  /** Rows on their way to the clipboard. */
  readonly copyingRows: RowCopy;
  readonly copyingTrace: TraceCopying;
  /** What lost a note; any view may ask it about one and then show the Search view. */
  readonly whyNot: WhyNotController;
  /** Changes that bring rows back to an empty answer. */
  readonly revival: Revival;
  /** The user's thumbs. */
  readonly feedback: Feedback;
  /** Rerankers besides the bundled model. */
  readonly rerankers: RerankProviders;
  /** The logs of what agents asked. */
  readonly recall: Recall;
  /** What agents asked. */
  readonly past: PastList;
  /** The opened one's answer, then and now. */
  readonly thenNow: ThenNowReading;
  /** All of them, asked again. */
  readonly replay: Replay;
  readonly savingPast: QuerySaving;
  readonly copyingPast: MarkdownCopy;
  /** The offer of a model for other languages. */
  readonly otherModel: OtherModelOffer;
  /** What the last edit took out of answers to them. */
  readonly lostAnswers: LostAnswersNews;
  /** Why an agent forgot a fact; any view may ask. */
  readonly autopsy: AutopsyController;
  /** Two rankings of one question. */
  readonly comparing: CompareController;
  /** Two rankings over a query set. */
  readonly comparingSet: QuerySetRun;
  readonly tune: Tune;
  /** The ranking on its way into the watched agent's config. */
  readonly applying: Applying;
  /** The tree and the open note of the Memory view. */
  readonly memory: MemoryController;
  readonly contradictions: Contradictions;
  /** The memory as a whole, shown before a note is chosen. */
  readonly overview: OverviewController;
  /** All chunks in two dimensions. */
  readonly chunkMap: MapController;
  readonly theme: Theme;
  readonly zoom: Zoom;
  /** What became of the last small action of a menu or key. */
  readonly notice = new BriefNotice();
  readonly palette: Palette;
  /** Stored state of all this between starts. */
  readonly session: Session;
  /** The one that is open; null if none of them is. */
  dialog = $state<DialogId | null>(null);
  #view = $state<ViewId>("search");
  #isReady = $state(false);
  /** Counts the wishes to type a question; the query box takes the focus on each. */
  #nQueryWishes = $state(0);
  #isQueryWished = $state(false);
  /** Whether the start page is shown in place of the Search view. */
  #isStarting = $state(false);

  constructor(backend: Backend) {
    this.backend = backend;
    this.theme = new Theme();
    this.zoom = new Zoom(backend);
    this.library = new LibraryController(backend);
    this.adding = new FolderAdding(backend, () => void this.library.refresh());
    this.parameters = ParameterHistory.own();
    this.pipelines = new Pipelines(backend, this.parameters);
    this.configs = new AgentConfigs(backend);
    this.presets = new PresetController(backend, this.parameters, this.pipelines);
    this.queries = new QueryHistory();
    this.saved = new SavedQuestions(backend);
    this.search = new SearchController(backend, this.pipelines);
    this.whose = new WhoseRanking(backend, this.pipelines, {
      isReady: () => this.#isReady,
      library: () => this.library.state,
      isAsked: () => this.search.answer !== null || this.search.isSearching,
    });
    this.copyingRows = new RowCopy(backend, this.search, this.notice);
    this.copyingTrace = new TraceCopying(backend, this.search, this.presets, this.pipelines);
    this.whyNot = new WhyNotController(backend, this.search, this.pipelines);
    this.revival = new Revival(backend, this.search, this.pipelines);
    this.feedback = new Feedback(backend, this.search);
    this.rerankers = new RerankProviders(backend, () => this.search.rankAgain());
    this.recall = new Recall(backend);
    this.past = new PastList(backend);
    this.thenNow = new ThenNowReading(backend);
    this.replay = new Replay(backend, () => this.past.refresh());
    this.savingPast = new QuerySaving(backend);
    this.copyingPast = new MarkdownCopy();
    this.otherModel = new OtherModelOffer(backend);
    this.lostAnswers = new LostAnswersNews(backend);
    this.autopsy = new AutopsyController(backend);
    this.comparing = new CompareController(backend);
    this.comparingSet = new QuerySetRun(backend);
    this.tune = new Tune(backend);
    this.applying = new Applying(backend, this.tune.sets);
    this.memory = new MemoryController(backend);
    this.contradictions = new Contradictions(backend);
    this.overview = new OverviewController(backend);
    this.chunkMap = new MapController(backend);
    this.palette = new Palette(this);
    this.session = new Session({
      search: this.search,
      pipelines: this.pipelines,
      presets: this.presets,
      view: () => this.#view,
      show: (view) => this.show(view),
    });
  }

  get view(): ViewId {
    return this.#view;
  }

  /** True once the window can be used: after the first state and, if a query was given at start, after its answer. */
  get isReady(): boolean {
    return this.#isReady;
  }

  /** True while everything is indexed and the answer on the screen is of all of it. */
  get isSettled(): boolean {
    const library = this.library.state;
    if (!this.#isReady || library === null || library.indexing !== null || library.scanning !== null)
      return false;
    const isWalked =
      library.read_only !== null || library.folders.every(({ status }) => status !== "waiting");
    return isWalked && this.search.isSettledIn(library);
  }

  get nQueryWishes(): number {
    return this.#nQueryWishes;
  }

  /** Whether the Search view was opened for typing a question. */
  get isQueryWished(): boolean {
    return this.#isQueryWished;
  }

  /** Whether the start page is shown in place of the Search view: from a start without folders until a question is asked. */
  get isStarting(): boolean {
    return this.#isStarting;
  }

  showStart(): void {
    this.#isStarting = true;
    this.show("search");
  }

  leaveStart(): void {
    this.#isStarting = false;
  }

  /** Brings the query box up, from any view. */
  askForQuery(): void {
    this.#isStarting = false;
    this.#go("search");
    this.#isQueryWished = true;
    this.#nQueryWishes++;
  }

  show(view: ViewId): void {
    this.#go(view);
    this.#isQueryWished = false;
  }

  /** Shows a view, with an entry in the window's history once the window can be used. */
  #go(view: ViewId): void {
    this.#view = view;
    const address = view === "memory" ? addressOf(this.#memoryPlace) : addressOfView(view);
    if (this.#isReady) enter(address);
    else history.replaceState(null, "", `#${address}`);
  }

  /** What the Memory view shows, or is asked to. */
  get #memoryPlace(): MemoryPlace {
    const { asked } = openDocument;
    if (asked !== null) return { kind: "note", ...asked };
    if (this.contradictions.visibility === "open") return CONTRADICTIONS;
    const { note } = this.memory;
    if (note.kind === "none") return this.overview.place;
    const { folder, path } = note.kind === "open" ? note.note.document : note;
    return { kind: "note", folder, path, line: null };
  }

  /** Shows what the window's history came to. */
  #arrive(): void {
    const view = viewOf(location.hash);
    this.#isQueryWished = false;
    this.#view = view;
    if (view !== "memory") return;
    const place = placeOf(location.hash);
    if (place.kind === "note") openDocument.ask(place.folder, place.path, place.line);
    else if (place.kind === "contradictions") this.contradictions.open();
    else {
      this.contradictions.close();
      this.memory.close();
      this.overview.arrive(place);
    }
  }

  /** Shows a section of the settings, by the id of its heading. */
  async showSettings(section: string): Promise<void> {
    this.show("settings");
    await tick();
    document.getElementById(section)?.scrollIntoView({ block: "start" });
  }

  /** Shows the calibrator of min score, as soon as its query set is measured. */
  showCalibrator(): void {
    this.tune.wishCalibrator();
    this.show("tune");
  }

  /** Shows the settings, with the focus on the choice of an editor. */
  async showEditors(): Promise<void> {
    this.show("settings");
    await tick();
    document.getElementById(EDITOR_CHOICE_ID)?.focus();
  }

  /**
   * Asks a question by a ranking, with what the fixes set, and shows its trace.
   *
   * What an agent asked is asked of its own folders, as past questions are, where some are watched; or `within` a folder or note.
   */
  async trace(
    question: string,
    agent: string | null,
    { pipeline, values }: Ranking,
    fixes: readonly Fix[] = [],
    within: { folder: string; path: string; label: string } | null = null,
  ): Promise<void> {
    this.pipelines.use({ pipeline, values: withFixes(values, fixes) });
    this.queries.remember(question);
    this.#isStarting = false;
    this.#go("search");
    const watched = agentsOf(this.library.state?.folders ?? []).find(({ id }) => id === agent);
    const ofAgent =
      watched === undefined ? null : ({ kind: "agent", agent: watched.id, label: watched.name } as const);
    const scope = within === null ? ofAgent : ({ kind: "folder", ...within } as const);
    await this.search.searchAgain(question, scope);
  }

  /** Shows a past question among all. */
  showPast(id: string): void {
    this.past.openAmongAll(id);
    this.#go("past");
  }

  /** Shows the first question that lost a note, then and now. */
  compareLost(): void {
    const { first } = this.lostAnswers;
    this.lostAnswers.close();
    if (first !== null) this.showPast(first);
  }

  /** Forgets the stored state of a library that was erased: questions, their answers, presets. */
  forget(): void {
    this.queries.clear();
    this.palette.forget();
    this.whyNot.close();
    this.search.clear();
    this.search.scopeTo(null);
    void this.saved.read();
    void this.presets.refresh();
    void this.rerankers.read();
    void this.recall.look();
    this.past.refresh();
  }

  /** Asks the engine for all that the first screen needs. The returned function ends what was started. */
  start(): () => void {
    const stops = [
      this.library.follow(),
      this.search.follow(() => this.library.state),
      this.whyNot.follow(() => this.library.generation),
      this.revival.follow(),
      this.feedback.follow(),
      this.rerankers.follow(),
      this.past.follow(),
      this.lostAnswers.follow(),
      this.session.follow(),
      this.whose.follow(),
      followHistory(() => this.#arrive()),
      () => this.search.close(),
    ];
    void this.#open();
    return () => {
      for (const stop of stops) stop();
    };
  }

  async #open(): Promise<void> {
    await Promise.all([
      this.library.refresh(),
      this.presets.refresh(),
      this.pipelines.read(),
      this.saved.read(),
    ]);
    if (this.library.state !== null) this.session.takeUp(this.library.state);
    if (this.library.state?.folders.length === 0) this.#isStarting = true;
    await this.#askStartQuery();
    this.#isReady = true;
  }

  async #askStartQuery(): Promise<void> {
    let query: string | null;
    try {
      query = await this.backend.startQuery();
    } catch {
      // Without it the window opens as it does without a query.
      return;
    }
    if (query === null || query === "") return;
    this.#isStarting = false;
    this.show("search");
    await this.search.searchNow(query);
  }
}

const KEY = Symbol("workspace");

/** The context to mount the window with, so that any view reaches the workspace. */
export function workspaceContext(workspace: Workspace): Map<symbol, Workspace> {
  return new Map([[KEY, workspace]]);
}

export function useWorkspace(): Workspace {
  return getContext<Workspace>(KEY);
}
