import type { Backend } from "../api/backend";
import type { ErrorInfo, PastFilterArgument, PastQuestions, PastRow } from "../api/bindings";
import { toErrorInfo } from "../api/errors";
import { NewestOnly } from "../shared/newest-only";

type Calls = Pick<Backend, "pastQuestions" | "onLost">;

/** How long typing rests before it is looked for. */
const REST_MS = 150;
/** How many rows the engine gives at a time. */
const PAGE = 500;
/** Leaves none out. */
const ALL: PastFilterArgument = { text: "", agent: null, only: "all" };

/**
 * What has to be read whatever is there, each more than the one before: where the opened question stands, the rows in sight
 * with all that is counted, or the list of another filter.
 */
const STALE = ["open", "sight", "list"] as const;
type Stale = (typeof STALE)[number];

/** The past questions and openings that a filter leaves, read page by page as they come into sight, and which of them is opened. */
export class PastList {
  readonly #backend: Calls;
  readonly #loop = new NewestOnly(() => this.#readOnce());
  #filter = $state.raw(ALL);
  /** The filter of the listed questions; another one may be typed already. */
  #listed = $state.raw(this.#filter);
  #questions = $state.raw<PastQuestions | null>(null);
  #pages = $state.raw<ReadonlyMap<number, readonly PastRow[]>>(new Map());
  #error = $state.raw<ErrorInfo | null>(null);
  #openId = $state<string | null>(null);
  #openAt = $state<number | null>(null);
  #openRow = $state.raw<PastRow | null>(null);
  /** The places in sight. */
  #sight = { from: 0, to: 0 };
  /** The place whose row is opened once it is read. */
  #toOpen: number | null = null;
  #stale: Stale | null = null;
  #typing: ReturnType<typeof setTimeout> | undefined;

  constructor(backend: Calls) {
    this.#backend = backend;
  }

  get filter(): PastFilterArgument {
    return this.#filter;
  }

  /** The filter of what is listed; while one types, that is still the one before. */
  get listed(): PastFilterArgument {
    return this.#listed;
  }

  /** What is true of all of them, as last read; null until they are read. */
  get questions(): PastQuestions | null {
    return this.#questions;
  }

  /** How many the filter leaves. */
  get n(): number {
    return this.#questions?.n_shown ?? 0;
  }

  get error(): ErrorInfo | null {
    return this.#error;
  }

  /** Id of the opened question; the list does not contain it if the filter excludes it. */
  get openId(): string | null {
    return this.#openId;
  }

  /** Index of the opened question; null if the filter excludes it. */
  get openAt(): number | null {
    return this.#openAt;
  }

  /** Its row, as last read. */
  get openRow(): PastRow | null {
    return this.#openRow;
  }

  /** Returns the row at a place; null while it is not read. */
  rowAt(place: number): PastRow | null {
    return this.#pages.get(Math.floor(place / PAGE))?.[place % PAGE] ?? null;
  }

  /** Reads the rows that scrolled into view, unless they are loaded. */
  show(from: number, to: number): void {
    this.#sight = { from, to };
    if (this.#missing() !== null) this.#loop.wish();
  }

  /** Reads the list again when the engine forgot some, whatever view is open, until the returned function is called. */
  follow(): () => void {
    return this.#backend.onLost((lost) => {
      if (lost === null) this.refresh();
    });
  }

  /** Takes the text of the box; it is applied once the typing pauses. */
  find(text: string): void {
    this.#filter = { ...this.#filter, text };
    clearTimeout(this.#typing);
    this.#typing = setTimeout(() => this.#read("list"), REST_MS);
  }

  narrow(change: Pick<PastFilterArgument, "agent"> | Pick<PastFilterArgument, "only">): void {
    this.#filter = { ...this.#filter, ...change };
    this.#read("list");
  }

  /** Lists every question that found nothing. */
  showFoundNothing(): void {
    this.#filter = { ...ALL, only: "found_nothing" };
    this.#read("list");
  }

  /** Reads the list again: some questions arrived, some were forgotten, or all were replayed. */
  refresh(): void {
    this.#read("sight");
  }

  open(id: string): void {
    this.#openId = id;
    this.#openAt = this.#placeOf(id);
    this.#openRow = this.#openAt === null ? null : this.rowAt(this.#openAt);
    if (this.#openAt === null) this.#read("open");
  }

  /** Opens the question at a place, once it is read. */
  openPlace(place: number): void {
    const row = this.rowAt(place);
    this.#toOpen = row === null ? place : null;
    if (row === null) this.#loop.wish();
    else this.open(row.id);
  }

  /** Opens a question that the filter may leave out. */
  openAmongAll(id: string): void {
    this.#openId = id;
    this.#filter = ALL;
    this.#read("list");
  }

  #read(what: Stale): void {
    if (this.#stale === null || STALE.indexOf(what) > STALE.indexOf(this.#stale)) this.#stale = what;
    this.#loop.wish();
  }

  /** An index whose page must be read; null if all are loaded. */
  #missing(): number | null {
    const { from, to } = this.#sight;
    const wanted = this.#toOpen === null ? [from, to] : [this.#toOpen, from, to];
    return wanted.find((place) => place < this.n && this.rowAt(place) === null) ?? null;
  }

  #placeOf(id: string): number | null {
    for (const [page, rows] of this.#pages) {
      const at = rows.findIndex((row) => row.id === id);
      if (at >= 0) return page * PAGE + at;
    }
    return null;
  }

  async #readOnce(): Promise<void> {
    const stale = this.#stale;
    this.#stale = null;
    const missing = this.#missing();
    if (stale === null && missing === null) return;
    if (stale === "list") this.#listed = this.#filter;
    const at = stale === "sight" ? this.#sight.from : stale === null ? missing : null;
    const open = this.#openId;
    try {
      const questions = await this.#backend.pastQuestions(this.#listed, { at, open });
      this.#take(questions, open, stale);
      this.#error = null;
      // A page that only scrolled into view does not show what was forgotten.
      if (stale !== null && open !== null && questions.open_at === null && this.#openId === open)
        await this.#leaveIfForgotten(open, questions);
    } catch (error) {
      this.#error = toErrorInfo(error);
      this.#toOpen = null;
      return;
    }
    if (this.#missing() !== null) this.#loop.wish();
  }

  #take(questions: PastQuestions, asked: string | null, stale: Stale | null): void {
    const { first, rows, n_shown, open_at } = questions;
    const isReset = stale === "list" || stale === "sight" || n_shown !== this.n;
    this.#pages = new Map([...(isReset ? [] : this.#pages), [first / PAGE, rows]]);
    this.#questions = questions;
    const toOpen = this.#toOpen === null ? null : this.rowAt(this.#toOpen);
    if (isReset || toOpen !== null) this.#toOpen = null;
    if (toOpen !== null) this.open(toOpen.id);
    if (this.#openId !== asked) return;
    // One that the filter left out before stays opened; else what is opened is one of the list.
    const isLost = open_at === null && (stale === "list" || this.#openAt !== null || asked === null);
    if (isLost) return this.#openFirst(first, rows);
    this.#openAt = open_at;
    if (open_at !== null) this.#openRow = this.rowAt(open_at) ?? this.#openRow;
  }

  /** Opens the list's first question in place of one that is in no list, whatever the filter. */
  async #leaveIfForgotten(id: string, { first, rows }: PastQuestions): Promise<void> {
    const all = await this.#backend.pastQuestions(ALL, { at: 0, open: id }).catch(() => null);
    if (all === null || all.open_at !== null || this.#openId !== id) return;
    this.#openFirst(first, rows);
  }

  /** Opens the first search; the first opening if there is no search on the page. */
  #openFirst(first: number, rows: readonly PastRow[]): void {
    const place = Math.max(
      0,
      rows.findIndex(({ is_opening }) => !is_opening),
    );
    const row = rows[place];
    this.#openAt = row === undefined ? null : first + place;
    this.#openId = row?.id ?? null;
    this.#openRow = row ?? null;
  }
}
