import type { Backend } from "../api/backend";
import type { EmulationProgress } from "../api/bindings";
import { ProgressWatch } from "../shared/job.svelte";

/** How far the chunks of an agent's memory are embedded, while a search waits for it; stopped, it is answered by words alone. */
export class EmulationProgressWatch extends ProgressWatch<EmulationProgress> {
  constructor(backend: Pick<Backend, "onProgress" | "stop">) {
    super(
      (report) => backend.onProgress("emulation", report),
      () => backend.stop("emulation"),
    );
  }
}
