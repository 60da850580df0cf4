import type { Backend } from "../api/backend";
import type { AutopsyProgress } from "../api/bindings";
import { ProgressWatch } from "../shared/job.svelte";

/** Progress of an autopsy that reads all files for a fact; if stopped, its result says that not everything was read. */
export class ReadingProgressWatch extends ProgressWatch<AutopsyProgress> {
  constructor(backend: Pick<Backend, "onProgress" | "stop">) {
    super(
      (report) => backend.onProgress("autopsy", report),
      () => backend.stop("autopsy"),
    );
  }
}
