import type { Backend } from "../api/backend";
import type { ErrorInfo } from "../api/bindings";
import { Actions } from "../shared/call.svelte";

/** The questions that the user saved, kept in the library. */
export class SavedQuestions {
  readonly #backend: Pick<Backend, "savedQuestions" | "saveQuestion">;
  readonly #actions = new Actions();
  #questions = $state.raw<readonly string[]>([]);

  constructor(backend: Pick<Backend, "savedQuestions" | "saveQuestion">) {
    this.#backend = backend;
  }

  /** The newest first. */
  get questions(): readonly string[] {
    return this.#questions;
  }

  /** Why they could not be read, or one not be saved. */
  get error(): ErrorInfo | null {
    return this.#actions.error;
  }

  has(question: string): boolean {
    return this.#questions.includes(question.trim());
  }

  async read(): Promise<void> {
    await this.#take(() => this.#backend.savedQuestions());
  }

  async save(question: string, isSaved: boolean): Promise<void> {
    await this.#take(() => this.#backend.saveQuestion(question.trim(), isSaved));
  }

  dismissError(): void {
    this.#actions.dismissError();
  }

  async #take(ask: () => Promise<string[]>): Promise<void> {
    await this.#actions.run(async () => {
      this.#questions = await ask();
    });
  }
}
