import type { Backend } from "../api/backend";

/** How long typing rests before past questions are looked for. */
const REST_MS = 200;
/** Fewer letters are in too many questions. */
const CHARS_MIN = 3;

/** Past questions of agents that contain the typed text, to choose one; empty while the user continues typing. */
export class Completions {
  readonly #backend: Pick<Backend, "completePast">;
  #offered = $state.raw<readonly string[]>([]);
  /** The one that the keys are on; -1 is what was typed. */
  #at = $state(-1);
  #typing: ReturnType<typeof setTimeout> | undefined;
  #nAsked = 0;

  constructor(backend: Pick<Backend, "completePast">) {
    this.#backend = backend;
  }

  get offered(): readonly string[] {
    return this.#offered;
  }

  get at(): number {
    return this.#at;
  }

  /** The one that the keys are on; null where that is what was typed. */
  get chosen(): string | null {
    return this.#offered[this.#at] ?? null;
  }

  /** Takes what was typed; past questions are looked for once the typing rests. */
  type(text: string): void {
    this.close();
    if (text.trim().length >= CHARS_MIN)
      this.#typing = setTimeout(() => void this.#look(text.trim()), REST_MS);
  }

  /** Moves through what is offered; false where the step leads nowhere, and the key is another's. */
  step(by: 1 | -1): boolean {
    const next = this.#at + by;
    if (next < -1 || next >= this.#offered.length) return false;
    this.#at = next;
    return true;
  }

  /** Offers nothing any more; whether anything was offered. */
  close(): boolean {
    clearTimeout(this.#typing);
    this.#nAsked++;
    const wasOpen = this.#offered.length > 0;
    this.#offered = [];
    this.#at = -1;
    return wasOpen;
  }

  async #look(text: string): Promise<void> {
    const asked = ++this.#nAsked;
    try {
      const questions = await this.#backend.completePast(text);
      if (asked !== this.#nAsked) return;
      this.#offered = questions.filter((question) => question.toLowerCase() !== text.toLowerCase());
      this.#at = -1;
    } catch {
      // The question can be typed without them.
    }
  }
}
