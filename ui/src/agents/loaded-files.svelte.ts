// What agents load of the notes, for the marks in the Memory view.
import type { Backend } from "../api/backend";
import type { LoadedFile } from "../api/bindings";
import { cutOf } from "./load-line";

/** The files that have a cap. */
export class LoadedFiles {
  readonly #backend: Backend;
  #files = $state.raw<readonly LoadedFile[]>([]);
  #nReads = 0;

  constructor(backend: Backend) {
    this.#backend = backend;
  }

  get files(): readonly LoadedFile[] {
    return this.#files;
  }

  /** Measures the files again; where that fails there are no marks, and nothing else is lost. */
  async read(): Promise<void> {
    const read = ++this.#nReads;
    let files: readonly LoadedFile[] = [];
    try {
      files = await this.#backend.agentsLoaded();
    } catch {
      // As above.
    }
    if (read === this.#nReads) this.#files = files;
  }

  /** What is not loaded of a note; null where all of it is. */
  cutOf(folder: string, path: string): LoadedFile | null {
    return cutOf(this.#files, folder, path);
  }
}
