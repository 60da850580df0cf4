// The files that one agent always loads: listed when asked, each opened at a click.
import type { Backend } from "../api/backend";
import type { AlwaysFile, AlwaysText, AlwaysView, ErrorInfo } from "../api/bindings";
import { Call } from "../shared/call.svelte";

/** The list of one agent, and the file of it that is open. */
export class AlwaysLoaded {
  readonly #list: Call<[agent: string], AlwaysView>;
  readonly #file: Call<[agent: string, path: string], AlwaysText>;

  constructor(backend: Backend) {
    this.#list = new Call((agent) => backend.alwaysLoaded(agent));
    this.#file = new Call((agent, path) => backend.alwaysText(agent, path), "drop");
  }

  /** null until the list was read. */
  get view(): AlwaysView | null {
    return this.#list.data;
  }
  /** The open file; null while the list is shown. */
  get text(): AlwaysText | null {
    return this.#file.data;
  }
  get error(): ErrorInfo | null {
    return this.#list.error ?? this.#file.error;
  }

  /** Reads the list of an agent. */
  async read(agent: string): Promise<void> {
    this.#list.reset();
    this.#file.reset();
    await this.#list.run(agent);
  }

  /** Opens a file of the list. */
  async open(file: AlwaysFile): Promise<void> {
    const agent = this.view?.agent;
    if (agent === undefined) return;
    this.#file.dismissError();
    await this.#file.run(agent, file.path);
  }

  /** Shows the list again. */
  back(): void {
    this.#file.reset();
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
