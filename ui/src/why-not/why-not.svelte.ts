import { untrack } from "svelte";
import type { Backend } from "../api/backend";
import type { ChunkWhy, ErrorInfo, Fix, Journey, Ranking, WhyAnswer } from "../api/bindings";
import type { Pipeline, Values } from "../parameters/pipeline";
import type { Pipelines } from "../parameters/pipelines.svelte";
import { ranksAlike, withFixes } from "../parameters/rules";
import { toErrorInfo } from "../api/errors";
import { Call } from "../shared/call.svelte";
import { NewestOnly } from "../shared/newest-only";
import { filesOf, type KnownFile, type Place } from "./place";

/** The search on the screen, as far as "Why not…?" asks about it. */
export interface AskedSearch {
  readonly answer: { readonly id: number; readonly query: string } | null;
  /** What the rows on the screen are ranked by. */
  readonly rankedBy: Ranking | null;
  /** Counts the times that facts beside the parameters changed. */
  readonly nFactChanges: number;
  readonly openSlot: number | null;
  readonly journey: Journey | null;
  open(slot: number): void;
  /** Shows the journey of a chunk that is no row of the answer. */
  showOutside(journey: Journey): void;
  askAgain(): Promise<void>;
  /** Ranks the answer by the thumbs as they are now. */
  rankAgain(): void;
}

/** How long the parameters must rest before the question is asked again. */
const DEBOUNCE_MS = 200;

const NO_FILES: KnownFile[] = [];

/** An answer with its inputs: one search, ranked with one set of parameters and the thumbs and marks of that time. */
type Answered = { asked: Asked; answer: WhyAnswer; search: number; ranking: Ranking; nFactChanges: number };

/** `chunk`, if known, is the chunk of the note that is shown. */
type Asked = Place & { chunk: string | null };

/**
 * "Why not…?": what lost a note, and what would bring it back.
 *
 * A place is asked about for the search on the screen, and again when its ranking changes; meanwhile the last answer
 * stands and is not current. Without a search the place waits for one.
 */
export class WhyNotController {
  readonly #backend: Backend;
  readonly #search: AskedSearch;
  readonly #pipelines: Pipelines;
  readonly #listing: Call<[], KnownFile[]>;

  #isOpen = $state(false);
  #asked = $state.raw<Asked | null>(null);
  #answered = $state.raw<Answered | null>(null);
  #isAsking = $state(false);
  #error = $state.raw<ErrorInfo | null>(null);
  /** What the last fixes made of the parameters. */
  #applied = $state.raw<Values | null>(null);
  /** The chunks that were judged relevant here, each for its question. */
  #judged = $state.raw<ReadonlySet<string>>(new Set());
  /** True until the picker has taken the focus. */
  #isPickWished = $state(false);
  #isPicking = $state(false);

  readonly #loop = new NewestOnly(() => this.#askOnce());
  readonly #isOfRanking = $derived.by(() => this.#holdsForRanking());
  readonly #isCurrent = $derived.by(() => this.#isOfRanking && this.#areFixesKnown());
  readonly #chunks = $derived(
    this.#answered?.answer.why.kind === "searched" ? this.#answered.answer.why.chunks : [],
  );
  readonly #chunk = $derived(
    this.#chunks.find((chunk) => chunk.journey.row.chunk === this.#asked?.chunk) ?? this.#chunks[0] ?? null,
  );

  constructor(backend: Backend, search: AskedSearch, pipelines: Pipelines) {
    this.#backend = backend;
    this.#search = search;
    this.#pipelines = pipelines;
    this.#listing = new Call(async () => filesOf(await backend.tree()));
  }

  get #parameters() {
    return this.#pipelines.chosen;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** The pipeline whose parameters the fixes change. */
  get pipeline(): Pipeline {
    return this.#parameters.pipeline;
  }

  /** Whether the picker should take the focus; it calls `takePickWish` when it does. */
  get isPickWished(): boolean {
    return this.#isPickWished;
  }

  /** The place that is asked about; null before the first. */
  get asked(): Place | null {
    return this.#asked;
  }

  /** The last answer for `asked`; see `isCurrent`. */
  get answer(): WhyAnswer | null {
    return this.#answered?.answer ?? null;
  }

  /** The chunks of the answer, best first; empty when the note was not searched. */
  get chunks(): ChunkWhy[] {
    return this.#chunks;
  }

  /** The chunk that is shown: the one that was asked for or picked, otherwise the best. */
  get chunk(): ChunkWhy | null {
    return this.#chunk;
  }

  /** False while the ranking on the screen is not the one that the answer belongs to. */
  get isCurrent(): boolean {
    return this.#isCurrent;
  }

  get isAsking(): boolean {
    return this.#isAsking;
  }

  get error(): ErrorInfo | null {
    return this.#error;
  }

  /** Every file that is in a tree; empty before one is picked, and only renewed while one is. */
  get files(): KnownFile[] {
    return this.#listing.data ?? NO_FILES;
  }

  /** Why the files could not be listed; null when they are. */
  get filesError(): ErrorInfo | null {
    return this.#listing.error;
  }

  /** True while the last fixes are the last step, so that one undo takes them back. */
  get isApplied(): boolean {
    return this.#applied !== null && this.#applied === this.#parameters.current;
  }

  /** Shows the panel and lets the user pick a file; the previous place is in the field. */
  open(): void {
    this.#isOpen = true;
    this.#isPickWished = true;
  }

  close(): void {
    this.endPreview();
    this.#isOpen = false;
    this.#isPickWished = false;
  }

  takePickWish(): void {
    this.#isPickWished = false;
  }

  /** Sets whether a file is being picked. */
  pickFile(isPicking: boolean): void {
    this.#isPicking = isPicking;
  }

  /** Asks about a note, or a line of it; shows its chunk `chunk` if given, otherwise the best. */
  ask(folder: string | null, path: string, line: number | null, chunk: string | null = null): void {
    this.open();
    this.#asked = { folder, path, line, chunk };
    this.#answered = null;
    this.#error = null;
    this.#applied = null;
  }

  /** Asks again after an error. */
  retry(): void {
    this.#loop.wish();
  }

  /** Shows another chunk of the note; asks again if its fixes are not known. */
  pick(chunk: ChunkWhy): void {
    if (this.#asked === null) return;
    this.#asked = { ...this.#asked, chunk: chunk.journey.row.chunk };
    this.#applied = null;
  }

  /** Sets what the fixes set, as one step that can be undone. */
  apply(fixes: readonly Fix[]): void {
    this.endPreview();
    const chunk = this.#chunk;
    if (chunk === null || this.#asked === null) return;
    // The chunk that comes back stays shown, even if another chunk of the note becomes the best.
    this.#asked = { ...this.#asked, chunk: chunk.journey.row.chunk };
    const params = withFixes(this.#parameters.current, fixes);
    this.#parameters.replace(params);
    this.#applied = params;
  }

  /** Ranks with the values of the fixes until `endPreview`, as a drag does; not if the lists must be queried again. */
  preview(fixes: readonly Fix[]): void {
    if (!this.isCurrent || fixes.some((fix) => fix.queries_again)) return;
    this.#parameters.look(withFixes(this.#parameters.committed, fixes));
  }

  /** Ranks by the parameters as they are set again. */
  endPreview(): void {
    this.#parameters.lookAway();
  }

  /** Whether the shown chunk was judged relevant here. */
  get isJudged(): boolean {
    const key = this.#judgment();
    return key !== null && this.#judged.has(key);
  }

  /** Judges the shown chunk relevant for the question, or removes that judgment; also if no list contains it. */
  async judge(): Promise<void> {
    const key = this.#judgment();
    const chunk = this.#chunk;
    const query = this.#search.answer?.query;
    if (key === null || chunk === null || query === undefined) return;
    const { folder_name: folder, path, start_line: line } = chunk.journey.row;
    try {
      const isJudged = await this.#backend.judgePlace(query, `${folder}/${path}:${line}`, true);
      const judged = new Set(this.#judged);
      if (isJudged) judged.add(key);
      else judged.delete(key);
      this.#judged = judged;
      this.#error = null;
      this.#search.rankAgain();
    } catch (error) {
      this.#fail(toErrorInfo(error));
    }
  }

  #judgment(): string | null {
    const query = this.#search.answer?.query;
    return query === undefined || this.#chunk === null
      ? null
      : JSON.stringify([query, this.#chunk.journey.row.chunk]);
  }

  undoApplied(): void {
    if (this.isApplied) this.#parameters.undo();
  }

  /** Opens the chunk's row, or shows its journey if neither list contains it. */
  showJourney(chunk: ChunkWhy): void {
    if (chunk.slot === null) this.#search.showOutside(chunk.journey);
    else this.#search.open(chunk.slot);
  }

  /** Follows the search, its parameters and the library's generation until the returned function is called. */
  follow(generation: () => number | null): () => void {
    return $effect.root(() => {
      $effect(() => {
        const isAtRest = this.#parameters.current === this.#parameters.committed;
        if (!this.#isOpen || this.#asked === null || this.#search.answer === null) return;
        if (this.#isCurrent || !isAtRest) return;
        const isRest = this.#answered === null || this.#isOfRanking;
        const timer = setTimeout(() => this.#loop.wish(), isRest ? 0 : DEBOUNCE_MS);
        return () => clearTimeout(timer);
      });
      $effect(() => {
        if (this.#isPicking && generation() !== null) untrack(() => void this.#listing.run());
      });
    });
  }

  /** Whether the last answer is of the ranking on the screen. */
  #holdsForRanking(): boolean {
    const answered = this.#answered;
    const rankedBy = this.#search.rankedBy;
    if (answered === null || rankedBy === null || answered.search !== this.#search.answer?.id) return false;
    if (answered.nFactChanges !== this.#search.nFactChanges) return false;
    // The fixes belong to the ranking that they are a preview of.
    if (this.#parameters.isLooking) return true;
    return ranksAlike(answered.ranking, rankedBy);
  }

  /** Whether the fixes of the chunk are known, or were asked for in vain. */
  #areFixesKnown(): boolean {
    return this.#answered?.asked === this.#asked || this.#chunk?.fixes !== null;
  }

  async #askOnce(): Promise<void> {
    const asked = this.#asked;
    const search = this.#search.answer?.id;
    const ranking = this.#search.rankedBy;
    const { nFactChanges } = this.#search;
    if (asked === null || search === undefined || ranking === null) return;
    const { folder, path, line, chunk } = asked;
    this.#isAsking = true;
    try {
      const answer = await this.#backend.whyNot(search, ranking, folder, path, line, chunk);
      if (this.#asked === asked) this.#show({ asked, answer, search, ranking, nFactChanges });
    } catch (error) {
      if (this.#asked === asked && this.#search.answer?.id === search) this.#fail(toErrorInfo(error));
    } finally {
      this.#isAsking = false;
    }
  }

  #show(answered: Answered): void {
    const before = this.#chunk;
    this.#answered = answered;
    this.#error = null;
    // A journey without a row follows the parameters by this answer alone.
    const now = this.#chunks.find((chunk) => chunk.journey.row.chunk === before?.journey.row.chunk);
    const isShownOutside = this.#search.openSlot === null && this.#search.journey === before?.journey;
    if (before !== null && now !== undefined && isShownOutside) this.showJourney(now);
  }

  #fail(error: ErrorInfo): void {
    // The engine forgets old searches; a new one is asked about as soon as it is there.
    if (error.code === "search_gone") void this.#search.askAgain();
    else this.#error = error;
  }
}
