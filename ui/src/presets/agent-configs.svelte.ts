// What an agent's config says of its search, and opening it in the user's editor.
import type { Backend } from "../api/backend";
import type { AgentConfig, ErrorInfo } from "../api/bindings";
import { toErrorInfo } from "../api/errors";
import { chosenEditor } from "../shared/editor";

type Asked = Pick<Backend, "agentConfig" | "openConfig" | "pickConfig">;

/** The config that was read last. */
export class AgentConfigs {
  readonly #backend: Asked;
  #config = $state.raw<AgentConfig | null>(null);
  #error = $state.raw<ErrorInfo | null>(null);
  #isReading = $state(false);
  #editorError = $state.raw<ErrorInfo | null>(null);

  constructor(backend: Asked) {
    this.#backend = backend;
  }

  /** null where there is none, and until it is read. */
  get config(): AgentConfig | null {
    return this.#config;
  }
  get error(): ErrorInfo | null {
    return this.#error;
  }
  get isReading(): boolean {
    return this.#isReading;
  }

  /** Why the last config was not opened in the editor; null if it was. */
  get editorError(): ErrorInfo | null {
    return this.#editorError;
  }

  dismissEditorError(): void {
    this.#editorError = null;
  }

  /** Opens the config that the ranking of a pipeline is read from. */
  async edit(pipeline: string): Promise<void> {
    await this.#open(pipeline, false);
  }

  /** Opens the config that is read or written here, which the user may have picked; whether it could be opened. */
  async editPicked(target: string): Promise<boolean> {
    return this.#open(target, true);
  }

  /** Reads the config of a pipeline's program; `agent` names one of its agents. */
  async read(pipeline: string, agent: string | null): Promise<void> {
    await this.#during(async () => {
      this.#config = await this.#backend.agentConfig(pipeline, agent);
    });
  }

  /** Asks for the config and reads it. Nothing happens when the person cancels. */
  async pick(pipeline: string): Promise<void> {
    await this.#during(async () => {
      if ((await this.#backend.pickConfig(pipeline)) === null) return;
      this.#config = await this.#backend.agentConfig(pipeline, null);
    });
  }

  async #open(target: string, forExport: boolean): Promise<boolean> {
    this.#editorError = null;
    try {
      await this.#backend.openConfig(target, forExport, chosenEditor());
      return true;
    } catch (error) {
      this.#editorError = toErrorInfo(error);
      return false;
    }
  }

  async #during(work: () => Promise<void>): Promise<void> {
    if (this.#isReading) return;
    this.#isReading = true;
    try {
      await work();
      this.#error = null;
    } catch (error) {
      this.#config = null;
      this.#error = toErrorInfo(error);
    } finally {
      this.#isReading = false;
    }
  }
}
