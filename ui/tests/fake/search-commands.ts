// The commands of searching, reranking and thumbs.
import type {
  ErrorInfo,
  FeedbackEntry,
  FeedbackImport,
  HttpChoice,
  ModelChoice,
  Params,
  PipelineInfo,
  Ranking,
  Reranked,
  RerankSettings,
  RerankTime,
  RowThumb,
  ScopeArgument,
  Disagreement,
  SearchAnswer,
  SuggestedQuestion,
  TraceForm,
} from "../../src/api/bindings";
import { DEFAULTS } from "../../src/api/parameters";
import { ownParams } from "../../src/parameters/pipeline";
import { EMULATED } from "./agent-pipeline";
import { journeyBy, rankBy } from "./any-pipeline";
import { compared, comparedOver, PIPELINES } from "./compare";
import { rank, retrieve, sentBy, snippetsOf, type FakeSet } from "./ranking";
import { heatOf, NO_RERANKERS, previewOf, rerankKey, scoreBy, withHttp, withModel } from "./rerank";
import { whyNotOf } from "./why-not";

import { START_MS, type FakeOptions } from "./engine";
import { FakeModels } from "./models";

/** Answers about searches. */
export class FakeSearch extends FakeModels {
  /** Whether questions are in a language that the model in use does not know. */
  isForeignAsked = false;
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
  /** Which rows of each answer disagree, by slot. */
  disagreements: readonly Disagreement[] = [];
  readonly #sets = new Map<number, FakeSet>();
  #rerankers: RerankSettings;
  #endRerank: () => void = () => undefined;
  #nSearches = 0;
  #feedback: (FeedbackEntry & { chunk: string })[] = [];
  readonly #queries = new Map<number, string>();
  #nVotes = 0;
  /** While it is set, a comparison over a query set does not end by itself. */
  compareGate: Promise<void> | null = null;
  /** Holds back the comparison of one question. */
  oneCompareGate: Promise<void> | null = null;
  /** What was judged at places. */
  #judgedPlaces = new Set<string>();
  /** Of the headings of the notes. */
  suggested: SuggestedQuestion[] = [
    { question: "What do my notes say about the push relay?", agent_name: null, found_nothing: false },
    { question: "Who wants to hear what?", agent_name: null, found_nothing: false },
  ];
  savedList: string[] = [];
  /** Delays the memory of an agent until it is settled. */
  memoryGate: Promise<void> | null = null;
  isMemoryWhole = true;
  /** Where a trace is saved; null for a cancelled dialog. */
  savedTrace: string | null = "/home/ada/memlens-trace.csv";

  constructor(options: FakeOptions = {}) {
    super(options);
    this.#rerankers = { ...NO_RERANKERS, ...options.rerankers };
  }

  #isIn(scope: ScopeArgument, folder: string, path: string): boolean {
    if (scope.agent === undefined) return folder === scope.folder && path.startsWith(scope.path);
    return this.libraryState.folders.some((one) => one.id === folder && one.agent?.id === scope.agent);
  }

  pipelines() {
    return this.answer("pipelines", [], (): PipelineInfo[] =>
      this.options.pipelines === undefined
        ? PIPELINES
        : [...PIPELINES.slice(0, 1), ...this.options.pipelines],
    );
  }

  search(query: string, ranking: Ranking, scope: ScopeArgument | null) {
    return this.answer("search", [query, ranking, scope], async (): Promise<SearchAnswer> => {
      const own = ownParams(ranking);
      if (own === null && this.emulationGate !== null) await this.emulationGate;
      const chunks = this.chunks.filter(
        (chunk) => this.holds(chunk.path) && (scope === null || this.#isIn(scope, chunk.folder, chunk.path)),
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
            : this.isForeignAsked
              ? ["The question is probably not in English."]
              : [],
        language_notice: this.isForeignAsked ? 0 : null,
        disagreements: own === null ? [] : [...this.disagreements],
        n_chunks: chunks.length,
        retrieve_ms: 9.3,
        generation: this.libraryState.generation,
        clustering: this.libraryState.clustering,
      };
    });
  }

  compare(query: string, a: Ranking, b: Ranking, scope: ScopeArgument | null) {
    return this.answer("compare", [query, a, b, scope], async () => {
      await this.oneCompareGate;
      return compared(query, this.chunks, a, b);
    });
  }

  compareQueries(set: string, a: Ranking, b: Ranking) {
    const isStopped = this.whenStopped("compare");
    return this.answer("compareQueries", [set, a, b], async () => {
      const how = this.compareGate === null ? null : await Promise.race([this.compareGate, isStopped]);
      return how === "stopped" ? null : comparedOver(a, b);
    });
  }

  rank(search: number, ranking: Ranking) {
    return this.answer("rank", [search, ranking], () => rankBy(this.#set(search), ranking));
  }

  rerank(search: number, params: Params) {
    this.#endRerank();
    const isLoading = this.nCallsLoading > 0;
    if (isLoading) this.nCallsLoading--;
    const gate = isLoading ? null : this.rerankGate;
    const isEnded = new Promise<"ended">((resolve) => (this.#endRerank = () => resolve("ended")));
    return this.answer("rerank", [search, params], async (): Promise<Reranked> => {
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
    return this.answer("cancelRerank", [], () => this.#endRerank());
  }

  rerankPreview(search: number, params: Params, slots: number[]) {
    return this.answer("rerankPreview", [search, params, slots], () => {
      const set = this.#set(search);
      return previewOf(set, params, sentBy(set, params), slots);
    });
  }

  rerankHeat(search: number, params: Params, slot: number) {
    return this.answer("rerankHeat", [search, params, slot], () => heatOf(this.#set(search), params, slot));
  }

  rerankCalls() {
    return this.answer("rerankCalls", [], (): RerankTime[] => this.options.rerankCalls ?? []);
  }

  rerankSettings() {
    return this.answer("rerankSettings", [], () => this.#rerankers);
  }

  setRerankHttp(http: HttpChoice, key: string | null) {
    return this.answer("setRerankHttp", [http, key], () => {
      this.#rerankers = withHttp(this.#rerankers, http, key);
      return this.#rerankers;
    });
  }

  rerankHttpOff() {
    return this.answer("rerankHttpOff", [], () => {
      const { http } = this.#rerankers;
      this.#rerankers = { ...this.#rerankers, http: http === null ? null : { ...http, is_on: false } };
      return this.#rerankers;
    });
  }

  testRerankHttp(nTexts: number) {
    return this.answer("testRerankHttp", [nTexts], () => ({
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
    return this.answer("setRerankModel", [model], () => {
      this.#rerankers = withModel(this.#rerankers, model);
      return this.#rerankers;
    });
  }

  downloadRerankModel(name: string) {
    return this.answer("downloadRerankModel", [name], () => undefined);
  }

  setHook(command: string[] | null) {
    return this.answer("setHook", [command], () => {
      this.#rerankers = { ...this.#rerankers, hook: command };
      return this.#rerankers;
    });
  }

  journey(search: number, ranking: Ranking, slot: number) {
    return this.answer("journey", [search, ranking, slot], () => journeyBy(this.#set(search), ranking, slot));
  }

  snippets(search: number, slots: number[]) {
    return this.answer("snippets", [search, slots], () => snippetsOf(this.#set(search), slots));
  }

  whyNot(
    search: number,
    ranking: Ranking,
    folder: string | null,
    path: string,
    line: number | null,
    chunk: string | null,
  ) {
    return this.answer("whyNot", [search, ranking, folder, path, line, chunk], () =>
      whyNotOf(this.#set(search), ranking, { folder, path, line, chunk }, this.options.problems ?? []),
    );
  }

  thumbs(search: number) {
    return this.answer("thumbs", [search], () => this.#rowThumbs(search));
  }

  vote(search: number, slot: number, up: boolean) {
    return this.answer("vote", [search, slot, up], () => {
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

  judgePlace(query: string, place: string, up: boolean) {
    return this.answer("judgePlace", [query, place, up], () => {
      const key = JSON.stringify([query, place, up]);
      if (this.#judgedPlaces.delete(key)) return false;
      this.#judgedPlaces.add(key);
      return true;
    });
  }

  suggestedQuestions() {
    return this.answer("suggestedQuestions", [], () => this.suggested);
  }

  savedQuestions() {
    return this.answer("savedQuestions", [], () => this.savedList);
  }

  saveQuestion(question: string, saved: boolean) {
    return this.answer("saveQuestion", [question, saved], () => {
      const others = this.savedList.filter((one) => one !== question);
      this.savedList = saved ? [question, ...others] : others;
      return this.savedList;
    });
  }

  feedback() {
    return this.answer("feedback", [], (): FeedbackEntry[] => this.#feedback);
  }

  feedbackUndo(id: string) {
    return this.answer("feedbackUndo", [id], (): FeedbackEntry[] => {
      this.#feedback = this.#feedback.filter((one) => one.id !== id);
      return this.#feedback;
    });
  }

  feedbackSave() {
    return this.answer("feedbackSave", [], (): string | null => "/home/robin/memlens-feedback.jsonl");
  }

  feedbackOpen() {
    return this.answer("feedbackOpen", [], (): FeedbackImport | null => ({
      n_added: 0,
      n_turned: 0,
      n_known: 3,
      problems: ["line 2: thumb must be 1 or -1, not 2", "line 2: thumb must be 1 or -1, not 2"],
    }));
  }

  prepareMemory(ranking: Ranking) {
    return this.answer("prepareMemory", [ranking], async () => {
      await this.memoryGate;
      return this.isMemoryWhole;
    });
  }

  traceText(search: number, ranking: Ranking, preset: string | null, form: TraceForm, withText: boolean) {
    return this.answer("traceText", [search, ranking, preset, form, withText], () =>
      form === "csv" ? "rank,path\n" : `# Search ${search}\n`,
    );
  }

  saveTrace(search: number, ranking: Ranking, preset: string | null, form: TraceForm, withText: boolean) {
    return this.answer("saveTrace", [search, ranking, preset, form, withText], () => this.savedTrace);
  }

  rowsCopied(search: number, ranking: Ranking, slots: number[], asJson: boolean) {
    return this.answer("rowsCopied", [search, ranking, slots, asJson], () =>
      asJson ? JSON.stringify(slots) : `text of ${slots.join(" and ")}`,
    );
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
}
