import type { Backend } from "../api/backend";
import type {
  ErrorInfo,
  HiddenNotes,
  NotePage,
  NoteQuery,
  NoteRow,
  NoteTags,
  Overview,
  Params,
  Timeline,
} from "../api/bindings";
import { Call } from "../shared/call.svelte";
import { NewestOnly } from "../shared/newest-only";
import { enter } from "../view-history";
import {
  addressOf,
  ALL_NOTES,
  CARDS,
  type ContradictionsPlace,
  FIRST_LOOK,
  type FullQuery,
  type MapLook,
  type NotePlace,
  placeOf,
  type OverviewPlace,
} from "./address";

type Calls = Pick<Backend, "overview" | "hiddenNotes" | "notePage" | "noteTags" | "timeline">;

/** Rows that the engine sends at once. */
export const PAGE_ROWS = 200;

/** The cards of the memory, its timeline, and the list of notes behind them. */
export class OverviewController {
  readonly #reading: Call<[params: Params, isSeen: boolean], Overview>;
  readonly #listing: Call<[query: NoteQuery, first: number], NotePage>;
  readonly #counting: Call<[query: NoteQuery], Timeline>;
  readonly #tagging: Call<[query: NoteQuery, find: string], NoteTags>;
  readonly #hiding: Call<[], HiddenNotes>;
  readonly #backend: Calls;
  #place = $state.raw<OverviewPlace>(CARDS);
  #pages = $state.raw<ReadonlyMap<number, readonly NoteRow[]>>(new Map());
  /** The position in the list that the keyboard is on. */
  active = $state(0);
  readonly #asked = new Set<number>();
  #nLists = $state(0);
  /** The rows and their number are of the query before, until those of this one arrive. */
  #isSearching = $state(false);
  /** The timeline that is shown is of this query. */
  #counted = "";
  /** One at a time: the folders may be large. */
  readonly #hidingWishes = new NewestOnly(async () => {
    await this.#hiding.run();
  });
  /** One at a time: a list by words takes a pass over all texts. */
  readonly #wishes = new NewestOnly(async () => {
    await Promise.all([this.#readFirstPage(), this.#readTimeline()]);
  });

  constructor(backend: Calls) {
    this.#backend = backend;
    this.#reading = new Call((params, isSeen) => backend.overview(params, isSeen));
    this.#hiding = new Call(() => backend.hiddenNotes(), "drop");
    this.#listing = new Call((query, first) => backend.notePage(query, first), "drop");
    this.#counting = new Call((query) => backend.timeline(query), "drop");
    this.#tagging = new Call((query, find) => backend.noteTags(query, find), "drop");
    const place = placeOf(location.hash);
    if (place.kind !== "note" && place.kind !== "contradictions") this.#place = place;
  }

  get overview(): Overview | null {
    return this.#reading.data;
  }
  get error(): ErrorInfo | null {
    return this.#reading.error;
  }
  /** What is hidden and not read; null while it is not known. */
  get hidden(): HiddenNotes | null {
    return this.#hiding.data;
  }
  get isReading(): boolean {
    return this.#reading.isRunning;
  }
  get place(): OverviewPlace {
    return this.#place;
  }
  /** What is listed or on the map, and what the timeline counts without regard to its days. */
  get query(): FullQuery {
    return this.#place.kind === "cards" ? ALL_NOTES : this.#place.query;
  }
  /** Number of notes in the list; null while it is not known. */
  get n(): number | null {
    return this.#listing.data?.n ?? null;
  }
  /** Whether the list that is shown is still that of the query before. */
  get isSearching(): boolean {
    return this.#isSearching;
  }
  get listError(): ErrorInfo | null {
    return this.#listing.error;
  }
  /** null while it is not known. */
  get timeline(): Timeline | null {
    return this.#counting.data;
  }
  get timelineError(): ErrorInfo | null {
    return this.#counting.error;
  }
  /** null while they are not known. */
  get tags(): NoteTags | null {
    return this.#tagging.data;
  }
  get tagsError(): ErrorInfo | null {
    return this.#tagging.error;
  }
  /** How many lists were begun: with each, rows are read again. */
  get nLists(): number {
    return this.#nLists;
  }

  /** Shows a place of the window's history. */
  arrive(place: OverviewPlace): void {
    this.#take(place);
  }

  /** Reads the cards, again until every text was read, and the list. */
  async read(params: Params, isSeen = false): Promise<void> {
    let isCurrent = await this.#reading.run(params, isSeen);
    this.readList();
    while (isCurrent && (this.overview?.n_unread ?? 0) > 0) {
      isCurrent = await this.#reading.run(params, false);
      if (this.overview?.n_unread === 0) this.readList();
    }
  }

  /** Looks for hidden notes on disk. */
  readHidden(): void {
    this.#hidingWishes.wish();
  }

  /** Shows a place, with an entry in the window's history. */
  go(place: OverviewPlace): void {
    enter(addressOf(place));
    this.#take(place);
  }

  /** Makes an entry in the window's history for what is shown in place of the cards or the list. */
  enter(place: NotePlace | ContradictionsPlace): void {
    enter(addressOf(place));
  }

  /** Makes the address that of the cards or the list again. */
  leave(): void {
    enter(addressOf(this.#place));
  }

  showCards(): void {
    this.go(CARDS);
  }

  /** Shows the notes of a query; what is left out is not filtered. */
  list(query: Partial<FullQuery>): void {
    this.go({ kind: "list", query: { ...ALL_NOTES, ...query } });
  }

  /** Shows the map of the notes that are listed. */
  showMap(): void {
    this.go({ kind: "map", query: this.query, look: FIRST_LOOK });
  }

  /** Draws the map in another way. */
  look(change: Partial<MapLook>): void {
    const place = this.#place;
    if (place.kind === "map") this.go({ ...place, look: { ...place.look, ...change } });
  }

  /** Removes every filter and the order. */
  clearFilters(): void {
    this.change(ALL_NOTES);
  }

  /** Changes the list or the map that is shown, or lists notes in place of the cards. Typing makes no entries in the history. */
  change(change: Partial<FullQuery>): void {
    const query = { ...this.query, ...change };
    const place: OverviewPlace =
      this.#place.kind === "map" ? { ...this.#place, query } : { kind: "list", query };
    if ("text" in change && Object.keys(change).length === 1) {
      history.replaceState(null, "", `#${addressOf(place)}`);
      this.#take(place);
    } else this.go(place);
  }

  /** Reads the list from its first page, and the timeline. */
  readList(): void {
    this.#counted = "";
    this.#wishes.wish();
  }

  async readTags(find: string): Promise<void> {
    await this.#tagging.run(this.query, find);
  }

  /** The row at a position; undefined until its page has been read. */
  row(position: number): NoteRow | undefined {
    return this.#pages.get(Math.floor(position / PAGE_ROWS))?.[position % PAGE_ROWS];
  }

  /** Reads the pages of the positions in sight. */
  async need(first: number, last: number): Promise<void> {
    const place = this.#place;
    // Positions of the list before say nothing about this one.
    if (place.kind !== "list" || this.#isSearching) return;
    const list = this.#nLists;
    for (let page = Math.floor(first / PAGE_ROWS); page <= Math.floor(last / PAGE_ROWS); page++) {
      if (this.#asked.has(page)) continue;
      this.#asked.add(page);
      try {
        const { rows } = await this.#backend.notePage(place.query, page * PAGE_ROWS);
        if (list !== this.#nLists) return;
        this.#pages = new Map([...this.#pages, [page, rows]]);
      } catch {
        // The page is asked for again when it is next in sight.
        this.#asked.delete(page);
        return;
      }
    }
  }

  async #readFirstPage(): Promise<void> {
    const place = this.#place;
    if (place.kind !== "list") return;
    const isNew = await this.#listing.run(place.query, 0);
    if (place !== this.#place) return;
    if (this.#listing.error !== null) this.#isSearching = false;
    if (!isNew) return;
    this.#isSearching = false;
    this.#asked.clear();
    this.#asked.add(0);
    this.#pages = new Map([[0, this.#listing.data?.rows ?? []]]);
    this.#nLists++;
  }

  async #readTimeline(): Promise<void> {
    const query = { ...this.query, from: null, to: null, no_day: null, sort: null, is_reversed: false };
    const counted = JSON.stringify(query);
    if (counted === this.#counted) return;
    if (await this.#counting.run(query)) this.#counted = counted;
  }

  #take(place: OverviewPlace): void {
    if (addressOf(place) === addressOf(this.#place)) return;
    const isOtherQuery = place.kind === "list" && this.#place.kind === "list" && this.#listing.data !== null;
    this.#place = place;
    this.active = 0;
    this.#isSearching = isOtherQuery;
    if (isOtherQuery) this.#listing.drop();
    else {
      this.#pages = new Map();
      this.#listing.reset();
    }
    this.#wishes.wish();
  }
}
