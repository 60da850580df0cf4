import type { Backend } from "../api/backend";
import type { ErrorInfo, PastFilterArgument, PastQuestions, PastRow } from "../api/bindings";
import { toErrorInfo } from "../api/errors";
import { NewestOnly } from "../shared/newest-only";

/** How long typing rests before it is looked for. */
const REST_MS = 150;

/** The past questions that a filter leaves, and which of them is opened. */
export class PastList {
  readonly #backend: Pick<Backend, "pastQuestions">;
  readonly #loop = new NewestOnly(() => this.#readOnce());
  #filter = $state.raw<PastFilterArgument>({ text: "", agent: null, only: "all" });
  #questions = $state.raw<PastQuestions | null>(null);
  #error = $state.raw<ErrorInfo | null>(null);
  #openId = $state<string | null>(null);
  #typing: ReturnType<typeof setTimeout> | undefined;

  constructor(backend: Pick<Backend, "pastQuestions">) {
    this.#backend = backend;
  }

  get filter(): PastFilterArgument {
    return this.#filter;
  }

  /** Null until they are read. */
  get questions(): PastQuestions | null {
    return this.#questions;
  }

  get rows(): readonly PastRow[] {
    return this.#questions?.rows ?? [];
  }

  get error(): ErrorInfo | null {
    return this.#error;
  }

  /** The opened question's id; it may stand in no row, where the filter leaves it out. */
  get openId(): string | null {
    return this.#openId;
  }

  get openRow(): PastRow | null {
    return this.rows.find((row) => row.id === this.#openId) ?? null;
  }

  /** Takes what stands in the box; it is looked for once the typing rests. */
  find(text: string): void {
    this.#filter = { ...this.#filter, text };
    clearTimeout(this.#typing);
    this.#typing = setTimeout(() => this.#loop.wish(), REST_MS);
  }

  narrow(change: Pick<PastFilterArgument, "agent"> | Pick<PastFilterArgument, "only">): void {
    this.#filter = { ...this.#filter, ...change };
    this.#loop.wish();
  }

  /** Reads them anew: some came, some were forgotten, or all were replayed. */
  refresh(): void {
    this.#loop.wish();
  }

  open(id: string): void {
    this.#openId = id;
  }

  /** Opens a question that the filter may leave out. */
  openAmongAll(id: string): void {
    this.#openId = id;
    this.#filter = { text: "", agent: null, only: "all" };
    this.#loop.wish();
  }

  async #readOnce(): Promise<void> {
    try {
      const questions = await this.#backend.pastQuestions(this.#filter);
      this.#questions = questions;
      this.#error = null;
      const isThere = questions.rows.some((row) => row.id === this.#openId);
      if (!isThere) this.#openId = questions.rows[0]?.id ?? null;
    } catch (error) {
      this.#error = toErrorInfo(error);
    }
  }
}
