// Search settings in an agent's config, and opening it in the user's editor.
import type { Backend } from "../api/backend";
import type { AgentConfig, ErrorInfo } from "../api/bindings";
import { Actions, Call } from "../shared/call.svelte";
import { chosenEditor } from "../shared/editor";

type Asked = Pick<Backend, "agentConfig" | "openConfig" | "pickConfig">;

/** The config that was read last. */
export class AgentConfigs {
  readonly #backend: Asked;
  readonly #reading = new Call((read: () => Promise<AgentConfig | null>) => read(), "drop");
  readonly #editing = new Actions();

  constructor(backend: Asked) {
    this.#backend = backend;
  }

  /** null if there is none, and until it is read. */
  get config(): AgentConfig | null {
    return this.#reading.data;
  }
  get error(): ErrorInfo | null {
    return this.#reading.error;
  }
  get isReading(): boolean {
    return this.#reading.isRunning;
  }

  /** Why the last config was not opened in the editor; null if it was. */
  get editorError(): ErrorInfo | null {
    return this.#editing.error;
  }

  dismissEditorError(): void {
    this.#editing.dismissError();
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
    await this.#read(() => this.#backend.agentConfig(pipeline, agent));
  }

  /** Asks for the config and reads it. Does nothing if the user cancels. */
  async pick(pipeline: string): Promise<void> {
    await this.#read(async () => {
      if ((await this.#backend.pickConfig(pipeline)) === null) return this.config;
      return this.#backend.agentConfig(pipeline, null);
    });
  }

  async #open(target: string, forExport: boolean): Promise<boolean> {
    this.#editing.dismissError();
    return this.#editing.run(() => this.#backend.openConfig(target, forExport, chosenEditor()));
  }

  /** One at a time: the dialog that asks for a config is open meanwhile. */
  async #read(read: () => Promise<AgentConfig | null>): Promise<void> {
    if (!this.#reading.isRunning) await this.#reading.run(read);
  }
}
