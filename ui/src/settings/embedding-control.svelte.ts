// The embedding models: which one the notes are searched by, a change to another, and the vectors that are stored.
import type { Backend } from "../api/backend";
import type { EmbeddingModel, EmbeddingModels, ErrorInfo, ModelPlan } from "../api/bindings";
import { ModelDownload } from "../library/model-download.svelte";
import { Actions, Call } from "../shared/call.svelte";

/** Vectors whose deletion waits for a yes. */
export type Forgetting = {
  id: string;
  label: string;
  n_vectors: number;
  folder: string | null;
  /** Whether its files were downloaded, and are deleted as well. */
  isDownloaded: boolean;
};

/** The state of the section Embedding of the settings. */
export class EmbeddingControl {
  readonly #backend: Backend;
  readonly #reading: Call<[], EmbeddingModels>;
  readonly #planning: Call<[name: string], ModelPlan>;
  readonly #changes = new Actions();
  /** The download of a model. */
  readonly download: ModelDownload;
  #asking = $state.raw<EmbeddingModel | null>(null);
  #forgetting = $state.raw<Forgetting | null>(null);

  constructor(backend: Backend) {
    this.#backend = backend;
    this.#reading = new Call(() => backend.embeddingModels());
    this.#planning = new Call((name) => backend.planEmbeddingModel(name), "drop");
    const start = (name: string) => backend.downloadEmbeddingModel(name);
    this.download = new ModelDownload(backend, start, () => void this.read());
  }

  /** Null until they are read. */
  get models(): EmbeddingModels | null {
    return this.#reading.data;
  }
  /** Why the models could not be read, or the last change failed. */
  get error(): ErrorInfo | null {
    return this.#changes.error ?? this.download.error ?? this.#reading.error;
  }
  get isBusy(): boolean {
    return this.#changes.isRunning;
  }
  /** The model that the notes are searched by; null if this version does not know it. */
  get inUse(): EmbeddingModel | null {
    return this.models?.models.find((model) => model.is_in_use) ?? null;
  }
  /** The model whose choice waits for a yes. */
  get asking(): EmbeddingModel | null {
    return this.#asking;
  }
  /** What that takes; null until it is measured. */
  get plan(): ModelPlan | null {
    return this.#planning.data;
  }
  /** Why that cannot be measured. */
  get planError(): ErrorInfo | null {
    return this.#planning.error;
  }
  get forgetting(): Forgetting | null {
    return this.#forgetting;
  }

  async read(): Promise<void> {
    await this.#reading.run();
  }

  /** Asks whether to change to a model, and measures what that takes. */
  async askToChoose(model: EmbeddingModel): Promise<void> {
    this.#planning.reset();
    this.#asking = model;
    await this.#planning.run(model.name);
  }

  keep(): void {
    this.#asking = null;
    this.#planning.drop();
  }

  /** Changes to the model that was asked about. */
  async choose(): Promise<void> {
    const model = this.#asking;
    this.keep();
    if (model !== null) await this.#change(() => this.#backend.chooseEmbeddingModel(model.name));
  }

  /** Asks for a folder with a model, which can be chosen then; does nothing if the user cancels. */
  async addFolder(): Promise<void> {
    await this.#change(() => this.#backend.addEmbeddingFolder());
  }

  /** Ends a change: the model in use stays. */
  async cancel(): Promise<void> {
    const { inUse } = this;
    if (inUse !== null) await this.#change(() => this.#backend.chooseEmbeddingModel(inUse.name));
  }

  /** Begins a change again that could not begin. */
  async tryAgain(): Promise<void> {
    const chosen = this.models?.models.find((model) => model.is_chosen);
    if (chosen !== undefined) await this.#change(() => this.#backend.chooseEmbeddingModel(chosen.name));
  }

  /** Asks whether to delete vectors. */
  askToForget(vectors: Forgetting): void {
    this.#forgetting = vectors;
  }

  keepVectors(): void {
    this.#forgetting = null;
  }

  /** Deletes the vectors that were asked about. */
  async forget(): Promise<void> {
    const vectors = this.#forgetting;
    this.#forgetting = null;
    if (vectors !== null) await this.#change(() => this.#backend.forgetVectors(vectors.id));
  }

  async #change(change: () => Promise<EmbeddingModels | null>): Promise<void> {
    if (this.#changes.isRunning) return;
    this.#changes.dismissError();
    this.download.dismissError();
    await this.#changes.run(async () => {
      const models = await change();
      if (models !== null) this.#reading.data = models;
    });
  }
}
