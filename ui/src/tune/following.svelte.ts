import type { ErrorInfo } from "../api/bindings";
import { toErrorInfo } from "../api/errors";
import { NewestOnly } from "../shared/newest-only";

/**
 * An answer that follows a wish.
 *
 * One request is under way at a time and the newest wish wins; the last answer stays until the next one is there. An
 * answer of null says that the user stopped it.
 */
export class Following<Wish, Answer> {
  readonly #ask: (wish: Wish) => Promise<Answer | null>;
  readonly #loop = new NewestOnly(() => this.#once());
  #wish: Wish | null = null;
  /** Counts the times that all was forgotten; an answer to what was asked before counts for nothing. */
  #nCleared = 0;
  /** What is wanted, and what the answer is of; empty where there is none. */
  #wanted = $state("");
  #answered = $state("");
  #answer = $state.raw<Answer | null>(null);
  #error = $state.raw<ErrorInfo | null>(null);
  #isAsking = $state(false);
  #isStopped = $state(false);

  constructor(ask: (wish: Wish) => Promise<Answer | null>) {
    this.#ask = ask;
  }

  get answer(): Answer | null {
    return this.#answer;
  }

  /** Whether the answer is of what is wanted now. */
  get isCurrent(): boolean {
    return this.#answer !== null && this.#answered === this.#wanted;
  }

  get isAsking(): boolean {
    return this.#isAsking;
  }

  /** Whether the user stopped it; it continues by `askAgain`, or by another wish. */
  get isStopped(): boolean {
    return this.#isStopped;
  }

  get error(): ErrorInfo | null {
    return this.#error;
  }

  /** Asks, unless just this was asked last. */
  want(wish: Wish): void {
    const wanted = JSON.stringify(wish);
    if (wanted === this.#wanted) return;
    this.#wanted = wanted;
    this.#wish = wish;
    this.askAgain();
  }

  askAgain(): void {
    this.#isStopped = false;
    this.#loop.wish();
  }

  /** Forgets the answer: it is of something else altogether. */
  clear(): void {
    this.#nCleared++;
    this.#wish = null;
    this.#wanted = "";
    this.#answered = "";
    this.#answer = null;
    this.#error = null;
    this.#isStopped = false;
  }

  async #once(): Promise<void> {
    const wish = this.#wish;
    const wanted = this.#wanted;
    const nCleared = this.#nCleared;
    if (wish === null) return;
    this.#isAsking = true;
    try {
      const answer = await this.#ask(wish);
      if (nCleared === this.#nCleared) this.#take(answer, wanted);
    } catch (error) {
      if (this.#wanted === wanted) {
        this.#error = toErrorInfo(error);
        // Figures of what was wanted before would pass for those of what is wanted now.
        this.#answer = null;
        this.#answered = "";
      }
    }
    this.#isAsking = false;
  }

  #take(answer: Answer | null, wanted: string): void {
    this.#error = null;
    if (answer === null) this.#isStopped = this.#wanted === wanted;
    else {
      this.#answer = answer;
      this.#answered = wanted;
    }
  }
}
