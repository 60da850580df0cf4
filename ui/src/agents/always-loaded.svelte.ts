// The files that one agent always loads: listed when asked, each opened at a click.
import type { Backend } from "../api/backend";
import type { AlwaysFile, AlwaysText, AlwaysView, ErrorInfo } from "../api/bindings";
import { Call } from "../shared/call.svelte";
import { count, counted } from "../shared/format";

/** Number of ranges of lines that a sentence names. */
const RANGES_SHOWN = 3;

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
      const lost = file.unloaded.filter(({ loaded }) => loaded.length === 0);
      const [first] = file.unloaded;
      if (first === undefined) return "loaded whole";
      if (lost.length === 0) return `line ${count(first.first)} is not loaded whole`;
      const ranges = lost.map(({ first, last }) =>
        first === last ? count(first) : `${count(first)} to ${count(last)}`,
      );
      const shown = ranges.slice(0, RANGES_SHOWN);
      const more = ranges.length - shown.length;
      const tail = more > 0 ? ` and ${counted(more, "more range")}` : "";
      const isOne = ranges.length === 1 && lost[0]?.first === lost[0]?.last;
      return isOne ? `line ${shown.join()} is not loaded` : `lines ${shown.join(", ")}${tail} are not loaded`;
    }
  }
}
