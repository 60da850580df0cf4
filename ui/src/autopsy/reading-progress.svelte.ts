import type { Backend } from "../api/backend";
import type { AutopsyProgress } from "../api/bindings";
import { looks } from "../shared/looks";

/** How far an autopsy is that reads all files for a fact. */
export class ReadingProgressWatch {
  readonly #backend: Pick<Backend, "autopsyProgress" | "stopAutopsy">;
  #progress = $state.raw<AutopsyProgress | null>(null);
  #isCancelling = $state(false);

  constructor(backend: Pick<Backend, "autopsyProgress" | "stopAutopsy">) {
    this.#backend = backend;
  }

  /** Null while no files are read. */
  get progress(): AutopsyProgress | null {
    return this.#progress;
  }

  get isCancelling(): boolean {
    return this.#isCancelling;
  }

  /** Ends the reading; the autopsy then says that it did not read everything. */
  cancel(): void {
    this.#isCancelling = true;
    this.#backend.stopAutopsy().catch(() => (this.#isCancelling = false));
  }

  /** Polls while an autopsy is asked for, until the returned function is called. */
  follow(isAsking: () => boolean): () => void {
    return $effect.root(() => {
      $effect(() => {
        if (!isAsking()) return;
        const stopLooking = looks(
          () => this.#backend.autopsyProgress(),
          (progress) => (this.#progress = progress),
        );
        return () => {
          stopLooking();
          this.#progress = null;
          this.#isCancelling = false;
        };
      });
    });
  }
}
