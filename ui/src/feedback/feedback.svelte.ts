import type { Backend } from "../api/backend";
import type { ErrorInfo, FeedbackEntry, FeedbackImport } from "../api/bindings";
import { Actions } from "../shared/call.svelte";

export type Thumb = "up" | "down";

/** The search on the screen, as far as thumbs are about it. */
export interface VotedSearch {
  readonly answer: { readonly id: number } | null;
  /** Ranks the answer by the thumbs as they are now. */
  rankAgain(): void;
}

/**
 * The user's thumbs: those on the rows of the present answer for its question, and the list of all.
 *
 * A thumb is given once the engine has it; the rows are then ranked by it at once.
 */
export class Feedback {
  readonly #backend: Backend;
  readonly #search: VotedSearch;
  readonly #actions = new Actions();
  /** By slot, of the answer of this id. */
  #thumbs = $state.raw<{ search: number; bySlot: ReadonlyMap<number, Thumb> } | null>(null);
  #entries = $state.raw<readonly FeedbackEntry[] | null>(null);
  #imported = $state.raw<FeedbackImport | null>(null);
  #savedTo = $state.raw<string | null>(null);
  /** Settles once every vote so far is answered; never fails. */
  #voting: Promise<void> = Promise.resolve();

  constructor(backend: Backend, search: VotedSearch) {
    this.#backend = backend;
    this.#search = search;
  }

  /** Every thumb, the newest first; null before they are read. */
  get entries(): readonly FeedbackEntry[] | null {
    return this.#entries;
  }

  /** Why the last action failed; a later success clears it. */
  get error(): ErrorInfo | null {
    return this.#actions.error;
  }

  /** Result of the last import. */
  get imported(): FeedbackImport | null {
    return this.#imported;
  }

  /** Path to which the thumbs were saved last. */
  get savedTo(): string | null {
    return this.#savedTo;
  }

  /** The thumb of a row for the question on the screen. */
  thumbOf(slot: number): Thumb | null {
    if (this.#thumbs === null || this.#thumbs.search !== this.#search.answer?.id) return null;
    return this.#thumbs.bySlot.get(slot) ?? null;
  }

  dismissError(): void {
    this.#actions.dismissError();
  }

  /** Reads the thumbs of each answer until the returned function is called. */
  follow(): () => void {
    return $effect.root(() => {
      $effect(() => {
        const id = this.#search.answer?.id;
        if (id !== undefined) void this.#readThumbs(id);
      });
    });
  }

  /** Gives a row a thumb; the other one is turned, the same one is removed. Votes run one after another. */
  vote(slot: number, up: boolean): Promise<void> {
    const id = this.#search.answer?.id;
    if (id !== undefined)
      this.#voting = this.#voting.then(() =>
        this.#change(async () => this.#take(id, await this.#backend.vote(id, slot, up))),
      );
    return this.#voting;
  }

  /** Reads the list of all thumbs. */
  async read(): Promise<void> {
    this.#imported = null;
    this.#savedTo = null;
    await this.#actions.run(async () => {
      this.#entries = await this.#backend.feedback();
    });
  }

  async undo(entry: FeedbackEntry): Promise<void> {
    await this.#change(async () => {
      this.#entries = await this.#backend.feedbackUndo(entry.id);
      await this.#readPresent();
    });
  }

  /** Asks where, and saves all thumbs there. */
  async save(): Promise<void> {
    await this.#actions.run(async () => {
      this.#savedTo = await this.#backend.feedbackSave();
      this.#imported = null;
    });
  }

  /** Asks for a file, and adds its thumbs. */
  async open(): Promise<void> {
    await this.#change(async () => {
      this.#imported = await this.#backend.feedbackOpen();
      this.#savedTo = null;
      this.#entries = await this.#backend.feedback();
      await this.#readPresent();
    });
  }

  async #readPresent(): Promise<void> {
    const id = this.#search.answer?.id;
    if (id !== undefined) this.#take(id, await this.#backend.thumbs(id));
  }

  async #readThumbs(id: number): Promise<void> {
    try {
      this.#take(id, await this.#backend.thumbs(id));
    } catch {
      // Without them no row shows a thumb; an answer that is gone is searched again by the ranking.
    }
  }

  #take(id: number, thumbs: readonly { slot: number; up: boolean }[]): void {
    if (id !== this.#search.answer?.id) return;
    this.#thumbs = {
      search: id,
      bySlot: new Map(thumbs.map(({ slot, up }) => [slot, up ? "up" : "down"])),
    };
  }

  async #change(change: () => Promise<void>): Promise<void> {
    if (await this.#actions.run(change)) this.#search.rankAgain();
  }
}
