// The files that one agent always loads: listed when asked, each opened at a click.
import type { Backend } from "../api/backend";
import type { AlwaysFile, AlwaysText, AlwaysView, ErrorInfo } from "../api/bindings";
import { toErrorInfo } from "../api/errors";

/** The list of one agent, and the file of it that is open. */
export class AlwaysLoaded {
  readonly #backend: Backend;
  #view = $state.raw<AlwaysView | null>(null);
  #text = $state.raw<AlwaysText | null>(null);
  #error = $state.raw<ErrorInfo | null>(null);
  #n_reads = 0;

  constructor(backend: Backend) {
    this.#backend = backend;
  }

  /** null until the list was read. */
  get view(): AlwaysView | null {
    return this.#view;
  }
  /** The open file; null while the list is shown. */
  get text(): AlwaysText | null {
    return this.#text;
  }
  get error(): ErrorInfo | null {
    return this.#error;
  }

  /** Reads the list of an agent. */
  async read(agent: string): Promise<void> {
    this.#view = null;
    this.#text = null;
    await this.#try(
      () => this.#backend.alwaysLoaded(agent),
      (view) => (this.#view = view),
    );
  }

  /** Opens a file of the list. */
  async open(file: AlwaysFile): Promise<void> {
    const agent = this.#view?.agent;
    if (agent === undefined) return;
    await this.#try(
      () => this.#backend.alwaysText(agent, file.path),
      (text) => (this.#text = text),
    );
  }

  /** Shows the list again. */
  back(): void {
    this.#text = null;
    this.#error = null;
  }

  async #try<T>(ask: () => Promise<T>, take: (answer: T) => void): Promise<void> {
    const read = ++this.#n_reads;
    this.#error = null;
    try {
      const answer = await ask();
      if (read === this.#n_reads) take(answer);
    } catch (error) {
      if (read === this.#n_reads) this.#error = toErrorInfo(error);
    }
  }
}

/** What became of a file, short: "212 lines, whole", "lines 201 to 412 not loaded", "not read". */
export function fateSaid(file: AlwaysFile): string {
  switch (file.state) {
    case "missing":
      return "missing";
    case "not_read":
      return "not read by Memlens";
    case "not_loaded":
      return "not loaded";
    case "loaded": {
      if (file.cut_at_line === null) return "loaded whole";
      const last = file.again_at_line === null ? file.n_lines : file.again_at_line - 1;
      return file.cut_at_line === last
        ? `line ${String(last)} is not loaded whole`
        : `lines ${String(file.cut_at_line)} to ${String(last)} are not loaded`;
    }
  }
}
