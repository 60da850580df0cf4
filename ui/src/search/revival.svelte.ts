import type { Backend } from "../api/backend";
import type { Fix, Ranking } from "../api/bindings";
import { ranksAlike, withFixes } from "../parameters/rules";
import type { Pipelines } from "../parameters/pipelines.svelte";
import { NewestOnly } from "../shared/newest-only";
import type { SearchController } from "./search-controller.svelte";

/** How long the parameters must rest before the engine is asked. */
const DEBOUNCE_MS = 200;

/** Changes that bring the best row back: each by itself, or all together if `areOne`; empty if nothing does. */
export type Remedy = { fixes: readonly Fix[]; areOne: boolean };

/** The ranking that a remedy holds for. */
type Answered = { remedy: Remedy | null; search: number; ranking: Ranking; nFactChanges: number };

/**
 * What brings rows back to an answer that kept none.
 *
 * The engine is asked about the best of the dropped rows, and offers only what it has tried; nothing is guessed here.
 */
export class Revival {
  readonly #backend: Backend;
  readonly #search: SearchController;
  readonly #pipelines: Pipelines;
  #answered = $state.raw<Answered | null>(null);
  readonly #loop = new NewestOnly(() => this.#askOnce());
  readonly #isKnown = $derived.by(() => this.#holdsForRanking());

  constructor(backend: Backend, search: SearchController, pipelines: Pipelines) {
    this.#backend = backend;
    this.#search = search;
    this.#pipelines = pipelines;
  }

  /** Null until it is known for the ranking on the screen, and if the engine does not know. */
  get remedy(): Remedy | null {
    return this.#isKnown ? (this.#answered?.remedy ?? null) : null;
  }

  /** Sets what the fixes set, as one step that can be undone. */
  apply(fixes: readonly Fix[]): void {
    const { chosen } = this.#pipelines;
    chosen.replace(withFixes(chosen.current, fixes));
  }

  /** Asks whenever an answer that rests kept no row, until the returned function is called. */
  follow(): () => void {
    return $effect.root(() => {
      $effect(() => {
        const { current, committed } = this.#pipelines.chosen;
        const isAtRest = current === committed;
        if (!isAtRest || this.#isKnown || this.#lost() === null) return;
        const timer = setTimeout(() => this.#loop.wish(), DEBOUNCE_MS);
        return () => clearTimeout(timer);
      });
    });
  }

  /** The best row of an answer that kept none: the last that a stage let go. */
  #lost() {
    const columns = this.#search.columns;
    const [best] = columns?.n_kept === 0 ? columns.order : [];
    return best === undefined ? null : this.#search.rowOf(best);
  }

  #holdsForRanking(): boolean {
    const answered = this.#answered;
    const rankedBy = this.#search.rankedBy;
    if (answered === null || rankedBy === null || answered.search !== this.#search.answer?.id) return false;
    return answered.nFactChanges === this.#search.nFactChanges && ranksAlike(answered.ranking, rankedBy);
  }

  async #askOnce(): Promise<void> {
    const row = this.#lost();
    const search = this.#search.answer?.id;
    const ranking = this.#search.rankedBy;
    const { nFactChanges } = this.#search;
    if (row === null || search === undefined || ranking === null) return;
    let remedy: Remedy | null = null;
    try {
      const { why } = await this.#backend.whyNot(
        search,
        ranking,
        row.folder,
        row.path,
        row.start_line,
        row.chunk,
      );
      const answered =
        why.kind === "searched"
          ? why.chunks.find(({ journey }) => journey.row.chunk === row.chunk)
          : undefined;
      if (answered !== undefined && answered.fixes !== null)
        remedy =
          answered.pair === null
            ? { fixes: answered.fixes, areOne: false }
            : { fixes: answered.pair, areOne: true };
    } catch {
      // The rows and their reasons are shown anyway; "Why not…?" shows the error.
    }
    this.#answered = { remedy, search, ranking, nFactChanges };
  }
}
