import type { Backend } from "../api/backend";
import type {
  Download,
  ErrorInfo,
  HttpChoice,
  ModelChoice,
  RerankMode,
  RerankSettings,
  RerankTest,
} from "../api/bindings";
import { toErrorInfo } from "../api/errors";

/** What is being changed, so that its error stands beside it. */
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
  #changing = $state<Changing | null>(null);
  #failed = $state.raw<{ what: Changing; error: ErrorInfo } | null>(null);
  #test = $state.raw<TestState | null>(null);
  /** Counts tests and what makes their answers worthless; the answer to the last one alone counts. */
  #nTests = 0;
  #download = $state.raw<Download | null>(null);

  /** `onChanged` is told when another reranker would answer now. */
  constructor(backend: Backend, onChanged: () => void) {
    this.#backend = backend;
    this.#onChanged = onChanged;
  }

  /** Null until they are read. */
  get settings(): RerankSettings | null {
    return this.#settings;
  }

  get changing(): Changing | null {
    return this.#changing;
  }

  /** Why the last change failed; the next one clears it. */
  get failed(): { what: Changing; error: ErrorInfo } | null {
    return this.#failed;
  }

  /** The last test of the provider as it is set; null before the first. */
  get test(): TestState | null {
    return this.#test;
  }

  /** The download that is under way or ended last. */
  get download(): Download | null {
    return this.#download;
  }

  get isDownloading(): boolean {
    return this.#download !== null && !this.#download.finished;
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
    return this.#backend.onDownload((download) => {
      this.#download = download;
      if (download.finished) void this.read();
    });
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
    this.#forgetTest();
    await this.#change("http", () => this.#backend.setRerankHttp(choice, key));
  }

  async switchHttpOff(): Promise<void> {
    this.#forgetTest();
    await this.#change("http", () => this.#backend.rerankHttpOff());
  }

  /** Has the provider score `nTexts` sample texts. */
  async testHttp(nTexts: number): Promise<void> {
    if (this.#test?.kind === "asking") return;
    const asked = ++this.#nTests;
    this.#test = { kind: "asking" };
    const test = await this.#backend.testRerankHttp(nTexts).then(
      (answer): TestState => ({ kind: "answered", answer }),
      (error: unknown): TestState => ({ kind: "failed", error: toErrorInfo(error) }),
    );
    if (asked === this.#nTests) this.#test = test;
  }

  /** A test that is under way tells of the provider as it was. */
  #forgetTest(): void {
    this.#nTests++;
    this.#test = null;
  }

  async setModel(model: ModelChoice | null): Promise<void> {
    await this.#change("model", () => this.#backend.setRerankModel(model));
  }

  /** Begins the download of a model, or goes on with it. */
  async downloadModel(name: string, totalBytes: number): Promise<void> {
    if (this.isDownloading) return;
    this.#failed = null;
    this.#download = {
      name,
      done_bytes: 0,
      total_bytes: totalBytes,
      error: null,
      cancelled: false,
      finished: false,
    };
    try {
      await this.#backend.downloadRerankModel(name);
    } catch (error) {
      this.#download = null;
      this.#failed = { what: "model", error: toErrorInfo(error) };
    }
  }

  async cancelDownload(): Promise<void> {
    try {
      await this.#backend.cancelDownload();
    } catch (error) {
      this.#failed = { what: "model", error: toErrorInfo(error) };
    }
  }

  async setHook(command: string[] | null): Promise<void> {
    await this.#change("hook", () => this.#backend.setHook(command));
  }

  async #change(what: Changing, change: () => Promise<RerankSettings>): Promise<void> {
    if (this.#changing !== null) return;
    this.#changing = what;
    this.#failed = null;
    try {
      this.#settings = await change();
      this.#onChanged();
    } catch (error) {
      this.#failed = { what, error: toErrorInfo(error) };
    } finally {
      this.#changing = null;
    }
  }
}
