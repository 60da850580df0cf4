import type { Backend } from "../api/backend";
import type { QuerySetProgress, Ranking, ReplaySummary } from "../api/bindings";
import { Job, reporting, type Report } from "../shared/job.svelte";

type Calls = Pick<Backend, "replayPast" | "onProgress" | "stop">;

/** Replays all past questions over today's notes. The result is shown with the questions. */
export class Replay extends Job<[by: Ranking | null], ReplaySummary, QuerySetProgress> {
  readonly #onEnded: () => void;
  /** The name of what is to rank; null for each agent's own pipeline. */
  by = $state<string | null>(null);

  /** `onEnded` is called when there is something new to show. */
  constructor(backend: Calls, onEnded: () => void) {
    super({
      work: (report: Report<QuerySetProgress>, by: Ranking | null) =>
        reporting(
          (report) => backend.onProgress("replay", report),
          report,
          () => backend.replayPast(by),
        ),
      stop: () => backend.stop("replay"),
    });
    this.#onEnded = onEnded;
  }

  /** Ranks by the pipeline of each agent where `by` is null. */
  override async run(by: Ranking | null): Promise<boolean> {
    const isDone = await super.run(by);
    if (isDone) this.#onEnded();
    return isDone;
  }
}
