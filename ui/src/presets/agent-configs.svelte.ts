// What an agent's config says of its search.
import type { Backend } from "../api/backend";
import type { AgentConfig, ErrorInfo } from "../api/bindings";
import { toErrorInfo } from "../api/errors";

/** The config that was read last. */
export class AgentConfigs {
  readonly #backend: Pick<Backend, "agentConfig" | "pickConfig">;
  #config = $state.raw<AgentConfig | null>(null);
  #error = $state.raw<ErrorInfo | null>(null);
  #isReading = $state(false);

  constructor(backend: Pick<Backend, "agentConfig" | "pickConfig">) {
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
