import type { Backend } from "../api/backend";
import type {
  AlikeNotes,
  ErrorInfo,
  LinksOfNote,
  NoteDrift,
  NoteHistory,
  NoteQuestions,
  Params,
  SaidElsewhere,
} from "../api/bindings";
import { Call } from "../shared/call.svelte";
import { readStored, writeStored } from "../shared/stored";

type Calls = Pick<
  Backend,
  "noteLinks" | "notesLike" | "saidElsewhere" | "noteDrift" | "noteQuestions" | "noteHistory"
>;

/** The sections beside a note that fold. */
export const SECTIONS = ["links-from", "links-to", "alike", "said", "questions", "history"] as const;
export type SectionId = (typeof SECTIONS)[number];

const STORED_AS = "memlens.folded-beside-note";

/** The sections are shown together; one that takes longer than this follows. */
const TOGETHER_MS = 400;

function isSections(value: unknown): value is SectionId[] {
  return Array.isArray(value) && value.every((one) => SECTIONS.some((id) => id === one));
}

/** A note by its folder and its path in it. */
export type NoteKey = { folder: string; path: string };

/** What is known beside the open note. */
export class Beside {
  readonly #links: Call<[note: NoteKey, isAll: boolean], LinksOfNote>;
  readonly #alike: Call<[note: NoteKey], AlikeNotes>;
  readonly #said: Call<[note: NoteKey, params: Params], SaidElsewhere | null>;
  readonly #drift: Call<[note: NoteKey], NoteDrift | null>;
  readonly #questions: Call<[note: NoteKey], NoteQuestions>;
  readonly #history: Call<[folder: string, path: string], NoteHistory>;
  #note = $state.raw<NoteKey | null>(null);
  #isAll = $state(false);
  #isShown = $state(false);
  /** The statements were asked for, so that null is an answer. */
  #isCompared = $state(false);
  #folded = $state.raw<ReadonlySet<SectionId>>(new Set(readStored(STORED_AS, isSections) ?? []));
  #together: ReturnType<typeof setTimeout> | undefined;

  constructor(backend: Calls) {
    this.#links = new Call(({ folder, path }, isAll) => backend.noteLinks(folder, path, isAll), "drop");
    this.#alike = new Call(({ folder, path }) => backend.notesLike(folder, path), "drop");
    this.#said = new Call(({ folder, path }, params) => backend.saidElsewhere(folder, path, params), "drop");
    this.#drift = new Call(({ folder, path }) => backend.noteDrift(folder, path), "drop");
    this.#questions = new Call(({ folder, path }) => backend.noteQuestions(folder, path), "drop");
    this.#history = new Call((folder, path) => backend.noteHistory(folder, path), "drop");
  }

  /** Whether the sections can be shown: all are read, or it takes too long to wait for the rest. */
  get isShown(): boolean {
    return this.#isShown;
  }
  /** null while nothing is known of the note; the same for the others. */
  get links(): LinksOfNote | null {
    return this.#links.data;
  }
  get linksError(): ErrorInfo | null {
    return this.#links.error;
  }
  get alike(): AlikeNotes | null {
    return this.#alike.data;
  }
  get alikeError(): ErrorInfo | null {
    return this.#alike.error;
  }
  /** Also null before all notes were compared for the first time. */
  get said(): SaidElsewhere | null {
    return this.#said.data;
  }
  get saidError(): ErrorInfo | null {
    return this.#said.error;
  }
  /** Whether it is known what is said elsewhere, or that it was not compared. */
  get isSaidRead(): boolean {
    return this.#isCompared;
  }
  /** What contradicts the note or was changed; also null before all notes were compared for the first time. */
  get drift(): NoteDrift | null {
    return this.#drift.data;
  }
  get driftError(): ErrorInfo | null {
    return this.#drift.error;
  }
  get questions(): NoteQuestions | null {
    return this.#questions.data;
  }
  get questionsError(): ErrorInfo | null {
    return this.#questions.error;
  }
  get history(): NoteHistory | null {
    return this.#history.data;
  }
  get historyError(): ErrorInfo | null {
    return this.#history.error;
  }

  isOpen(section: SectionId): boolean {
    return !this.#folded.has(section);
  }

  toggle(section: SectionId): void {
    const folded = new Set(this.#folded);
    if (!folded.delete(section)) folded.add(section);
    this.#folded = folded;
    writeStored(STORED_AS, folded.size === 0 ? null : [...folded]);
    if (section === "history") void this.#readHistory();
  }

  /** Reads what is known beside a note, again if it is the same one; null for no note. */
  show(note: NoteKey | null, params: Params): void {
    const isSame = note?.folder === this.#note?.folder && note?.path === this.#note?.path;
    this.#note = note;
    if (!isSame) {
      const [links, alike, said, drift] = [this.#links, this.#alike, this.#said, this.#drift];
      for (const call of [links, alike, said, drift, this.#questions, this.#history]) call.reset();
      this.#isAll = false;
      this.#isShown = false;
      this.#isCompared = false;
      clearTimeout(this.#together);
      if (note !== null) this.#together = setTimeout(() => (this.#isShown = true), TOGETHER_MS);
    }
    if (note !== null) void this.#read(note, params);
  }

  /** Reads again what contradicts the note: the user may have marked a pair. */
  readDrift(): void {
    if (this.#note !== null) void this.#drift.run(this.#note);
  }

  /** Reads all links of the note. */
  showAll(): void {
    if (this.#isAll || this.#note === null) return;
    this.#isAll = true;
    void this.#links.run(this.#note, true).then((isNew) => this.#readRest(isNew));
  }

  /** Unless nobody sees it: a repository takes a while. */
  async #readHistory(): Promise<void> {
    const note = this.#note;
    if (note !== null && this.isOpen("history")) await this.#history.run(note.folder, note.path);
  }

  async #read(note: NoteKey, params: Params): Promise<void> {
    const links = this.#links.run(note, this.#isAll);
    const said = this.#said.run(note, params).then(() => {
      if (note === this.#note) this.#isCompared = true;
    });
    const others = [this.#alike.run(note), this.#drift.run(note), this.#questions.run(note)];
    const all = Promise.all([links, said, ...others, this.#readHistory()]);
    void links.then((isNew) => this.#readRest(isNew));
    await all;
    if (note === this.#note) {
      clearTimeout(this.#together);
      this.#isShown = true;
    }
  }

  /** Asks again until the links of all notes were read. */
  async #readRest(isNew: boolean): Promise<void> {
    let isCurrent = isNew;
    while (isCurrent && this.#note !== null && (this.links?.n_unread ?? 0) > 0)
      isCurrent = await this.#links.run(this.#note, this.#isAll);
  }
}
