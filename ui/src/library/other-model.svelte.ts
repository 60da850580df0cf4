// The offer of a model for other languages, where many notes are not in English and the model in use knows nothing else.
import type { Backend } from "../api/backend";
import type { EmbeddingModel, EmbeddingModels, ForeignNotes, ModelPlan } from "../api/bindings";
import { Call } from "../shared/call.svelte";
import { bytes, count, counted, lasting } from "../shared/format";
import { readStored, writeStored } from "../shared/stored";

/** Key of the choice not to see the offer again. */
const CLOSED = "other-model-closed";
const ENGLISH = "English";

/** Offered once; not again after it was closed. */
export class OtherModelOffer {
  readonly #reading: Call<[], EmbeddingModels>;
  readonly #planning: Call<[name: string], ModelPlan>;
  #isClosed = $state(readStored(CLOSED, (value): value is true => value === true) === true);

  constructor(backend: Pick<Backend, "embeddingModels" | "planEmbeddingModel">) {
    this.#reading = new Call(() => backend.embeddingModels(), "drop");
    this.#planning = new Call((name) => backend.planEmbeddingModel(name), "drop");
  }

  /** The notes in other languages; null if there are few, if the model in use or chosen knows more than English, or once closed. */
  get foreign(): ForeignNotes | null {
    return this.#isClosed || this.#offered === null ? null : (this.#reading.data?.foreign ?? null);
  }

  /** What is offered, in words, with its size and the time that it takes; null if nothing is. */
  get text(): string | null {
    const [foreign, offered] = [this.foreign, this.#offered];
    const inUse = this.#reading.data?.models.find(({ is_in_use }) => is_in_use);
    if (foreign === null || offered === null || inUse === undefined) return null;
    const size = offered.file_bytes === null ? "" : ` (${bytes(offered.file_bytes)})`;
    const notes = foreignText(foreign);
    return `${notes}. ${inUse.label} knows only English: of these notes, only exact words count. ${offered.label}${size} knows other languages, too. ${this.#effort(offered)}`;
  }

  /** Looks at the notes and the models, and measures what the change takes. */
  async look(): Promise<void> {
    if (this.#isClosed) return;
    await this.#reading.run();
    const offered = this.#offered;
    if (this.foreign !== null && offered !== null && offered.missing === null)
      await this.#planning.run(offered.name);
  }

  /** Hides the offer for good. */
  close(): void {
    this.#isClosed = true;
    writeStored(CLOSED, true);
  }

  get #offered(): EmbeddingModel | null {
    const models = this.#reading.data?.models ?? [];
    const used = models.filter(({ is_in_use, is_chosen }) => is_in_use || is_chosen);
    if (used.some(({ languages }) => languages !== ENGLISH)) return null;
    return models.find(({ languages, folder }) => languages !== ENGLISH && folder === null) ?? null;
  }

  #effort({ missing }: EmbeddingModel): string {
    if (missing !== null) return "Its files are not on this machine yet; Settings says how to get them.";
    const plan = this.#planning.data;
    if (plan === null) return "Measuring how long embedding your notes by it takes…";
    if (plan.seconds === null) return "How long embedding your notes by it takes is not known.";
    return `Embedding your notes by it takes ${lasting(plan.seconds)}; meanwhile they are searched as now.`;
  }
}

/** How many notes are in other languages. */
export function foreignText({ n_foreign, n_seen }: ForeignNotes): string {
  return `${count(n_foreign)} of ${counted(n_seen, "note")} are probably not in English`;
}
