/** Number of names above which the search runs only when the typing pauses; below it at every letter. */
const MANY_NAMES = 5_000;
/** Milliseconds without a letter after which the typing rests. */
const REST_MS = 80;

/** When names are compared with what is being typed. */
export class FindAsTyped {
  readonly #find: () => void;
  #resting: ReturnType<typeof setTimeout> | undefined;

  constructor(find: () => void) {
    this.#find = find;
  }

  /** Takes note of a letter; finds at once, or, among many names, once the typing rests. */
  typed(n_names: number): void {
    this.stop();
    if (n_names < MANY_NAMES) this.#find();
    else this.#resting = setTimeout(this.#find, REST_MS);
  }

  /** Finds without a rest. */
  now(): void {
    this.stop();
    this.#find();
  }

  /** Drops a pending search. */
  stop(): void {
    clearTimeout(this.#resting);
  }
}
