// Adding a folder: by the system's dialog, by dropping one on the window, or by typing its path.
import type { Backend } from "../api/backend";
import type { ErrorInfo } from "../api/bindings";
import { toErrorInfo } from "../api/errors";

/** A folder that could not be added, with what was tried. */
export type FailedFolder = { path: string; error: ErrorInfo };

/** Adds folders one after another and remembers what went wrong. */
export class FolderAdding {
  readonly #backend: Backend;
  readonly #onAdded: () => void;
  #adding = $state<string | null>(null);
  #failed = $state.raw<readonly FailedFolder[]>([]);
  #added = $state.raw<readonly string[]>([]);

  constructor(backend: Backend, onAdded: () => void) {
    this.#backend = backend;
    this.#onAdded = onAdded;
  }

  /** The path that is being added now. */
  get adding(): string | null {
    return this.#adding;
  }
  /** What went wrong at the last try; empty when all went well. */
  get failed(): readonly FailedFolder[] {
    return this.#failed;
  }
  /** The paths that the last try added. */
  get added(): readonly string[] {
    return this.#added;
  }

  /** Forgets the last try. */
  forget(): void {
    this.#failed = [];
    this.#added = [];
  }

  /** Asks for a folder with the system's dialog and adds it; does nothing if the user cancels. */
  async pick(): Promise<void> {
    try {
      const path = await this.#backend.pickFolder();
      if (path !== null) await this.add([path]);
    } catch (error) {
      this.#failed = [{ path: "", error: toErrorInfo(error) }];
    }
  }

  /** Adds the folders at `paths`; blank ones are left out. A failure does not affect the others. True if all were added. */
  async add(paths: readonly string[]): Promise<boolean> {
    if (this.#adding !== null) return false;
    const failed: FailedFolder[] = [];
    const added: string[] = [];
    this.#failed = [];
    this.#added = [];
    for (const path of paths.map((typed) => typed.trim()).filter((typed) => typed !== "")) {
      this.#adding = path;
      try {
        await this.#backend.addFolder(path);
        added.push(path);
        this.#onAdded();
      } catch (error) {
        failed.push({ path, error: toErrorInfo(error) });
      }
    }
    this.#adding = null;
    this.#failed = failed;
    this.#added = added;
    return failed.length === 0 && added.length > 0;
  }
}
