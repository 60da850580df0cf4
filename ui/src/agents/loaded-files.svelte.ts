// What agents load of the notes, for the marks in the Memory view.
import type { Backend } from "../api/backend";
import type { LoadedFile } from "../api/bindings";
import { Call } from "../shared/call.svelte";
import { cutOf, loadOf, remarksOf, type LoadRemark } from "./load-line";

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

  /** The limit that leaves out most of a note; null if none leaves out anything. */
  cutOf(folder: string, path: string): LoadedFile | null {
    return cutOf(this.files, folder, path);
  }

  /** What is not loaded of a note, by a limit or another rule; null if all of it is loaded. */
  loadOf(folder: string, path: string): LoadedFile | null {
    return loadOf(this.files, folder, path);
  }

  /** The lines of a note that its agent leaves out for another reason than a limit. */
  remarksOf(folder: string, path: string): readonly LoadRemark[] {
    return remarksOf(this.files, folder, path);
  }
}
