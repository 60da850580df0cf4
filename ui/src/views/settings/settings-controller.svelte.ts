// What Settings does to the watched folders.
import type { Backend } from "../../api/backend";
import type { ErrorInfo, FolderState } from "../../api/bindings";
import { toErrorInfo } from "../../shared/errors";

/** Why a folder could not be paused or removed. */
export type FailedChange = { folder: string; doing: string; error: ErrorInfo };

/** The Settings view's state. */
export class SettingsController {
  readonly #backend: Backend;
  readonly #onChanged: () => void;
  #busy = $state<string | null>(null);
  #failed = $state.raw<FailedChange | null>(null);
  #removing = $state.raw<FolderState | null>(null);

  constructor(backend: Backend, onChanged: () => void) {
    this.#backend = backend;
    this.#onChanged = onChanged;
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

  async pause(folder: FolderState, isPaused: boolean): Promise<void> {
    await this.#change(folder, isPaused ? "pause" : "resume", () =>
      this.#backend.pauseFolder(folder.id, isPaused),
    );
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
