import { untrack } from "svelte";
import type { Backend } from "../api/backend";
import type {
  Columns,
  ErrorInfo,
  Journey,
  Params,
  Ranking,
  Row,
  SearchAnswer,
  Snippet,
  StageId,
} from "../api/bindings";
import { OWN, ownParams, startName, type Pipeline, type Values } from "../parameters/pipeline";
import type { Pipelines } from "../parameters/pipelines.svelte";
import { differingIds, previewOf, ranksAlike, retrievesAlike } from "../parameters/rules";
import { toErrorInfo } from "../api/errors";
import { NewestOnly } from "../shared/newest-only";
import { isPending, usesHook, usesProvider } from "../rerank/rerank-columns";
import { RerankAsking } from "../rerank/rerank-asking.svelte";
import {
  moveOf,
  ranksBySlot,
  startAlike,
  startFusedAlike,
  tableLines,
  type Move,
  type SortKey,
  type TableLine,
} from "./row-order";
import {
  type Held,
  type Pin,
  type Renewed,
  type Scope,
  type Shown,
  argumentOf,
  asksOutside,
  bestOf,
  isNewer,
  nFusedDeciding,
  newIn,
  rankingOf,
  ranksByChunk,
} from "./shown-answer";

/** How long the typing must rest before it is searched. */
const DEBOUNCE_MS = 150;
/** The shortest time between two looks at a library that changes. */
const LIBRARY_DEBOUNCE_MS = 700;

/**
 * The query, its answer, and the ranking of that answer by the parameters as they are.
 *
 * Every answer that is not the newest one asked for is thrown away. At most one `rank` call is under way; while it
 * is, wishes collapse into one that runs on a later frame. Scores that a ranking lacks are asked for once per answer
 * and per release, never while something is dragged.
 *
 * When notes change, the question is asked again in the background. Its answer is taken where no row would move under
 * the user who reads, and nobody elsewhere has to be asked for it; otherwise it is offered (`hasNews`).
 */
export class SearchController {
  /** The call to the reranker and the hook. */
  readonly asking: RerankAsking;
  readonly #backend: Backend;
  readonly #pipelines: Pipelines;

  #typed = $state("");
  #scope = $state.raw<Scope>(null);
  #shown = $state.raw<Shown | null>(null);
  #isSearching = $state(false);
  /** True while the shown question is asked again in the background. */
  #isRenewing = $state(false);
  #error = $state.raw<ErrorInfo | null>(null);

  /** The pins that the user set, by pipeline. */
  #pins = $state.raw<ReadonlyMap<string, Pin>>(new Map());
  /** Rank under the pin by chunk; null while it is not known. */
  #pinnedRanks = $state.raw<ReadonlyMap<string, number> | null>(null);

  /** Passages by slot, of the present answer; those of further rows come as the rows come into sight. */
  #snippets = $state.raw<ReadonlyMap<number, Snippet>>(new Map());

  /** Rows that the last answer to the same question did not hold, because notes have changed since. */
  #newChunks = $state.raw<ReadonlySet<string>>(new Set());

  #openSlot = $state<number | null>(null);
  /** Whether the user opened the row; until then it is the best one. */
  #isOpenedByHand = false;
  /** How many lines are read from the top of the table; 0 while it is not scrolled. */
  #nLinesRead = 0;
  #journey = $state.raw<Journey | null>(null);
  #sort = $state<SortKey>("final");
  #filter = $state<StageId | null>(null);

  /** Counts searches asked for; an answer counts only when it is the last. */
  #nAsked = 0;
  /** The pipeline that was asked last; null where nothing is asked or shown. */
  #asked = $state.raw<Pipeline | null>(null);
  #nFactChanges = $state(0);
  #nPinsAsked = 0;
  /** Whether what the next ranking by the released parameters lacks is to be asked for. */
  #isAskDue = false;
  #typing: ReturnType<typeof setTimeout> | undefined;
  #libraryTimer: ReturnType<typeof setTimeout> | undefined;
  #held: Held | null = null;
  /** What the library held when its rows were last compared with the shown ones. */
  #lookedAt = $state.raw<Held | null>(null);
  #hasNews = $state(false);
  readonly #rankLoop = new NewestOnly(() => this.#rankOnce());
  readonly #journeyLoop = new NewestOnly(() => this.#readJourney());
  /** The kept rows on the screen. */
  #seen: readonly number[] = [];
  readonly #snippetLoop = new NewestOnly(() => this.#readSnippets());

  readonly #ranks = $derived(this.#shown === null ? [] : ranksBySlot(this.#shown.columns));
  readonly #lines = $derived(
    this.#shown === null ? [] : tableLines(this.#shown.columns, this.#sort, this.#filter),
  );

  constructor(backend: Backend, pipelines: Pipelines) {
    this.asking = new RerankAsking(backend);
    this.#backend = backend;
    this.#pipelines = pipelines;
  }

  get #parameters() {
    return this.#pipelines.chosen;
  }

  get typed(): string {
    return this.#typed;
  }

  get scope(): Scope {
    return this.#scope;
  }

  /** Null before the first search and for an empty query. */
  get answer(): SearchAnswer | null {
    return this.#shown?.answer ?? null;
  }

  /** The answer's rows as the parameters rank them now. */
  get columns(): Columns | null {
    return this.#shown?.columns ?? null;
  }

  /** What `columns` were ranked by; during a drag it may be a frame behind. */
  get rankedBy(): Ranking | null {
    return this.#shown === null ? null : rankingOf(this.#shown.pipeline, this.#shown.rankedBy);
  }

  /** The same, where Memlens's own pipeline ranks. */
  get rankedByOwn(): Params | null {
    const { rankedBy } = this;
    return rankedBy === null ? null : ownParams(rankedBy);
  }

  /** The agent that is being asked, whose memory may have to be made first; null while none is. */
  get askedAgent(): Pipeline | null {
    return this.#isSearching && this.#asked !== null && this.#asked.id !== OWN.id ? this.#asked : null;
  }

  get isSearching(): boolean {
    return this.#isSearching;
  }

  get error(): ErrorInfo | null {
    return this.#error;
  }

  /** Whether notes changed since the answer so that asking again would give other rows, which wait for the user. */
  get hasNews(): boolean {
    return this.#hasNews;
  }

  /** Whether what is shown is all that this library has to say: nothing is asked, and no note came since. */
  isSettledIn(held: Held): boolean {
    if (this.#isSearching || this.#isRenewing || this.asking.underWay !== null) return false;
    const shown = this.#shown;
    if (shown === null) return this.#error !== null || this.#typed.trim() === "";
    const isJourneyRead = this.#openSlot === null || this.#journey?.slot === this.#openSlot;
    return isJourneyRead && !this.#isUnseen(held, shown);
  }

  /** The pin of the pipeline that ranks; its defaults where nobody set one. */
  get pin(): Pin {
    const { pipeline } = this.#parameters;
    return this.#pins.get(pipeline.id) ?? { name: startName(pipeline), params: pipeline.defaults };
  }

  /** What the user pinned of a pipeline; null where nobody did. */
  pinOf({ id }: Pipeline): Pin | null {
    return this.#pins.get(id) ?? null;
  }

  get openSlot(): number | null {
    return this.#openSlot;
  }

  /** Whether the user chose what is open. If not, the best row is opened with each answer. */
  get isOpenedByHand(): boolean {
    return this.#isOpenedByHand;
  }

  /** The opened row's way through the stages; stays until the next one is there. */
  get journey(): Journey | null {
    return this.#journey;
  }

  get sort(): SortKey {
    return this.#sort;
  }

  /** The stage whose dropped rows alone are shown below the cut; null shows all. */
  get filter(): StageId | null {
    return this.#filter;
  }

  get lines(): TableLine[] {
    return this.#lines;
  }

  /** Follows the parameters and what the library holds until the returned function is called. */
  follow(library: () => Held | null): () => void {
    return $effect.root(() => {
      $effect(() => {
        const { pipeline } = this.#parameters;
        untrack(() => this.#pipelineChosen(pipeline));
      });
      $effect(() => {
        const current = this.#parameters.current;
        const isReleased = current === this.#parameters.committed;
        untrack(() => this.#parametersMoved(current, isReleased));
      });
      $effect(() => {
        const now = library();
        if (now !== null) untrack(() => this.#libraryHolds(now));
      });
    });
  }

  /** Stops what is still under way. */
  close(): void {
    clearTimeout(this.#typing);
    clearTimeout(this.#libraryTimer);
    this.#nAsked++;
    this.asking.drop();
  }

  /** Takes what is in the query box; it is searched once the typing rests. */
  type(text: string): void {
    this.#typed = text;
    clearTimeout(this.#typing);
    if (text.trim() === "") this.clear();
    else this.#typing = setTimeout(() => void this.#search(), DEBOUNCE_MS);
  }

  /** Searches at once; resolves when this or a newer search is answered. */
  async searchNow(text: string = this.#typed): Promise<void> {
    this.#typed = text;
    clearTimeout(this.#typing);
    if (text.trim() === "") this.clear();
    else await this.#search();
  }

  /** Counts the times that facts beside the parameters changed: thumbs, marks, what reranks. */
  get nFactChanges(): number {
    return this.#nFactChanges;
  }

  /**
   * Ranks again: the user's thumbs changed, or what reranks. The pinned ranking stays as it is, so the moves tell
   * what the thumb did until the next search.
   */
  rankAgain(): void {
    this.#nFactChanges++;
    if (this.#shown === null) return;
    this.#isAskDue = true;
    this.#rankLoop.wish();
  }

  /** Asks for the scores that the ranking lacks: again after a failure, or after all when that was cancelled. */
  askNow(): void {
    if (this.#shown !== null) void this.#ask(this.#shown);
  }

  /** Back to the state before the first search. */
  clear(): void {
    clearTimeout(this.#typing);
    this.#nAsked++;
    this.asking.drop();
    this.#typed = "";
    this.#asked = null;
    this.#isSearching = false;
    this.#forgetShown();
  }

  /** Where the next question is asked; nothing is asked now. */
  scopeTo(scope: Scope): void {
    this.#scope = scope;
  }

  async searchIn(scope: Scope): Promise<void> {
    this.#scope = scope;
    await this.searchNow();
  }

  /** Asks a question of a part of the notes, and shows nothing else meanwhile. */
  async searchAgain(text: string, scope: Scope): Promise<void> {
    this.clear();
    this.#scope = scope;
    await this.searchNow(text);
  }

  /** Asks again: after an error, or because notes changed. */
  async askAgain(): Promise<void> {
    await this.#search();
  }

  /** Measures moves against these parameters from now on. */
  pinTo(pin: Pin): void {
    this.pinFor(this.#parameters.pipeline, pin);
    void this.#readPinned();
  }

  /** Sets the pin of a pipeline; where it ranks an answer already, `pinTo` does. */
  pinFor({ id }: Pipeline, pin: Pin): void {
    this.#pins = new Map([...this.#pins, [id, pin]]);
  }

  open(slot: number): void {
    this.#isOpenedByHand = true;
    this.#openSlot = slot;
    this.#journeyLoop.wish();
  }

  /** Shows the journey of a chunk that is in neither list; no row is opened meanwhile. */
  showOutside(journey: Journey): void {
    this.#isOpenedByHand = true;
    this.#openSlot = null;
    this.#journey = journey;
  }

  /** Sorting twice by the same goes back to the final order. */
  sortBy(key: SortKey): void {
    this.#sort = this.#sort === key ? "final" : key;
  }

  /** Filtering twice by the same shows all again. */
  filterBy(stage: StageId | null): void {
    this.#filter = this.#filter === stage ? null : stage;
  }

  /** Sets which kept rows are on the screen, so that their passages are read. */
  see(slots: readonly number[]): void {
    this.#seen = slots;
    if (slots.some((slot) => !this.#snippets.has(slot))) this.#snippetLoop.wish();
  }

  /** Sets how many lines of the table are above the lower edge of the screen; 0 while it is not scrolled. */
  readTo(nLines: number): void {
    this.#nLinesRead = nLines;
  }

  /** The rank of a row in the final order; null when it is dropped. */
  rankOf(slot: number): number | null {
    return this.#ranks[slot] ?? null;
  }

  rowOf(slot: number): Row | null {
    return this.#shown?.answer.rows[slot] ?? null;
  }

  /** Whether notes brought the row since the last answer to the same question. */
  isNew(slot: number): boolean {
    return this.#newChunks.has(this.rowOf(slot)?.chunk ?? "");
  }

  /** The passage of a row that answers best; null while it is not there. */
  snippetOf(slot: number): Snippet | null {
    return this.#snippets.get(slot) ?? null;
  }

  /** The passage of a row, which is read if it is not there yet; null if another answer is shown by then. */
  async readSnippet(slot: number): Promise<Snippet | null> {
    const shown = this.#shown;
    const known = this.snippetOf(slot);
    if (known !== null || shown === null) return known;
    try {
      const [read] = await this.#backend.snippets(shown.answer.id, [slot]);
      return this.#shown?.answer === shown.answer ? (read ?? null) : null;
    } catch (error) {
      this.#fail(shown, error);
      return null;
    }
  }

  /** Null while the pinned ranking is not known, and if there is nothing to compare. */
  moveOf(slot: number): Move | null {
    const row = this.rowOf(slot);
    if (row === null || this.#pinnedRanks === null) return null;
    return moveOf(this.rankOf(slot), this.#pinnedRanks.get(row.chunk) ?? null);
  }

  /** Nothing that one pipeline made is shown while another ranks, so the question is asked again. */
  #pipelineChosen(pipeline: Pipeline): void {
    if (this.#asked === null || this.#asked.id === pipeline.id) return;
    // Nobody waits for that agent's memory any more; what is embedded of it is kept.
    if (this.askedAgent !== null) this.#backend.stop("emulation").catch(() => undefined);
    this.#forgetShown();
    void this.#search();
  }

  #forgetShown(): void {
    this.#shown = null;
    this.#error = null;
    this.#isOpenedByHand = false;
    this.#openSlot = null;
    this.#journey = null;
    this.#filter = null;
    this.#sort = "final";
    this.#hasNews = false;
  }

  async #search(): Promise<void> {
    const asked = ++this.#nAsked;
    const { pipeline, committed: params } = this.#parameters;
    const [scope, isOfAll] = [this.#scope, this.#isIndexed()];
    this.#asked = pipeline;
    this.#isSearching = true;
    this.asking.drop();
    try {
      const answer = await this.#find(this.#typed, pipeline, params);
      if (asked !== this.#nAsked) return;
      this.#error = null;
      // Ranks among the candidates of the last answer would show moves that did not happen.
      const { columns } = answer;
      this.#show({ answer, scope, isOfAll, pipeline, columns, retrievedBy: params, rankedBy: params }, null);
      void this.#readPinned();
    } catch (error) {
      if (asked !== this.#nAsked) return;
      this.#error = toErrorInfo(error);
    } finally {
      if (asked === this.#nAsked) this.#isSearching = false;
    }
  }

  #isIndexed(): boolean {
    return (this.#held?.indexing ?? null) === null;
  }

  #find(query: string, pipeline: Pipeline, values: Values): Promise<SearchAnswer> {
    return this.#backend.search(query, rankingOf(pipeline, values), argumentOf(this.#scope));
  }

  #show(shown: Shown, pinnedRanks: ReadonlyMap<string, number> | null): void {
    const { answer, columns } = shown;
    const before = this.#shown?.answer ?? null;
    this.#newChunks = newIn(shown, this.#shown);
    const openChunk = this.#openSlot === null ? undefined : before?.rows[this.#openSlot]?.chunk;
    const isSameQuery = before?.query === answer.query;
    this.#shown = shown;
    this.#snippets = new Map(answer.snippets.map((snippet) => [snippet.slot, snippet]));
    this.#pinnedRanks = pinnedRanks;
    this.#hasNews = false;
    if (!isSameQuery) {
      this.#sort = "final";
      this.#filter = null;
    }
    this.#keepFilter(columns);
    const isOutsideShown = isSameQuery && this.#isOpenedByHand && this.#openSlot === null;
    if (!isOutsideShown) this.#openIn(shown, isSameQuery && this.#isOpenedByHand ? openChunk : undefined);
    // The parameters or the library may have moved while the search was under way.
    const { current, committed } = this.#parameters;
    this.#parametersMoved(current, current === committed);
  }

  /** Opens the row of a chunk; without one, or where it is gone, the best row. */
  #openIn({ answer, columns }: Shown, chunk: string | undefined): void {
    const slot = chunk === undefined ? -1 : answer.rows.findIndex((row) => row.chunk === chunk);
    this.#isOpenedByHand = slot >= 0;
    this.#openSlot = slot >= 0 ? slot : bestOf(columns);
    if (this.#openSlot === null) this.#journey = null;
    else this.#journeyLoop.wish();
  }

  /** What to rank by now. */
  #wanted(): Values {
    const { pipeline, current, committed } = this.#parameters;
    return previewOf(pipeline, current, committed);
  }

  #parametersMoved(params: Values, isReleased: boolean): void {
    const shown = this.#shown;
    if (shown === null || shown.pipeline.id !== this.#parameters.pipeline.id) return;
    if (isReleased) {
      this.#isAskDue = true;
      this.#lookForNews();
    }
    if (retrievesAlike(shown.pipeline, params, shown.retrievedBy)) {
      if (differingIds(this.#wanted(), shown.rankedBy).length > 0) this.#rankLoop.wish();
      else this.#askWhereDue();
    } else if (isReleased) {
      void this.#search();
    }
  }

  #libraryHolds(held: Held): void {
    this.#held = held;
    this.#lookForNews();
  }

  /** Whether the library holds what the answer could not know, and nobody looked at it yet. */
  #isOutdated(): boolean {
    const held = this.#held;
    if (held === null || this.#hasNews) return false;
    if (this.#shown === null) return this.#error !== null;
    return this.#isUnseen(held, this.#shown);
  }

  #isUnseen(held: Held, shown: Shown): boolean {
    return isNewer(held, shown.answer) && (this.#lookedAt === null || isNewer(held, this.#lookedAt));
  }

  /** Looks for other rows a moment after the library changed, and not for each note. */
  #lookForNews(): void {
    if (this.#libraryTimer !== undefined || !this.#isOutdated()) return;
    this.#libraryTimer = setTimeout(() => {
      this.#libraryTimer = undefined;
      if (this.#isOutdated()) void this.#renew();
    }, LIBRARY_DEBOUNCE_MS);
  }

  /**
   * Asks the shown question again in the background; what failed is asked in sight.
   *
   * A drag, a search or a call to the reranker that is under way comes first: its end looks for news once more.
   */
  async #renew(): Promise<void> {
    const shown = this.#shown;
    if (shown === null) {
      await this.#search();
      return;
    }
    if (this.#isDragging() || this.#isSearching || this.#isRenewing || this.asking.underWay !== null) return;
    const asked = this.#nAsked;
    const params = this.#parameters.committed;
    this.#lookedAt = this.#held;
    this.#isRenewing = true;
    const renewed = await this.#findRenewed(shown, params);
    this.#isRenewing = false;
    if (asked !== this.#nAsked || this.#shown?.answer !== shown.answer) return;
    if (this.#isDragging()) this.#lookedAt = null;
    else if (renewed !== null) this.#takeNews(this.#shown, renewed);
    this.#lookForNews();
  }

  /**
   * What the shown question gives now, reranked by whom it costs nothing: a model here, or scores that are kept.
   *
   * Null where that cannot be had, so that what is shown stands until the next change.
   */
  async #findRenewed(shown: Shown, params: Values): Promise<Renewed | null> {
    try {
      const { pipeline, scope } = shown;
      const isOfAll = this.#isIndexed();
      const answer = await this.#find(shown.answer.query, pipeline, params);
      const own = ownParams(rankingOf(pipeline, params));
      const columns =
        own !== null && isPending(answer.columns) && !this.#wouldAskElsewhere(shown, answer, own)
          ? (await this.#backend.rerank(answer.id, own)).columns
          : answer.columns;
      const renewed = { answer, scope, isOfAll, pipeline, columns, retrievedBy: params, rankedBy: params };
      const pinnedRanks = await this.#rankPinned(renewed, this.pin.params).catch(() => null);
      return { shown: renewed, pinnedRanks };
    } catch {
      return null;
    }
  }

  /** Whether reranking an answer again may send note text to a provider, or run the user's command. */
  #wouldAskElsewhere(shown: Shown, answer: SearchAnswer, params: Params): boolean {
    if (usesHook(params)) return true;
    if (!usesProvider(params)) return false;
    const isAnswered = shown.columns.stages.some(
      ({ id, status }) => id === "rerank" && status.kind === "applied",
    );
    return (
      !isAnswered ||
      isPending(shown.columns) ||
      !startFusedAlike(shown.answer.rows, shown.columns, answer.rows, answer.columns, nFusedDeciding(params))
    );
  }

  #takeNews(shown: Shown, renewed: Renewed): void {
    const { answer, columns } = renewed.shown;
    const own = ownParams(rankingOf(renewed.shown.pipeline, renewed.shown.rankedBy));
    const [before, now] = [shown.answer.rows, answer.rows];
    if (shown.columns.n_kept === 0) this.#show(renewed.shown, renewed.pinnedRanks);
    else if (own !== null && isPending(columns)) {
      // Who would be asked is for the user to say.
      const hasNewClusters =
        own.corroboration_on && (answer.clustering ?? 0) > (shown.answer.clustering ?? 0);
      this.#hasNews =
        hasNewClusters || !startFusedAlike(before, shown.columns, now, columns, nFusedDeciding(own));
    } else if (this.#isRead() && !startAlike(before, shown.columns, now, columns, this.#nRowsRead(shown)))
      this.#hasNews = true;
    else this.#show(renewed.shown, renewed.pinnedRanks);
  }

  /** Whether the user has turned to a row, so that none should move by itself. */
  #isRead(): boolean {
    return this.#isOpenedByHand || this.#nLinesRead > 0 || this.#sort !== "final" || this.#filter !== null;
  }

  /** How many rows, best first, must stay in place for the user who reads. */
  #nRowsRead(shown: Shown): number {
    if (this.#sort !== "final" || this.#filter !== null) return Infinity;
    return Math.max(shown.columns.n_kept, this.#nLinesRead);
  }

  #isDragging(): boolean {
    return this.#parameters.current !== this.#parameters.committed;
  }

  async #rankOnce(): Promise<void> {
    const shown = this.#shown;
    const params = this.#wanted();
    if (shown === null || shown.pipeline.id !== this.#parameters.pipeline.id) return;
    if (!retrievesAlike(shown.pipeline, params, shown.retrievedBy)) return;
    try {
      const columns = await this.#backend.rank(shown.answer.id, rankingOf(shown.pipeline, params));
      if (this.#shown?.answer !== shown.answer) return;
      this.#take(shown, columns, params);
      this.#askWhereDue();
    } catch (error) {
      this.#fail(shown, error);
    }
  }

  #take(shown: Shown, columns: Columns, params: Values): void {
    this.#shown = { ...shown, columns, rankedBy: params };
    this.#error = null;
    this.#keepFilter(columns);
    if (this.#openSlot !== null) this.#journeyLoop.wish();
  }

  /** A stage that drops nothing any more has no chip to take its filter back by. */
  #keepFilter(columns: Columns): void {
    if (this.#filter !== null && !columns.dropped_by.includes(this.#filter)) this.#filter = null;
  }

  #askWhereDue(): void {
    const shown = this.#shown;
    const { current, committed } = this.#parameters;
    if (shown === null || !this.#isAskDue) return;
    const isReleased = differingIds(current, committed).length === 0;
    if (!isReleased || differingIds(committed, shown.rankedBy).length > 0) return;
    this.#isAskDue = false;
    if (isPending(shown.columns)) void this.#ask(shown);
    // What an older call brings is not wanted any more.
    else this.asking.drop();
  }

  /** `isLoading` where the reranker was still being loaded: to ask again is to wait for it. */
  async #ask(shown: Shown, isLoading = false): Promise<void> {
    const params = ownParams(rankingOf(shown.pipeline, shown.rankedBy));
    if (params === null) return;
    try {
      const reranked = await this.asking.ask(shown.answer.id, params, shown.columns, isLoading);
      const now = this.#shown;
      if (reranked === null || now?.answer !== shown.answer) return;
      const { columns } = reranked;
      // The engine keeps what came, so a ranking by parameters that have moved on has it too.
      if (differingIds(this.#wanted(), params).length > 0) this.#rankLoop.wish();
      else {
        if (!this.#isOpenedByHand) this.#openSlot = bestOf(columns);
        this.#take(now, columns, params);
      }
      if (asksOutside(shown.pipeline, this.pin.params)) void this.#readPinned();
      if (reranked.is_loading && this.#shown !== null && !this.#isDragging()) {
        void this.#ask(this.#shown, true);
        return;
      }
    } catch (error) {
      this.#fail(shown, error);
    }
    this.#lookForNews();
  }

  async #readJourney(): Promise<void> {
    const shown = this.#shown;
    const slot = this.#openSlot;
    if (shown === null || slot === null) return;
    try {
      const journey = await this.#backend.journey(
        shown.answer.id,
        rankingOf(shown.pipeline, shown.rankedBy),
        slot,
      );
      if (this.#shown?.answer === shown.answer && this.#openSlot === slot) this.#journey = journey;
    } catch (error) {
      this.#fail(shown, error);
    }
  }

  /** What is wrong with an answer that is no longer shown concerns nobody; one that is gone is asked for again. */
  #fail(shown: Shown, error: unknown): void {
    if (this.#shown?.answer !== shown.answer) return;
    const info = toErrorInfo(error);
    if (info.code === "search_gone") void this.#search();
    else this.#error = info;
  }

  /** Reads the passages that the rows on the screen still lack. */
  async #readSnippets(): Promise<void> {
    const shown = this.#shown;
    const missing = this.#seen.filter((slot) => !this.#snippets.has(slot));
    if (shown === null || missing.length === 0) return;
    try {
      const read = await this.#backend.snippets(shown.answer.id, missing);
      if (this.#shown?.answer !== shown.answer) return;
      this.#snippets = new Map([
        ...this.#snippets,
        ...read.map((snippet) => [snippet.slot, snippet] as const),
      ]);
    } catch (error) {
      this.#fail(shown, error);
    }
  }

  async #readPinned(): Promise<void> {
    const asked = ++this.#nPinsAsked;
    const shown = this.#shown;
    if (shown === null) {
      this.#pinnedRanks = null;
      return;
    }
    try {
      const ranks = await this.#rankPinned(shown, this.pin.params);
      if (asked === this.#nPinsAsked) this.#pinnedRanks = ranks;
    } catch {
      // Without the pinned ranking the table shows no moves; the ranking itself stands.
      if (asked === this.#nPinsAsked) this.#pinnedRanks = null;
    }
  }

  async #rankPinned(shown: Shown, params: Values): Promise<ReadonlyMap<string, number>> {
    const { answer, pipeline, retrievedBy } = shown;
    const ranking = rankingOf(pipeline, params);
    if (ranksAlike(ranking, rankingOf(pipeline, retrievedBy)) && !asksOutside(pipeline, params))
      return ranksByChunk(answer.rows, answer.columns);
    if (retrievesAlike(pipeline, params, retrievedBy))
      return ranksByChunk(answer.rows, await this.#backend.rank(answer.id, ranking));
    // Other lists, so other candidates: the pin needs a search of its own.
    const other = await this.#find(answer.query, pipeline, params);
    return ranksByChunk(other.rows, other.columns);
  }
}
