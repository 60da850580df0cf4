// The agents of this machine: looked for when asked, watched one at a time.
import type { Backend } from "../api/backend";
import type { AgentsView, ErrorInfo } from "../api/bindings";
import { toErrorInfo } from "../api/errors";
import { AlwaysLoaded } from "./always-loaded.svelte";

/** What was found, and what became of watching it. */
export class Agents {
  readonly #backend: Backend;
  readonly #onAdded: () => void;
  #view = $state.raw<AgentsView | null>(null);
  #error = $state.raw<ErrorInfo | null>(null);
  #adding = $state<string | null>(null);
  #failed = $state.raw<{ id: string; error: ErrorInfo } | null>(null);
  #nLooks = 0;
  /** The files that one of them always loads. */
  readonly always: AlwaysLoaded;

  constructor(backend: Backend, onAdded: () => void) {
    this.#backend = backend;
    this.always = new AlwaysLoaded(backend);
    this.#onAdded = onAdded;
  }

  /** null until the first look is over. */
  get view(): AgentsView | null {
    return this.#view;
  }
  /** Why nothing could be looked for. */
  get error(): ErrorInfo | null {
    return this.#error;
  }
  /** Id of the agent that is being added. */
  get adding(): string | null {
    return this.#adding;
  }
  /** The agent that could not be added, and why, until the next try. */
  get failed(): { id: string; error: ErrorInfo } | null {
    return this.#failed;
  }

  /** Looks again; the newest answer wins. */
  async look(): Promise<void> {
    const look = ++this.#nLooks;
    try {
      const view = await this.#backend.agents();
      if (look !== this.#nLooks) return;
      this.#view = view;
      this.#error = null;
    } catch (error) {
      if (look === this.#nLooks) this.#error = toErrorInfo(error);
    }
  }

  /** Watches the folders of an agent. */
  async add(id: string): Promise<void> {
    if (this.#adding !== null) return;
    this.#adding = id;
    this.#failed = null;
    try {
      await this.#backend.addAgent(id);
      this.#onAdded();
    } catch (error) {
      this.#failed = { id, error: toErrorInfo(error) };
    } finally {
      this.#adding = null;
    }
    // What was watched before a failure is watched.
    await this.look();
  }
}
