// What Settings does to the watched folders, and to the library as a whole.
import type { Backend } from "../api/backend";
import type { DataSize, ErrorInfo, FolderState } from "../api/bindings";
import { Actions, Call } from "../shared/call.svelte";

/** Why a folder could not be paused or removed. */
export type FailedChange = { folder: string; doing: string; error: ErrorInfo };

/** The Settings view's state. */
export class SettingsController {
  readonly #backend: Backend;
  readonly #onChanged: () => void;
  readonly #onErased: () => void;
  readonly #changing = new Actions();
  readonly #onData = new Actions();
  readonly #measuring: Call<[], DataSize>;
  /** What `#changing` does, or did last. */
  #change = $state.raw<Omit<FailedChange, "error"> | null>(null);
  #removing = $state.raw<FolderState | null>(null);
  #isErasing = $state(false);
  #isAskingToErase = $state(false);

  /** `onErased` is called when nothing is stored any more. */
  constructor(backend: Backend, onChanged: () => void, onErased: () => void) {
    this.#backend = backend;
    this.#onChanged = onChanged;
    this.#onErased = onErased;
    this.#measuring = new Call(() => backend.dataSize(), "drop");
  }

  /** Id of the folder that is being changed. */
  get busy(): string | null {
    return this.#changing.isRunning ? (this.#change?.folder ?? null) : null;
  }
  get failed(): FailedChange | null {
    const { error } = this.#changing;
    return error === null || this.#change === null ? null : { ...this.#change, error };
  }
  /** The folder whose removal waits for a yes. */
  get removing(): FolderState | null {
    return this.#removing;
  }

  /** How much room the library takes; null until that was measured. */
  get size(): DataSize | null {
    return this.#measuring.data;
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
    return this.#onData.error;
  }

  /** Measures the library on disk; a size that cannot be had is left out. */
  async measure(): Promise<void> {
    await this.#measuring.run();
  }

  /** Opens the library's folder with the system's program for folders. */
  async show(): Promise<void> {
    this.#onData.dismissError();
    await this.#onData.run(() => this.#backend.showLibrary());
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
    this.#onData.dismissError();
    await this.#onData.run(async () => {
      if ((await this.#backend.eraseAll()) === null) return;
      this.#onErased();
      this.#onChanged();
      await this.measure();
    });
    this.#isErasing = false;
  }

  async pause(folder: FolderState, isPaused: boolean): Promise<void> {
    await this.#do(folder, isPaused ? "pause" : "resume", () =>
      this.#backend.pauseFolder(folder.id, isPaused),
    );
  }

  /** Asks for the new path of a folder, and watches it there; does nothing if the user cancels. */
  async locate(folder: FolderState): Promise<void> {
    await this.#do(folder, "locate", async () => {
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
    if (folder !== null) await this.#do(folder, "remove", () => this.#backend.removeFolder(folder.id));
  }

  async #do(folder: FolderState, doing: string, change: () => Promise<unknown>): Promise<void> {
    if (this.#changing.isRunning) return;
    this.#change = { folder: folder.id, doing };
    this.#changing.dismissError();
    await this.#changing.run(async () => {
      await change();
      this.#onChanged();
    });
  }
}
