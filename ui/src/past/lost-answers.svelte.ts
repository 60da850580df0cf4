import type { Backend } from "../api/backend";
import type { LostAnswers } from "../api/bindings";

/** Answers to past questions lost by the last edit, until the user has seen the notice. */
export class LostAnswersNews {
  readonly #backend: Pick<Backend, "onLost">;
  #lost = $state.raw<LostAnswers | null>(null);

  constructor(backend: Pick<Backend, "onLost">) {
    this.#backend = backend;
  }

  /** Null if nothing was lost, or the user closed it. */
  get lost(): LostAnswers | null {
    return this.#lost;
  }

  /** The past question to compare first: the newest that lost the note of most answers. */
  get first(): string | null {
    return this.#lost?.notes[0]?.questions[0]?.id ?? null;
  }

  close(): void {
    this.#lost = null;
  }

  follow(): () => void {
    return this.#backend.onLost((lost) => (this.#lost = lost));
  }
}
