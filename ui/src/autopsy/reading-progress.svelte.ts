import type { Backend } from "../api/backend";
import type { AutopsyProgress } from "../api/bindings";
import { ProgressWatch } from "../shared/job.svelte";

/** How far an autopsy is that reads all files for a fact; stopped, it says that it did not read everything. */
export class ReadingProgressWatch extends ProgressWatch<AutopsyProgress> {
  constructor(backend: Pick<Backend, "onProgress" | "stop">) {
    super(
      (report) => backend.onProgress("autopsy", report),
      () => backend.stop("autopsy"),
    );
  }
}
