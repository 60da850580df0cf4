// How the chunk begins that the pointer is on.
import type { Backend } from "../api/backend";
import type { DocumentView } from "../api/bindings";

/** Characters that are shown. */
const CHARS_MAX = 160;
/** Notes that are remembered: the pointer comes back to the same places. */
const NOTES_MAX = 24;

type Place = { folder: string; path: string; chunk: string };

/** Reads notes one at a time; a place that is left before is not read. */
export class FirstWords {
  readonly #backend: Pick<Backend, "document">;
  /** The last ones are used last. */
  readonly #notes = new Map<string, DocumentView | null>();
  #wanted: Place | null = null;
  #isReading = false;
  #text = $state<string | null>(null);

  constructor(backend: Pick<Backend, "document">) {
    this.#backend = backend;
  }

  /** null until they were read, and if they cannot be. */
  get text(): string | null {
    return this.#text;
  }

  /** Reads the words of a chunk; of none, for null. */
  show(place: Place | null): void {
    this.#wanted = place;
    this.#text = null;
    if (place === null) return;
    const known = this.#notes.get(keyOf(place));
    if (known !== undefined) this.#text = wordsOf(known, place.chunk);
    else if (!this.#isReading) void this.#read();
  }

  /** Forgets what was read: notes have changed. */
  forget(): void {
    this.#notes.clear();
  }

  async #read(): Promise<void> {
    this.#isReading = true;
    for (let place = this.#wanted; place !== null && this.#text === null; place = this.#next(place)) {
      const key = keyOf(place);
      let note: DocumentView | null = null;
      try {
        note = await this.#backend.document(place.folder, place.path);
      } catch {
        // The note is gone or cannot be read; opening it says why.
      }
      this.#notes.delete(key);
      this.#notes.set(key, note);
      for (const first of this.#notes.keys()) {
        if (this.#notes.size <= NOTES_MAX) break;
        this.#notes.delete(first);
      }
      if (this.#wanted !== null && keyOf(this.#wanted) === key)
        this.#text = wordsOf(note, this.#wanted.chunk);
    }
    this.#isReading = false;
  }

  /** The place that is wanted after one was read; null if it is the same one. */
  #next({ folder, path }: Place): Place | null {
    const wanted = this.#wanted;
    return wanted === null || (wanted.folder === folder && wanted.path === path) ? null : wanted;
  }
}

function keyOf({ folder, path }: Place): string {
  return `${folder}\n${path}`;
}

/** The first words of a chunk; empty if the note does not have it any more. */
function wordsOf(note: DocumentView | null, chunk: string): string {
  const found = note?.chunks.find((one) => one.chunk === chunk);
  if (note === null || found === undefined) return "";
  const lines = note.text.split(/\r\n|\r|\n/, found.end_line).slice(found.start_line - 1);
  const text = lines.join(" ").replace(/\s+/g, " ").trim();
  return text.length <= CHARS_MAX ? text : `${text.slice(0, CHARS_MAX).trimEnd()}…`;
}
