const SHOWN_FOR_MS = 2_500;

/** What became of the last small action, such as a copy; shown for a moment. */
export class BriefNotice {
  #text = $state<string | null>(null);
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** Null if nothing was done lately. */
  get text(): string | null {
    return this.#text;
  }

  show(text: string): void {
    clearTimeout(this.#timer);
    this.#text = text;
    this.#timer = setTimeout(() => (this.#text = null), SHOWN_FOR_MS);
  }
}
