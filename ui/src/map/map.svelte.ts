// The map of all chunks: its picture, the layout by neighbours that is computed for it, and what is chosen on it.
import type { Backend } from "../api/backend";
import type { ErrorInfo, LayoutProgress, MapLayout, MapPicture, NoteQuery, Params } from "../api/bindings";
import { Call } from "../shared/call.svelte";
import { Job, reporting } from "../shared/job.svelte";
import { NewestOnly } from "../shared/newest-only";
import { readStored, writeStored } from "../shared/stored";
import { ChunkMap, type NoteCount, notesOf } from "./chunk-map";
import type { Shown } from "./viewport";
import { FirstWords } from "./first-words.svelte";

type Calls = Pick<Backend, "map" | "layOut" | "document" | "onProgress" | "stop">;

/** What the user set of the map, apart from what is in the address. */
type Kept = { isTable: boolean; showsQuestion: boolean };

/** Which picture is shown. */
export type Asked = {
  /** by what observations are compared */
  params: Params;
  query: NoteQuery;
  /** null: by neighbours if there is such a layout */
  layout: MapLayout | null;
};

const STORED = "memlens.map";

function isKept(value: unknown): value is Partial<Kept> {
  return typeof value === "object" && value !== null;
}

export class MapController {
  /** Beginning of the chunk that the pointer is on. */
  readonly words: FirstWords;
  /** What is on screen. */
  view = $state.raw<Shown>("first");
  readonly #reading: Call<[asked: Asked], MapPicture>;
  readonly #layingOut: Job<[], boolean, LayoutProgress>;
  #asked: Asked | null = null;
  /** Ids of the chunks in the lasso, in the order of the picture it was drawn on; null for no lasso. */
  #lassoed = $state.raw<readonly number[] | null>(null);
  #isTable = $state(false);
  #showsQuestion = $state(true);
  /** The user stopped the layout; only the user starts it again. */
  #wasStopped = $state(false);
  /** One at a time: a filter by words takes a pass over all texts. */
  readonly #wishes = new NewestOnly(async () => {
    if (this.#asked === null) return;
    if (await this.#reading.run(this.#asked)) this.#startLayout();
  });

  readonly map: ChunkMap | null = $derived.by(() => {
    const picture = this.#reading.data;
    return picture === null ? null : new ChunkMap(picture);
  });
  /** Points of the lasso that are on the map now; null for no lasso. */
  readonly chosen: ReadonlySet<number> | null = $derived.by(() => {
    const map = this.map;
    if (this.#lassoed === null || map === null) return null;
    return new Set(this.#lassoed.flatMap((chunk) => map.pointOf(String(chunk)) ?? []));
  });
  /** Notes of the lasso, those with most chunks in it first. */
  readonly chosenNotes: readonly NoteCount[] = $derived(
    this.chosen === null || this.map === null ? [] : notesOf(this.map, [...this.chosen]),
  );

  constructor(backend: Calls) {
    this.words = new FirstWords(backend);
    this.#reading = new Call(({ params, query, layout }) => backend.map(params, query, layout), "drop");
    this.#layingOut = new Job({
      work: (report) =>
        reporting(
          (report) => backend.onProgress("layout", report),
          report,
          () => backend.layOut(),
        ),
      stop: () => backend.stop("layout"),
    });
    const kept = readStored(STORED, isKept);
    this.#isTable = kept?.isTable === true;
    this.#showsQuestion = kept?.showsQuestion !== false;
  }

  get picture(): MapPicture | null {
    return this.#reading.data;
  }
  get error(): ErrorInfo | null {
    return this.#reading.error;
  }
  get isReading(): boolean {
    return this.#reading.isRunning;
  }
  /** Why the layout by neighbours could not be computed. */
  get layoutError(): ErrorInfo | null {
    return this.#layingOut.error;
  }
  get isLayingOut(): boolean {
    return this.#layingOut.isRunning;
  }
  get isStopping(): boolean {
    return this.#layingOut.isStopping;
  }
  get progress(): LayoutProgress | null {
    return this.#layingOut.progress;
  }
  get isTable(): boolean {
    return this.#isTable;
  }
  /** Whether the candidates of the present question are marked. */
  get showsQuestion(): boolean {
    return this.#showsQuestion;
  }

  showTable(isTable: boolean): void {
    this.#isTable = isTable;
    this.#keep();
  }

  showQuestion(isShown: boolean): void {
    this.#showsQuestion = isShown;
    this.#keep();
  }

  /** Reads the picture of the notes of a query. */
  read(asked: Asked): void {
    this.#asked = asked;
    this.#wishes.wish();
  }

  /** Reads the same picture again. */
  readAgain(): void {
    this.#wishes.wish();
  }

  /** Chooses the points of a lasso; one without points chooses nothing. */
  choose(points: readonly number[]): void {
    const ids = points.flatMap((at) => this.map?.picture.chunk[at] ?? []);
    this.#lassoed = ids.length === 0 ? null : ids;
  }

  chooseNone(): void {
    this.#lassoed = null;
  }

  /** Computes the layout by neighbours, and shows it unless the user chose another. */
  async layOut(): Promise<void> {
    this.#wasStopped = false;
    if (await this.#layingOut.run()) this.readAgain();
  }

  stop(): void {
    this.#wasStopped = true;
    this.#layingOut.stop();
  }

  /** Whether the layout is missing and nothing computes it. */
  get canLayOut(): boolean {
    const state = this.picture?.neighbours.state;
    return !this.isLayingOut && (state === "missing" || state === "old");
  }

  #startLayout(): void {
    if (this.picture?.neighbours.state === "missing" && !this.#wasStopped && this.layoutError === null)
      void this.layOut();
  }

  #keep(): void {
    writeStored(STORED, { isTable: this.#isTable, showsQuestion: this.#showsQuestion } satisfies Kept);
  }
}
