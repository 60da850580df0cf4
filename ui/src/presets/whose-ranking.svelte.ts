// Whose ranking one looks at: the watched agent's own, as it ranks today, or Memlens's, as it could.
import { untrack } from "svelte";
import { agentsOf } from "../agents/folder-agents";
import type { Backend } from "../api/backend";
import type { EmulationProgress, LibraryState } from "../api/bindings";
import { agentOf, type Pipeline } from "../parameters/pipeline";
import type { Pipelines } from "../parameters/pipelines.svelte";
import { Job, reporting, type Report } from "../shared/job.svelte";

type Asked = Pick<Backend, "prepareMemory" | "onProgress" | "stop">;

/** What it is decided by. */
export type Around = {
  /** Whether what the user chose in an earlier session is restored. */
  isReady: () => boolean;
  library: () => LibraryState | null;
  /** Whether a question is answered or asked, so that no row may move by itself. */
  isAsked: () => boolean;
};

/** Whether every note is known and indexed. */
function isAtRest({ folders, indexing, scanning }: LibraryState): boolean {
  return indexing === null && scanning === null && folders.every(({ status }) => status !== "waiting");
}

/**
 * The ranking of the watched agent, which is chosen at first, and Memlens's own beside it.
 *
 * Memlens's ranking answers until the agent's memory, which is cut and embedded as the agent does, is ready. Once it is, the
 * agent's ranking is chosen if the user chose none and nothing is shown that would move; otherwise it is offered.
 */
export class WhoseRanking {
  readonly #pipelines: Pipelines;
  readonly #around: Around;
  readonly #preparing: Job<[agent: Pipeline], boolean, EmulationProgress>;
  /** Id of the agent's pipeline whose memory was prepared or tried last. */
  #tried = $state<string | null>(null);
  #isOffered = $state(false);

  constructor(backend: Asked, pipelines: Pipelines, around: Around) {
    this.#pipelines = pipelines;
    this.#around = around;
    this.#preparing = new Job({
      work: (report: Report<EmulationProgress>, { id, defaults }: Pipeline) =>
        reporting(
          (report) => backend.onProgress("emulation", report),
          report,
          () => backend.prepareMemory({ pipeline: id, values: { ...defaults } }),
        ),
      stop: () => backend.stop("emulation"),
    });
  }

  /** The pipeline by which the first watched agent ranks on this machine; null if none is emulated. */
  get mine(): Pipeline | null {
    for (const { id } of agentsOf(this.#around.library()?.folders ?? [])) {
      const own = this.#pipelines.agents.find((one) => one.isOwn && agentOf(one) === id);
      if (own !== undefined) return own;
    }
    return null;
  }

  /** The agent whose memory is not ready yet, so that Memlens's ranking answers; null otherwise. */
  get awaited(): Pipeline | null {
    const { mine } = this;
    const isDue = mine !== null && (this.#preparing.isRunning || this.#tried !== mine.id);
    return isDue && !this.#pipelines.isUsers && this.#pipelines.agent === null ? mine : null;
  }

  /** The agent whose memory could not be prepared, so that Memlens's ranking answers; null otherwise. */
  get missed(): Pipeline | null {
    const { mine } = this;
    const isMissed =
      mine !== null &&
      this.#tried === mine.id &&
      !this.#preparing.isRunning &&
      (this.#preparing.error !== null || this.#preparing.data === false);
    return isMissed && !this.#pipelines.isUsers && this.#pipelines.agent === null ? mine : null;
  }

  /** How far its chunks are embedded; null until that is known. */
  get progress(): EmulationProgress | null {
    return this.#preparing.progress;
  }

  /** The agent whose memory became ready while an answer was shown; null once the user chose a ranking. */
  get offered(): Pipeline | null {
    return this.#isOffered && this.#pipelines.agent === null ? this.mine : null;
  }

  /** Keeps Memlens's ranking. */
  dismiss(): void {
    this.#isOffered = false;
  }

  /** Shows the agent's ranking in place of Memlens's, or the other way round. */
  toggle(): void {
    const { mine } = this;
    this.#isOffered = false;
    if (this.#pipelines.agent !== null) this.#pipelines.chooseOwn();
    else if (mine !== null) this.#pipelines.choose(mine.id);
  }

  /** Prepares the memory of the watched agent once all is indexed, until the returned function is called. */
  follow(): () => void {
    return $effect.root(() => {
      $effect(() => {
        const library = this.#around.library();
        const { mine } = this;
        if (!this.#around.isReady() || library === null || mine === null || !isAtRest(library)) return;
        untrack(() => void this.#prepare(mine));
      });
    });
  }

  async #prepare(mine: Pipeline): Promise<void> {
    const isWanted = !this.#pipelines.isUsers && this.#pipelines.agent === null;
    if (!isWanted || this.#tried === mine.id || this.#preparing.isRunning) return;
    this.#tried = mine.id;
    // Without all vectors it would answer by words alone; Memlens's ranking continues.
    if (!(await this.#preparing.run(mine)) || this.#preparing.data !== true) return;
    if (this.#pipelines.isUsers || this.mine?.id !== mine.id) return;
    if (this.#around.isAsked()) this.#isOffered = true;
    else this.#pipelines.begin(mine.id);
  }
}
