import type { Backend } from "../api/backend";
import type { Params, Ranking } from "../api/bindings";
import { ParameterHistory } from "./parameter-history.svelte";
import { isSameStart, OWN, pipelineOf, type Pipeline, type Values } from "./pipeline";

/**
 * Which pipeline ranks: Memlens's own, or an agent's.
 *
 * Each keeps its values, and their undo, while the window is open.
 */
export class Pipelines {
  readonly #backend: Pick<Backend, "pipelines">;
  readonly #own: ParameterHistory<Params>;
  #agents = $state.raw<readonly ParameterHistory[]>([]);
  #chosen: ParameterHistory;
  #isUsers = $state(false);

  constructor(backend: Pick<Backend, "pipelines">, own: ParameterHistory<Params>) {
    this.#backend = backend;
    this.#own = own;
    this.#chosen = $state.raw<ParameterHistory>(own);
  }

  /** Those of agents, in the order in which they are offered. */
  get agents(): readonly Pipeline[] {
    return this.#agents.map(({ pipeline }) => pipeline);
  }

  /** The parameters of every pipeline, Memlens's own first. */
  get all(): readonly ParameterHistory[] {
    return [this.#own, ...this.#agents];
  }

  /** The parameters of the pipeline that ranks. */
  get chosen(): ParameterHistory {
    return this.#chosen;
  }

  /** The agent whose pipeline ranks; null while it is Memlens's own. */
  get agent(): Pipeline | null {
    return this.#chosen === this.#own ? null : this.#chosen.pipeline;
  }

  /** Whether the user chose the pipeline that ranks, in this session or an earlier one. */
  get isUsers(): boolean {
    return this.#isUsers;
  }

  choose(agent: string): void {
    this.#isUsers = true;
    this.begin(agent);
  }

  chooseOwn(): void {
    this.#isUsers = true;
    this.#chosen = this.#own;
  }

  /** Ranks by an agent's pipeline without the user having chosen it. */
  begin(agent: string): void {
    const history = this.#agents.find(({ pipeline }) => pipeline.id === agent);
    if (history !== undefined) this.#chosen = history;
  }

  /** Ranks by a pipeline with these values, as one step that can be undone; what is left out has its default. */
  use({ pipeline, values }: Ranking): void {
    this.#isUsers = true;
    if (pipeline === OWN.id) {
      this.#chosen = this.#own;
      this.#own.replace({ ...OWN.defaults, ...values });
      return;
    }
    const history = this.#agents.find((one) => one.pipeline.id === pipeline);
    if (history === undefined) return;
    this.#chosen = history;
    history.replace({ ...history.pipeline.defaults, ...values });
  }

  /**
   * Asks which agents' pipelines there are, and what their own configs say. Called again, it follows the configs: the values
   * that the user changed stay as they are.
   */
  async read(): Promise<void> {
    try {
      const listed = await this.#backend.pipelines();
      const known = new Map(this.#agents.map((history) => [history.pipeline.id, history]));
      const histories = listed
        .filter(({ id }) => id !== OWN.id)
        .map((info) => {
          const pipeline = pipelineOf(info);
          const before = known.get(pipeline.id);
          return before === undefined ? new ParameterHistory(pipeline) : followed(before, pipeline);
        });
      this.#agents = histories;
      const chosen = histories.find(({ pipeline }) => pipeline.id === this.#chosen.pipeline.id);
      if (chosen !== undefined && this.#chosen !== this.#own) this.#chosen = chosen;
    } catch {
      // Without them Memlens's own ranks, and the menu offers no agent.
    }
  }
}

/** The same history if the pipeline still starts as it did, else a new one with what the user changed. */
function followed(before: ParameterHistory, pipeline: Pipeline): ParameterHistory {
  if (isSameStart(before.pipeline, pipeline)) return before;
  const changed = before.changed.map((id) => [id, before.committed[id]] as const);
  const history = new ParameterHistory(pipeline);
  history.begin({ ...pipeline.defaults, ...Object.fromEntries(changed) } as Values);
  return history;
}
