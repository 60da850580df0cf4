import type { Backend } from "../api/backend";
import type { ErrorInfo, LinksOfNote, NoteHistory } from "../api/bindings";
import { Call } from "../shared/call.svelte";
import { readStored, writeStored } from "../shared/stored";

type Calls = Pick<Backend, "noteLinks" | "noteHistory">;

/** The sections beside a note that fold. */
export const SECTIONS = ["links-from", "links-to", "history"] as const;
export type SectionId = (typeof SECTIONS)[number];

const STORED_AS = "memlens.folded-beside-note";

function isSections(value: unknown): value is SectionId[] {
  return Array.isArray(value) && value.every((one) => SECTIONS.some((id) => id === one));
}

/** A note by its folder and its path in it. */
type NoteKey = { folder: string; path: string };

/** What is known beside the open note. */
export class Beside {
  readonly #links: Call<[folder: string, path: string, isAll: boolean], LinksOfNote>;
  readonly #history: Call<[folder: string, path: string], NoteHistory>;
  #note = $state.raw<NoteKey | null>(null);
  #isAll = $state(false);
  #folded = $state.raw<ReadonlySet<SectionId>>(new Set(readStored(STORED_AS, isSections) ?? []));

  constructor(backend: Calls) {
    this.#links = new Call((folder, path, isAll) => backend.noteLinks(folder, path, isAll), "drop");
    this.#history = new Call((folder, path) => backend.noteHistory(folder, path), "drop");
  }

  /** null while nothing is known of the note. */
  get links(): LinksOfNote | null {
    return this.#links.data;
  }
  get linksError(): ErrorInfo | null {
    return this.#links.error;
  }
  /** null while it is not known. */
  get history(): NoteHistory | null {
    return this.#history.data;
  }
  get historyError(): ErrorInfo | null {
    return this.#history.error;
  }
  /** All links are wanted, and not only the first 200. */
  get isAll(): boolean {
    return this.#isAll;
  }

  isOpen(section: SectionId): boolean {
    return !this.#folded.has(section);
  }

  toggle(section: SectionId): void {
    const folded = new Set(this.#folded);
    if (!folded.delete(section)) folded.add(section);
    this.#folded = folded;
    writeStored(STORED_AS, folded.size === 0 ? null : [...folded]);
    if (section === "history") this.#readHistory();
  }

  /** Reads what is known beside a note, again if it is the same one; null for no note. */
  show(note: NoteKey | null): void {
    const isSame = note?.folder === this.#note?.folder && note?.path === this.#note?.path;
    if (!isSame) {
      this.#links.reset();
      this.#history.reset();
      this.#isAll = false;
    }
    this.#note = note;
    void this.#readLinks();
    this.#readHistory();
  }

  /** Reads all links of the note. */
  showAll(): void {
    if (this.#isAll) return;
    this.#isAll = true;
    void this.#readLinks();
  }

  /** Unless nobody sees it: a repository takes a while. */
  #readHistory(): void {
    const note = this.#note;
    if (note !== null && this.isOpen("history")) void this.#history.run(note.folder, note.path);
  }

  /** Until the links of all notes were read. */
  async #readLinks(): Promise<void> {
    const note = this.#note;
    if (note === null) return;
    while (await this.#links.run(note.folder, note.path, this.#isAll)) {
      if ((this.links?.n_unread ?? 0) === 0) return;
    }
  }
}
