import type { Backend } from "../api/backend";
import type { Ranking, TraceForm } from "../api/bindings";
import { toErrorInfo } from "../api/errors";
import type { Pipelines } from "../parameters/pipelines.svelte";
import type { PresetController } from "../presets/preset-controller.svelte";
import { copyTextToCome } from "../shared/clipboard";
import { sentence } from "../shared/sentence";
import type { SearchController } from "./search-controller.svelte";

export const TRACE_FORMS: readonly { form: TraceForm; name: string }[] = [
  { form: "markdown", name: "Markdown" },
  { form: "csv", name: "CSV" },
];

type Trace = [search: number, ranking: Ranking, preset: string | null];

/** The trace for a report or a spreadsheet, copied or saved, with the notes' text or without. */
export class TraceCopying {
  withText = $state(true);
  readonly #backend: Pick<Backend, "traceText" | "saveTrace">;
  readonly #search: SearchController;
  readonly #presets: PresetController;
  readonly #pipelines: Pipelines;
  #outcome = $state.raw<{ said: string; isFailure: boolean } | null>(null);

  constructor(
    backend: Pick<Backend, "traceText" | "saveTrace">,
    search: SearchController,
    presets: PresetController,
    pipelines: Pipelines,
  ) {
    this.#backend = backend;
    this.#search = search;
    this.#presets = presets;
    this.#pipelines = pipelines;
  }

  /** Result of the last attempt; null before one, and once another trace is shown. */
  get outcome(): { said: string; isFailure: boolean } | null {
    return this.#outcome;
  }

  forget(): void {
    this.#outcome = null;
  }

  async copy(form: TraceForm): Promise<void> {
    await this.#attempt("copy", async (...trace) => {
      const isCopied = await copyTextToCome(this.#backend.traceText(...trace, form, this.withText));
      if (!isCopied) throw new Error("the system refused the clipboard");
      return "Copied";
    });
  }

  async save(form: TraceForm): Promise<void> {
    await this.#attempt("save", async (...trace) => {
      const path = await this.#backend.saveTrace(...trace, form, this.withText);
      return path === null ? null : `Saved to ${path}`;
    });
  }

  get #preset(): string | null {
    if (this.#pipelines.agent !== null) return null;
    return this.#presets.isChanged ? `${this.#presets.name} (changed)` : this.#presets.name;
  }

  async #attempt(what: string, act: (...trace: Trace) => Promise<string | null>): Promise<void> {
    const { answer, rankedBy } = this.#search;
    if (answer === null || rankedBy === null) return;
    this.#outcome = null;
    try {
      const said = await act(answer.id, rankedBy, this.#preset);
      this.#outcome = said === null ? null : { said, isFailure: false };
    } catch (error) {
      this.#outcome = { said: `Cannot ${what}: ${sentence(toErrorInfo(error).message)}`, isFailure: true };
    }
  }
}
