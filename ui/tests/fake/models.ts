// Embedding models: the bundled one in use, another that is there, and vectors of one that nobody knows.
import type { EmbeddingModel, EmbeddingModels, ModelDownload, ModelPlan } from "../../src/api/bindings";
import { FakeNotes } from "./notes-commands";

const BUNDLED: EmbeddingModel = {
  name: "bundled",
  label: "all-MiniLM-L6-v2, 8 bits",
  folder: null,
  dim: 384,
  languages: "English",
  about: "Finds most in English notes",
  licence: "Apache-2.0, by the sentence-transformers team",
  file_bytes: 24_524_635,
  missing: null,
  download: null,
  is_in_use: true,
  is_chosen: true,
  n_vectors: 1240,
  vector_bytes: 1_904_640,
};

const MULTILINGUAL: EmbeddingModel = {
  name: "multilingual",
  label: "multilingual-e5-small, 4 bits",
  folder: null,
  dim: 384,
  languages: "about a hundred, English included",
  about: "Also finds notes by questions in another language; slower, and weaker in English notes",
  licence: "MIT, by Microsoft (intfloat)",
  file_bytes: 74_889_012,
  missing: null,
  download: null,
  is_in_use: false,
  is_chosen: false,
  n_vectors: 0,
  vector_bytes: 0,
};

/** Where it comes from. */
export const DOWNLOAD: ModelDownload = {
  source: "huggingface.co/Qdrant/bge-small-en-v1.5-onnx-Q",
  is_there: false,
  is_pinned: true,
  blocked: null,
};

/** A model that is downloaded when the user asks for it. */
export const TO_DOWNLOAD: EmbeddingModel = {
  name: "bge-small-en-v1.5",
  label: "bge-small-en-v1.5",
  folder: null,
  dim: 384,
  languages: "English",
  about: "Not measured with Memlens: its scores are its plain cosines",
  licence: "MIT, by BAAI",
  file_bytes: 67_000_000,
  missing: "cannot use the embedding model bge-small-en-v1.5: it is not downloaded",
  download: DOWNLOAD,
  is_in_use: false,
  is_chosen: false,
  n_vectors: 0,
  vector_bytes: 0,
};

/** Answers about embedding models. */
export class FakeModels extends FakeNotes {
  models: EmbeddingModels = { models: [BUNDLED, MULTILINGUAL], others: [], foreign: null };
  plan: Omit<ModelPlan, "name"> = { n_texts: 1240, n_missing: 1240, seconds: 124, n_measured: 8 };

  embeddingModels() {
    return this.answer("embeddingModels", [], () => this.models);
  }

  planEmbeddingModel(name: string) {
    return this.answer("planEmbeddingModel", [name], () => ({ ...this.plan, name }));
  }

  chooseEmbeddingModel(name: string) {
    return this.answer("chooseEmbeddingModel", [name], () => {
      const models = this.models.models.map((model) => ({ ...model, is_chosen: model.name === name }));
      this.models = { ...this.models, models };
      const chosen = models.find(({ is_chosen }) => is_chosen);
      const changing =
        chosen === undefined || chosen.is_in_use
          ? null
          : {
              ...{ model: chosen.name, model_name: chosen.label, n_done: 310, n_total: 1240 },
              ...{ seconds_left: 93, waits_for: null },
            };
      this.changeState({ changing });
      return this.models;
    });
  }

  downloadEmbeddingModel(name: string) {
    return this.answer("downloadEmbeddingModel", [name], () => undefined);
  }

  /** The files of a model came whole. */
  modelCame(name: string) {
    const models = this.models.models.map((model) =>
      model.name === name && model.download !== null
        ? { ...model, missing: null, download: { ...model.download, is_there: true } }
        : model,
    );
    this.models = { ...this.models, models };
  }

  addEmbeddingFolder() {
    return this.answer("addEmbeddingFolder", [], () => {
      const own = {
        ...MULTILINGUAL,
        name: "mine@1",
        label: "mine",
        dim: 512,
        folder: "/home/robin/models/mine",
        about: null,
      };
      this.models = { ...this.models, models: [...this.models.models, own] };
      return this.models;
    });
  }

  forgetVectors(model: string) {
    return this.answer("forgetVectors", [model], () => {
      const models = this.models.models
        .filter((one) => one.name !== model || one.folder === null)
        .map((one) => (one.name === model ? { ...one, n_vectors: 0, vector_bytes: 0 } : one));
      this.models = { ...this.models, models, others: this.models.others.filter(({ id }) => id !== model) };
      return this.models;
    });
  }
}
