// What Settings does to the watched folders, and to the library as a whole.
import type { Backend } from "../api/backend";
import type { DataSize, ErrorInfo, FolderState } from "../api/bindings";
import { toErrorInfo } from "../api/errors";

/** Why a folder could not be paused or removed. */
export type FailedChange = { folder: string; doing: string; error: ErrorInfo };

/** The Settings view's state. */
export class SettingsController {
  readonly #backend: Backend;
  readonly #onChanged: () => void;
  readonly #onErased: () => void;
  #busy = $state<string | null>(null);
  #failed = $state.raw<FailedChange | null>(null);
  #removing = $state.raw<FolderState | null>(null);
  #size = $state.raw<DataSize | null>(null);
  #isErasing = $state(false);
  #isAskingToErase = $state(false);
  #dataError = $state.raw<ErrorInfo | null>(null);

  /** `onErased` is told when nothing is stored any more. */
  constructor(backend: Backend, onChanged: () => void, onErased: () => void) {
    this.#backend = backend;
    this.#onChanged = onChanged;
    this.#onErased = onErased;
  }

  /** Id of the folder that is being changed. */
  get busy(): string | null {
    return this.#busy;
  }
  get failed(): FailedChange | null {
    return this.#failed;
  }
  /** The folder whose removal waits for a yes. */
  get removing(): FolderState | null {
    return this.#removing;
  }

  /** How much room the library takes; null until that was measured. */
  get size(): DataSize | null {
    return this.#size;
  }
  get isErasing(): boolean {
    return this.#isErasing;
  }
  /** Erasing waits for a yes. */
  get isAskingToErase(): boolean {
    return this.#isAskingToErase;
  }
  /** Why the data could not be shown or erased. */
  get dataError(): ErrorInfo | null {
    return this.#dataError;
  }

  /** Measures the library on disk; a size that cannot be had is left out. */
  async measure(): Promise<void> {
    try {
      this.#size = await this.#backend.dataSize();
    } catch {
      this.#size = null;
    }
  }

  /** Opens the library's folder with the system's program for folders. */
  async show(): Promise<void> {
    this.#dataError = null;
    try {
      await this.#backend.showLibrary();
    } catch (error) {
      this.#dataError = toErrorInfo(error);
    }
  }

  /** Asks whether to erase all. */
  askToErase(): void {
    this.#isAskingToErase = true;
  }

  keepAll(): void {
    this.#isAskingToErase = false;
  }

  /** Erases all that Memlens has stored. */
  async erase(): Promise<void> {
    this.#isAskingToErase = false;
    if (this.#isErasing) return;
    this.#isErasing = true;
    this.#dataError = null;
    try {
      await this.#backend.eraseAll();
      this.#onErased();
      this.#onChanged();
      await this.measure();
    } catch (error) {
      this.#dataError = toErrorInfo(error);
    } finally {
      this.#isErasing = false;
    }
  }

  async pause(folder: FolderState, isPaused: boolean): Promise<void> {
    await this.#change(folder, isPaused ? "pause" : "resume", () =>
      this.#backend.pauseFolder(folder.id, isPaused),
    );
  }

  /** Asks where a folder lies now, and watches it there; nothing where the person cancels. */
  async locate(folder: FolderState): Promise<void> {
    await this.#change(folder, "locate", async () => {
      const path = await this.#backend.pickFolder();
      if (path !== null) await this.#backend.moveFolder(folder.id, path);
    });
  }

  /** Asks whether to remove a folder. */
  askToRemove(folder: FolderState): void {
    this.#removing = folder;
  }

  keep(): void {
    this.#removing = null;
  }

  /** Removes the folder that was asked about. */
  async remove(): Promise<void> {
    const folder = this.#removing;
    this.#removing = null;
    if (folder !== null) await this.#change(folder, "remove", () => this.#backend.removeFolder(folder.id));
  }

  async #change(folder: FolderState, doing: string, change: () => Promise<unknown>): Promise<void> {
    if (this.#busy !== null) return;
    this.#busy = folder.id;
    this.#failed = null;
    try {
      await change();
      this.#onChanged();
    } catch (error) {
      this.#failed = { folder: folder.id, doing, error: toErrorInfo(error) };
    } finally {
      this.#busy = null;
    }
  }
}
