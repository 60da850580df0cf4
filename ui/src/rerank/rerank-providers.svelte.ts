import type { Backend } from "../api/backend";
import type {
  ErrorInfo,
  HttpChoice,
  ModelChoice,
  RerankMode,
  RerankSettings,
  RerankTest,
} from "../api/bindings";
import { ModelDownload } from "../library/model-download.svelte";
import { Actions, Call } from "../shared/call.svelte";

/** What is being changed, so that its error is beside it. */
export type Changing = "http" | "model" | "hook";

/** How a call with made-up texts went. */
export type TestState =
  { kind: "asking" } | { kind: "answered"; answer: RerankTest } | { kind: "failed"; error: ErrorInfo };

/**
 * Who may rerank besides the bundled model: the provider over HTTP, the model on this machine, and the hook.
 *
 * What was typed as a key goes to the engine and is not kept here.
 */
export class RerankProviders {
  readonly #backend: Backend;
  readonly #onChanged: () => void;
  #settings = $state.raw<RerankSettings | null>(null);
  readonly #changes = new Actions();
  /** The download of a model on this machine. */
  readonly download: ModelDownload;
  readonly #testing: Call<[nTexts: number], RerankTest>;
  /** What is being changed, or was last. */
  #changed = $state<Changing | null>(null);

  /** `onChanged` is called when another reranker would answer now. */
  constructor(backend: Backend, onChanged: () => void) {
    this.#backend = backend;
    this.#onChanged = onChanged;
    this.#testing = new Call((nTexts) => backend.testRerankHttp(nTexts));
    const start = (name: string) => backend.downloadRerankModel(name);
    this.download = new ModelDownload(backend, start, () => void this.read());
  }

  /** Null until they are read. */
  get settings(): RerankSettings | null {
    return this.#settings;
  }

  get changing(): Changing | null {
    return this.#changes.isRunning ? this.#changed : null;
  }

  /** Why the last change failed; the next one clears it. */
  get failed(): { what: Changing; error: ErrorInfo } | null {
    const [change, download] = [this.#changes.error, this.download.error];
    if (download !== null) return { what: "model", error: download };
    return change === null || this.#changed === null ? null : { what: this.#changed, error: change };
  }

  /** The last test of the provider as it is set; null before the first. */
  get test(): TestState | null {
    const { isRunning, error, data } = this.#testing;
    if (isRunning) return { kind: "asking" };
    if (error !== null) return { kind: "failed", error };
    return data === null ? null : { kind: "answered", answer: data };
  }

  /** Whom note text is sent to, and whether it leaves this machine for that; null while no provider is on. */
  get sendsTo(): { host: string; isRemote: boolean } | null {
    const http = this.#settings?.http ?? null;
    return http?.is_on === true ? { host: http.host, isRemote: http.is_remote } : null;
  }

  /** Why a reranker cannot be chosen; null where it can. */
  unavailable(mode: RerankMode): string | null {
    const settings = this.#settings;
    if (settings === null) return null;
    switch (mode) {
      case "off":
      case "late":
        return null;
      case "model":
        return settings.model === null ? "no local model is selected" : null;
      case "http":
        if (settings.http === null) return "no provider is set up";
        return settings.http.is_on ? null : `${settings.http.host} is switched off`;
    }
  }

  /** Reads the settings and follows downloads until the returned function is called. */
  follow(): () => void {
    void this.read();
    return this.download.follow();
  }

  /** Reads the settings; without them nothing more can be chosen than before. */
  async read(): Promise<void> {
    try {
      this.#settings = await this.#backend.rerankSettings();
    } catch {
      // Late interaction needs no settings, so the window works without them.
    }
  }

  /** A null key leaves the one that is kept. */
  async setHttp(choice: HttpChoice, key: string | null): Promise<void> {
    // A running test is of the provider before this change.
    this.#testing.reset();
    await this.#change("http", () => this.#backend.setRerankHttp(choice, key));
  }

  async switchHttpOff(): Promise<void> {
    // A running test is of the provider before this change.
    this.#testing.reset();
    await this.#change("http", () => this.#backend.rerankHttpOff());
  }

  /** Has the provider score `nTexts` sample texts. */
  async testHttp(nTexts: number): Promise<void> {
    if (this.#testing.isRunning) return;
    await this.#testing.run(nTexts);
  }

  async setModel(model: ModelChoice | null): Promise<void> {
    await this.#change("model", () => this.#backend.setRerankModel(model));
  }

  /** Begins the download of a model, or continues with it. */
  async downloadModel(name: string, totalBytes: number): Promise<void> {
    this.#changes.dismissError();
    await this.download.start(name, totalBytes);
  }

  async setHook(command: string[] | null): Promise<void> {
    await this.#change("hook", () => this.#backend.setHook(command));
  }

  async #change(what: Changing, change: () => Promise<RerankSettings>): Promise<void> {
    if (this.#changes.isRunning) return;
    this.#changed = what;
    this.#changes.dismissError();
    this.download.dismissError();
    await this.#changes.run(async () => {
      this.#settings = await change();
      this.#onChanged();
    });
  }
}
