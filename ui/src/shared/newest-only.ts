/** Runs one request at a time; wishes that come meanwhile run once, on the next frame. */
export class NewestOnly {
  readonly #run: () => Promise<void>;
  #isBusy = false;
  #isWished = false;

  /** `run` reports its own errors. */
  constructor(run: () => Promise<void>) {
    this.#run = run;
  }

  wish(): void {
    this.#isWished = true;
    if (!this.#isBusy) void this.#loop();
  }

  async #loop(): Promise<void> {
    this.#isBusy = true;
    while (this.#isWished) {
      this.#isWished = false;
      await this.#run();
      if (this.#isWished) await new Promise((resolve) => requestAnimationFrame(resolve));
    }
    this.#isBusy = false;
  }
}
