// What the Export view shows: the text of memlens.json, what became of it, and a preset that was read back.
import type { Backend } from "../api/backend";
import type { ErrorInfo, Params, Preset } from "../api/bindings";
import { toErrorInfo } from "../api/errors";
import { copyText } from "../shared/clipboard";

/** What the last button did. */
export type Outcome =
  | { kind: "copied" }
  /** `same`: the saved file was read again and holds the same values; null: it could not be read again, `why` says so */
  | { kind: "saved"; path: string; n_differing: number | null; why: string | null }
  | { kind: "failed"; doing: string; error: ErrorInfo };

/** The Export view's state. */
export class ExportController {
  readonly #backend: Backend;
  #text = $state.raw<string | null>(null);
  #textError = $state.raw<ErrorInfo | null>(null);
  #outcome = $state.raw<Outcome | null>(null);
  #preset = $state.raw<Preset | null>(null);
  #isBusy = $state(false);
  #asked = 0;

  constructor(backend: Backend) {
    this.#backend = backend;
  }

  /** null until the first text is there. */
  get text(): string | null {
    return this.#text;
  }
  /** Why these parameters cannot be exported. */
  get textError(): ErrorInfo | null {
    return this.#textError;
  }
  get outcome(): Outcome | null {
    return this.#outcome;
  }
  /** The preset that was read back and not applied or put away yet. */
  get preset(): Preset | null {
    return this.#preset;
  }
  /** A file dialog is open. */
  get isBusy(): boolean {
    return this.#isBusy;
  }

  /** Asks for the text of these parameters; the newest answer wins. What was said of another text is forgotten. */
  async show(params: Params): Promise<void> {
    const asked = ++this.#asked;
    this.#outcome = null;
    try {
      const text = await this.#backend.exportText(params);
      if (asked !== this.#asked) return;
      this.#text = text;
      this.#textError = null;
    } catch (error) {
      if (asked === this.#asked) this.#textError = toErrorInfo(error);
    }
  }

  async copy(): Promise<void> {
    if (this.#text === null) return;
    const isCopied = await copyText(this.#text);
    this.#outcome = isCopied
      ? { kind: "copied" }
      : {
          kind: "failed",
          doing: "copy the text",
          error: { code: "clipboard", message: "the system refused the clipboard; select the text instead" },
        };
  }

  /** Asks where, writes, and reads the file back to see that it holds the same values. Nothing happens when the person cancels. */
  async save(params: Params): Promise<void> {
    await this.#during("save the file", async () => {
      const path = await this.#backend.exportSave(params);
      if (path === null) return;
      try {
        const read = await this.#backend.presetRead(path);
        const ids = Object.keys(params) as (keyof Params)[];
        this.#outcome = {
          kind: "saved",
          path,
          n_differing: ids.filter((id) => read.params[id] !== params[id]).length,
          why: null,
        };
      } catch (error) {
        this.#outcome = { kind: "saved", path, n_differing: null, why: toErrorInfo(error).message };
      }
    });
  }

  /** Asks for a file and shows what it holds. Nothing happens when the person cancels. */
  async readBack(): Promise<void> {
    await this.#during("read the file", async () => {
      const preset = await this.#backend.presetOpen();
      if (preset !== null) this.#preset = preset;
    });
  }

  /** Puts the preset away. */
  putAway(): void {
    this.#preset = null;
  }

  async #during(doing: string, work: () => Promise<void>): Promise<void> {
    if (this.#isBusy) return;
    this.#isBusy = true;
    this.#outcome = null;
    try {
      await work();
    } catch (error) {
      this.#outcome = { kind: "failed", doing, error: toErrorInfo(error) };
    } finally {
      this.#isBusy = false;
    }
  }
}
