// The agents of this machine: looked for when asked, watched alone or all together.
import type { Backend } from "../api/backend";
import type { AgentsView, AgentView, ErrorInfo } from "../api/bindings";
import { toErrorInfo } from "../api/errors";
import { Call } from "../shared/call.svelte";
import { AlwaysLoaded } from "./always-loaded.svelte";

/** Whether an agent has folders of notes that are not watched. */
export function canBeWatched({ is_watched, folders }: AgentView): boolean {
  return !is_watched && folders.length > 0;
}

/** What was found, and what became of watching it. */
export class Agents {
  readonly #backend: Backend;
  readonly #onAdded: () => void;
  readonly #looking: Call<[], AgentsView>;
  /** Ids of the agents that are to be added, the first of which is being added. */
  #queue = $state.raw<readonly string[]>([]);
  #failures = $state.raw<ReadonlyMap<string, ErrorInfo>>(new Map());
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
    return this.#queue[0] ?? null;
  }
  /** How many agents *Watch all* would add. */
  get nToWatch(): number {
    return this.view?.agents.filter(canBeWatched).length ?? 0;
  }

  /** Whether an agent waits until those before it are added. */
  isWaiting(id: string): boolean {
    return this.#queue.indexOf(id) > 0;
  }

  /** Why an agent could not be added, until the next try. */
  failureOf(id: string): ErrorInfo | null {
    return this.#failures.get(id) ?? null;
  }

  /** Looks again; the newest answer wins. */
  async look(): Promise<void> {
    await this.#looking.run();
  }

  /** Watches the folders of an agent. */
  async add(id: string): Promise<void> {
    await this.#add([id]);
  }

  /** Watches every agent that is not watched yet. A failure does not affect the others. */
  async addAll(): Promise<void> {
    const agents = this.view?.agents ?? [];
    await this.#add(agents.filter(canBeWatched).map(({ id }) => id));
  }

  async #add(ids: readonly string[]): Promise<void> {
    if (this.#queue.length > 0) return;
    this.#queue = ids;
    this.#failures = new Map([...this.#failures].filter(([id]) => !ids.includes(id)));
    for (const id of ids) {
      try {
        await this.#backend.addAgent(id);
        this.#onAdded();
      } catch (error) {
        this.#failures = new Map([...this.#failures, [id, toErrorInfo(error)]]);
      }
      // What was watched before a failure is watched.
      await this.look();
      this.#queue = this.#queue.slice(1);
    }
  }
}
