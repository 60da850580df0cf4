import type { Backend } from "../api/backend";
import type { ErrorInfo } from "../api/bindings";
import { toErrorInfo } from "../api/errors";

/** The questions that a person saved, kept in the library. */
export class SavedQuestions {
  readonly #backend: Pick<Backend, "savedQuestions" | "saveQuestion">;
  #questions = $state.raw<readonly string[]>([]);
  #error = $state.raw<ErrorInfo | null>(null);

  constructor(backend: Pick<Backend, "savedQuestions" | "saveQuestion">) {
    this.#backend = backend;
  }

  /** The newest first. */
  get questions(): readonly string[] {
    return this.#questions;
  }

  /** Why they could not be read, or one not be saved. */
  get error(): ErrorInfo | null {
    return this.#error;
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
    this.#error = null;
  }

  async #take(ask: () => Promise<string[]>): Promise<void> {
    try {
      this.#questions = await ask();
      this.#error = null;
    } catch (error) {
      this.#error = toErrorInfo(error);
    }
  }
}
