// The folder whose model gives a second opinion on what may contradict, for the Settings view.
import type { Backend } from "../api/backend";
import type { ErrorInfo, SecondOpinionChoice } from "../api/bindings";
import { Actions, Call } from "../shared/call.svelte";

type Calls = Pick<Backend, "secondOpinion" | "chooseSecondOpinion" | "pickFolder">;

/** The chosen folder, and its changes. */
export class SecondOpinionFolder {
  readonly #backend: Calls;
  readonly #reading: Call<[], SecondOpinionChoice>;
  readonly #changing = new Actions();
  /** What is typed and not used yet. */
  #typed = $state<string | null>(null);

  constructor(backend: Calls) {
    this.#backend = backend;
    this.#reading = new Call(() => backend.secondOpinion());
  }

  /** The folder in use; null if there is none, or it is not known yet. */
  get folder(): string | null {
    return this.#reading.data?.folder ?? null;
  }
  /** What the field shows. */
  get shown(): string {
    return this.#typed ?? this.folder ?? "";
  }
  set shown(typed: string) {
    this.#typed = typed;
  }
  /** Whether the field names a folder that is not in use. */
  get isTyped(): boolean {
    return this.shown.trim() !== "" && this.shown.trim() !== this.folder;
  }
  get isBusy(): boolean {
    return this.#changing.isRunning;
  }
  /** Why the folder could not be used, until one is; else why it could not be read which is. */
  get error(): ErrorInfo | null {
    return this.#changing.error ?? this.#reading.error;
  }

  async read(): Promise<void> {
    await this.#reading.run();
  }

  /** Uses the folder that is typed. One that is refused stays in the field. */
  async use(): Promise<void> {
    await this.#choose(this.shown.trim());
  }

  /** Asks for a folder and uses it. */
  async pick(): Promise<void> {
    await this.#changing.run(async () => {
      const folder = await this.#backend.pickFolder();
      if (folder === null) return;
      this.#typed = folder;
      await this.#set(folder);
    });
  }

  async remove(): Promise<void> {
    await this.#choose(null);
  }

  async #choose(folder: string | null): Promise<void> {
    if (this.#changing.isRunning) return;
    await this.#changing.run(() => this.#set(folder));
  }

  async #set(folder: string | null): Promise<void> {
    const chosen = await this.#backend.chooseSecondOpinion(folder);
    // What was asked before may not know of it.
    this.#reading.reset();
    this.#reading.data = chosen;
    // The user may have refused the folder in the dialog; then it stays typed.
    if (chosen.folder === folder) this.#typed = null;
  }
}
