import type { Backend } from "../api/backend";
import type { EmulationProgress } from "../api/bindings";
import { looks } from "../shared/looks";

/** How far the chunks of an agent's memory are embedded, while a search waits for it. */
export class EmulationProgressWatch {
  readonly #backend: Pick<Backend, "emulationProgress" | "stopEmulation">;
  #progress = $state.raw<EmulationProgress | null>(null);
  #isCancelling = $state(false);

  constructor(backend: Pick<Backend, "emulationProgress" | "stopEmulation">) {
    this.#backend = backend;
  }

  /** Null while nothing is embedded. */
  get progress(): EmulationProgress | null {
    return this.#progress;
  }

  get isCancelling(): boolean {
    return this.#isCancelling;
  }

  /** Ends the embedding; the search is then answered by words alone. */
  cancel(): void {
    this.#isCancelling = true;
    // What cannot be ended goes on, and its progress stays in sight.
    this.#backend.stopEmulation().catch(() => (this.#isCancelling = false));
  }

  /** Looks while `asked` names an agent that is being asked, until the returned function is called. */
  follow(asked: () => object | null): () => void {
    return $effect.root(() => {
      $effect(() => {
        if (asked() === null) return;
        const stopLooking = looks(
          () => this.#backend.emulationProgress(),
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
