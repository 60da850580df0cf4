// What agents load of the notes, for the marks in the Memory view.
import type { Backend } from "../api/backend";
import type { LoadedFile } from "../api/bindings";
import { Call } from "../shared/call.svelte";
import { blockedOf, cutOf, type BlockedEntry } from "./load-line";

const NONE: readonly LoadedFile[] = [];

/** The files that have a cap. */
export class LoadedFiles {
  readonly #reading: Call<[], readonly LoadedFile[]>;

  constructor(backend: Backend) {
    this.#reading = new Call(() => backend.agentsLoaded(), "drop");
  }

  get files(): readonly LoadedFile[] {
    return this.#reading.data ?? NONE;
  }

  /** Measures the files again; if that fails there are no marks, and nothing else is lost. */
  async read(): Promise<void> {
    await this.#reading.run();
  }

  /** What is not loaded of a note; null if all of it is. */
  cutOf(folder: string, path: string): LoadedFile | null {
    return cutOf(this.files, folder, path);
  }

  /** The entries of a note that its agent blocks. */
  blockedOf(folder: string, path: string): readonly BlockedEntry[] {
    return blockedOf(this.files, folder, path);
  }
}
