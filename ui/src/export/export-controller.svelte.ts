// What the Export view shows: the text of memlens.json, what became of it, and a preset that was read back.
import type { Backend } from "../api/backend";
import type { ErrorInfo, Params, Preset } from "../api/bindings";
import { toErrorInfo } from "../api/errors";
import { Call } from "../shared/call.svelte";
import { LastAction, type ActionOutcome } from "./last-action.svelte";

/** `n_differing`: number of values that differ in the saved file when read again; null: it could not be read again, and `why` is the reason. */
export type Saved = { kind: "saved"; path: string; n_differing: number | null; why: string | null };

/** The Export view's state. */
export class ExportController {
  readonly #backend: Backend;
  readonly #action = new LastAction<Saved>();
  readonly #writing: Call<[params: Params], string>;
  #preset = $state.raw<Preset | null>(null);

  constructor(backend: Backend) {
    this.#backend = backend;
    this.#writing = new Call((params) => backend.exportText(params));
  }

  /** null until the first text is there. */
  get text(): string | null {
    return this.#writing.data;
  }
  /** Why these parameters cannot be exported. */
  get textError(): ErrorInfo | null {
    return this.#writing.error;
  }
  get outcome(): Saved | ActionOutcome | null {
    return this.#action.outcome;
  }
  /** The preset that was read back and not applied or dismissed yet. */
  get preset(): Preset | null {
    return this.#preset;
  }
  /** A file dialog is open. */
  get isBusy(): boolean {
    return this.#action.isBusy;
  }

  /** Requests the text of these parameters; the newest answer wins. Messages about another text are cleared. */
  async show(params: Params): Promise<void> {
    this.#action.forget();
    await this.#writing.run(params);
  }

  async copy(): Promise<void> {
    if (this.text !== null) await this.#action.copy(this.text, "the text");
  }

  /** Asks where, writes, and reads the file back to check that it contains the same values. Does nothing if the user cancels. */
  async save(params: Params): Promise<void> {
    await this.#action.do("save the file", async () => {
      const path = await this.#backend.exportSave(params);
      if (path === null) return null;
      try {
        const read = await this.#backend.presetRead(path);
        const ids = Object.keys(params) as (keyof Params)[];
        const n_differing = ids.filter((id) => read.params[id] !== params[id]).length;
        return { kind: "saved", path, n_differing, why: null };
      } catch (error) {
        return { kind: "saved", path, n_differing: null, why: toErrorInfo(error).message };
      }
    });
  }

  /** Asks for a file and shows its contents. Does nothing if the user cancels. */
  async readBack(): Promise<void> {
    await this.#action.do("read the file", async () => {
      const preset = await this.#backend.presetOpen();
      if (preset !== null) this.#preset = preset;
      return null;
    });
  }

  /** Dismisses the preset. */
  putAway(): void {
    this.#preset = null;
  }
}
