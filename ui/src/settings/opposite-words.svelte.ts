// The pairs of opposite words by which notes are compared, for the Settings view.
import type { Backend } from "../api/backend";
import type { ErrorInfo, OppositionPair } from "../api/bindings";
import { Actions, Call } from "../shared/call.svelte";

type Calls = Pick<Backend, "oppositions" | "addOpposition" | "removeOpposition" | "switchOpposition">;

/** The list of pairs, and its changes. */
export class OppositeWords {
  readonly #backend: Calls;
  readonly #reading: Call<[], OppositionPair[]>;
  readonly #changing = new Actions();
  /** What the user types for a new pair. */
  words = $state("");
  opposite = $state("");

  constructor(backend: Calls) {
    this.#backend = backend;
    this.#reading = new Call(() => backend.oppositions());
  }

  /** Null before it was read for the first time. The user's own pairs come first. */
  get pairs(): readonly OppositionPair[] | null {
    return this.#reading.data;
  }

  /** Why the list could not be changed, until it is; else why it could not be read. */
  get error(): ErrorInfo | null {
    return this.#changing.error ?? this.#reading.error;
  }

  get isBusy(): boolean {
    return this.#changing.isRunning;
  }

  async read(): Promise<void> {
    await this.#reading.run();
  }

  /** Adds the pair that is typed. What is refused stays in the fields. */
  async add(): Promise<void> {
    const [words, opposite] = [this.words, this.opposite];
    if (!(await this.#change(() => this.#backend.addOpposition(words, opposite)))) return;
    this.words = "";
    this.opposite = "";
  }

  async remove({ id }: OppositionPair): Promise<void> {
    await this.#change(() => this.#backend.removeOpposition(id));
  }

  async switch({ id }: OppositionPair, isOn: boolean): Promise<void> {
    await this.#change(() => this.#backend.switchOpposition(id, isOn));
  }

  async #change(change: () => Promise<OppositionPair[]>): Promise<boolean> {
    if (this.#changing.isRunning) return false;
    return await this.#changing.run(async () => {
      const pairs = await change();
      // What was asked before may not know of it.
      this.#reading.reset();
      this.#reading.data = pairs;
    });
  }
}
