import type { Backend } from "../api/backend";
import type { ErrorInfo, NotePage, NoteQuery, NoteRow, Overview, Params } from "../api/bindings";
import { Call } from "../shared/call.svelte";
import { addressOf, ALL_NOTES, CARDS, type FullQuery, placeOf, type OverviewPlace } from "./address";

type Calls = Pick<Backend, "overview" | "notePage">;

/** Rows that the engine sends at once. */
export const PAGE_ROWS = 200;

/** The cards of the memory, and the list of notes behind them. */
export class OverviewController {
  readonly #reading: Call<[params: Params, isSeen: boolean], Overview>;
  readonly #listing: Call<[query: NoteQuery, first: number], NotePage>;
  readonly #backend: Calls;
  #place = $state.raw<OverviewPlace>(placeOf(location.hash));
  #pages = $state.raw<ReadonlyMap<number, readonly NoteRow[]>>(new Map());
  readonly #asked = new Set<number>();
  #nLists = 0;

  constructor(backend: Calls) {
    this.#backend = backend;
    this.#reading = new Call((params, isSeen) => backend.overview(params, isSeen));
    this.#listing = new Call((query, first) => backend.notePage(query, first), "drop");
  }

  get overview(): Overview | null {
    return this.#reading.data;
  }
  get error(): ErrorInfo | null {
    return this.#reading.error;
  }
  get isReading(): boolean {
    return this.#reading.isRunning;
  }
  get place(): OverviewPlace {
    return this.#place;
  }
  /** Number of notes in the list; null while it is not known. */
  get n(): number | null {
    return this.#listing.data?.n ?? null;
  }
  get listError(): ErrorInfo | null {
    return this.#listing.error;
  }

  /** Follows back and forward until the returned function is called. */
  follow(): () => void {
    const onpopstate = () => this.#take(placeOf(location.hash));
    window.addEventListener("popstate", onpopstate);
    return () => window.removeEventListener("popstate", onpopstate);
  }

  /** Reads the cards, again until every text was read. */
  async read(params: Params, isSeen = false): Promise<void> {
    let isCurrent = await this.#reading.run(params, isSeen);
    while (isCurrent && (this.overview?.n_unread ?? 0) > 0)
      isCurrent = await this.#reading.run(params, false);
  }

  /** Shows a place, with an entry in the window's history. */
  go(place: OverviewPlace): void {
    history.pushState(null, "", `#${addressOf(place)}`);
    this.#take(place);
  }

  showCards(): void {
    this.go(CARDS);
  }

  /** Shows the notes of a query; what is left out is not filtered. */
  list(query: Partial<FullQuery>): void {
    this.go({ kind: "list", query: { ...ALL_NOTES, ...query } });
  }

  /** Changes the list that is shown. Typing makes no entries in the history. */
  change(change: Partial<FullQuery>): void {
    if (this.#place.kind !== "list") return;
    const place: OverviewPlace = { kind: "list", query: { ...this.#place.query, ...change } };
    if ("text" in change) {
      history.replaceState(null, "", `#${addressOf(place)}`);
      this.#take(place);
    } else this.go(place);
  }

  /** Reads the list again from its first page. */
  async readList(): Promise<void> {
    const place = this.#place;
    if (place.kind !== "list") return;
    const list = ++this.#nLists;
    this.#asked.clear();
    this.#asked.add(0);
    if (!(await this.#listing.run(place.query, 0)) || list !== this.#nLists) return;
    this.#pages = new Map([[0, this.#listing.data?.rows ?? []]]);
  }

  /** The row at a position; undefined until its page has been read. */
  row(position: number): NoteRow | undefined {
    return this.#pages.get(Math.floor(position / PAGE_ROWS))?.[position % PAGE_ROWS];
  }

  /** Reads the pages of the positions in sight. */
  async need(first: number, last: number): Promise<void> {
    const place = this.#place;
    if (place.kind !== "list") return;
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

  #take(place: OverviewPlace): void {
    this.#place = place;
    this.#pages = new Map();
    this.#listing.reset();
    void this.readList();
  }
}
