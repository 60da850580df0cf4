// The agents of this machine: looked for when asked, watched one at a time.
import type { Backend } from "../api/backend";
import type { AgentsView, ErrorInfo } from "../api/bindings";
import { Actions, Call } from "../shared/call.svelte";
import { AlwaysLoaded } from "./always-loaded.svelte";

/** What was found, and what became of watching it. */
export class Agents {
  readonly #backend: Backend;
  readonly #onAdded: () => void;
  readonly #looking: Call<[], AgentsView>;
  readonly #adding = new Actions();
  /** The agent that is being added, or was last. */
  #added = $state<string | null>(null);
  /** The files that one of them always loads. */
  readonly always: AlwaysLoaded;

  constructor(backend: Backend, onAdded: () => void) {
    this.#backend = backend;
    this.#looking = new Call(() => backend.agents());
    this.always = new AlwaysLoaded(backend);
    this.#onAdded = onAdded;
  }

  /** null until the first look is over. */
  get view(): AgentsView | null {
    return this.#looking.data;
  }
  /** Why nothing could be looked for. */
  get error(): ErrorInfo | null {
    return this.#looking.error;
  }
  /** Id of the agent that is being added. */
  get adding(): string | null {
    return this.#adding.isRunning ? this.#added : null;
  }
  /** The agent that could not be added, and why, until the next try. */
  get failed(): { id: string; error: ErrorInfo } | null {
    const { error } = this.#adding;
    return error === null || this.#added === null ? null : { id: this.#added, error };
  }

  /** Looks again; the newest answer wins. */
  async look(): Promise<void> {
    await this.#looking.run();
  }

  /** Watches the folders of an agent. */
  async add(id: string): Promise<void> {
    if (this.#adding.isRunning) return;
    this.#added = id;
    this.#adding.dismissError();
    await this.#adding.run(async () => {
      await this.#backend.addAgent(id);
      this.#onAdded();
    });
    // What was watched before a failure is watched.
    await this.look();
  }
}
