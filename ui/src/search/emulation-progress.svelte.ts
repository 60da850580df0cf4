import type { Backend } from "../api/backend";
import type { EmulationProgress } from "../api/bindings";

/** The time between two looks. */
const LOOK_MS = 300;

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
        let isOver = false;
        const timer = setInterval(() => {
          this.#backend.emulationProgress().then(
            (progress) => {
              if (!isOver) this.#progress = progress;
            },
            // Without it the search goes on all the same.
            () => undefined,
          );
        }, LOOK_MS);
        return () => {
          isOver = true;
          clearInterval(timer);
          this.#progress = null;
          this.#isCancelling = false;
        };
      });
    });
  }
}
