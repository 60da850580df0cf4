/** A call that is made at most once in `ms` milliseconds: at once if none was made for that time, otherwise when it is over. */
export class Paced {
  readonly #ms: number;
  readonly #call: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #calledAt = -Infinity;

  constructor(ms: number, call: () => void) {
    this.#ms = ms;
    this.#call = call;
  }

  /** Wishes for the call; any number of wishes before it are one. */
  wish(): void {
    if (this.#timer !== undefined) return;
    const wait = this.#calledAt + this.#ms - performance.now();
    if (wait <= 0) this.#now();
    else this.#timer = setTimeout(() => this.#now(), wait);
  }

  /** Drops a pending call. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #now(): void {
    this.#timer = undefined;
    this.#calledAt = performance.now();
    this.#call();
  }
}
