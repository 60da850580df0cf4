// Generated from the parameter table by `cargo xtask codegen`. Do not edit.

import type { Needs as NeedsLine, Parameter as Line, Params, StageInfo as StageLine } from "./bindings";

export type { ParameterKind } from "./bindings";

/** Names a parameter. */
export type ParamId = keyof Params;

/** Is one line of the parameter table. */
export type Parameter = Omit<Line, "id" | "needs"> & { id: ParamId; needs: Needs | null };

/** Tells which choice of another parameter reads a parameter. */
export type Needs = Omit<NeedsLine, "parameter"> & { parameter: ParamId };

/** Describes a stage for the user. */
export type StageInfo = Omit<StageLine, "switch"> & { switch: ParamId };

export const PARAMETERS: Parameter[] = [
  {
    "id": "vector_on",
    "stage": "vector",
    "phase": "rank",
    "label": "Vector",
    "unit": null,
    "kind": {
      "kind": "toggle"
    },
    "default": true,
    "sentence": "Uses the vector list.",
    "needs": null
  },
  {
    "id": "vector_depth",
    "stage": "vector",
    "phase": "rank",
    "label": "Depth",
    "unit": "chunks",
    "kind": {
      "kind": "number",
      "min": 1.0,
      "max": 1000.0,
      "step": 1.0,
      "integer": true,
      "off": null,
      "optional": false,
      "log": true
    },
    "default": 50.0,
    "sentence": "How many of the chunks nearest in meaning go on to fusion.",
    "needs": null
  },
  {
    "id": "vector_unit",
    "stage": "vector",
    "phase": "retrieve",
    "label": "Compare by",
    "unit": null,
    "kind": {
      "kind": "choice",
      "options": [
        "windows",
        "chunk"
      ]
    },
    "default": "windows",
    "sentence": "Compares the question with a chunk's best window and the whole chunk, or with the whole chunk alone.",
    "needs": null
  },
  {
    "id": "bm25_on",
    "stage": "bm25",
    "phase": "rank",
    "label": "BM25",
    "unit": null,
    "kind": {
      "kind": "toggle"
    },
    "default": true,
    "sentence": "Uses the BM25 list.",
    "needs": null
  },
  {
    "id": "bm25_depth",
    "stage": "bm25",
    "phase": "rank",
    "label": "Depth",
    "unit": "chunks",
    "kind": {
      "kind": "number",
      "min": 1.0,
      "max": 1000.0,
      "step": 1.0,
      "integer": true,
      "off": null,
      "optional": false,
      "log": true
    },
    "default": 50.0,
    "sentence": "How many of the chunks that match the words best go on to fusion.",
    "needs": null
  },
  {
    "id": "bm25_join",
    "stage": "bm25",
    "phase": "retrieve",
    "label": "Join words by",
    "unit": null,
    "kind": {
      "kind": "choice",
      "options": [
        "or",
        "and"
      ]
    },
    "default": "or",
    "sentence": "Matches any word (or) or requires all of them (and). And often finds nothing for natural questions.",
    "needs": null
  },
  {
    "id": "fusion_on",
    "stage": "fusion",
    "phase": "rank",
    "label": "Fusion",
    "unit": null,
    "kind": {
      "kind": "toggle"
    },
    "default": true,
    "sentence": "Combines both lists into one score. When off, the vector list alone ranks, or BM25 if the vector list is off.",
    "needs": null
  },
  {
    "id": "fusion",
    "stage": "fusion",
    "phase": "rank",
    "label": "Method",
    "unit": null,
    "kind": {
      "kind": "choice",
      "options": [
        "calibrated",
        "rrf",
        "relative",
        "weighted"
      ]
    },
    "default": "calibrated",
    "sentence": "How the two lists are combined. Calibrated leans on meaning when the memory does not know the words.",
    "needs": null
  },
  {
    "id": "fusion_k",
    "stage": "fusion",
    "phase": "rank",
    "label": "k",
    "unit": null,
    "kind": {
      "kind": "number",
      "min": 1.0,
      "max": 200.0,
      "step": 1.0,
      "integer": true,
      "off": null,
      "optional": false,
      "log": false
    },
    "default": 60.0,
    "sentence": "The constant of reciprocal rank fusion. Small values favour first places; large ones even ranks out.",
    "needs": {
      "parameter": "fusion",
      "one_of": [
        "rrf"
      ]
    }
  },
  {
    "id": "vector_weight",
    "stage": "fusion",
    "phase": "rank",
    "label": "Vector weight",
    "unit": null,
    "kind": {
      "kind": "number",
      "min": 0.0,
      "max": 1.0,
      "step": 0.01,
      "integer": false,
      "off": null,
      "optional": false,
      "log": false
    },
    "default": 0.6,
    "sentence": "How much the vector list counts.",
    "needs": null
  },
  {
    "id": "text_weight",
    "stage": "fusion",
    "phase": "rank",
    "label": "Text weight",
    "unit": null,
    "kind": {
      "kind": "number",
      "min": 0.0,
      "max": 1.0,
      "step": 0.01,
      "integer": false,
      "off": null,
      "optional": false,
      "log": false
    },
    "default": 0.4,
    "sentence": "How much the BM25 list counts.",
    "needs": null
  },
  {
    "id": "rerank_on",
    "stage": "rerank",
    "phase": "rank",
    "label": "Rerank",
    "unit": null,
    "kind": {
      "kind": "toggle"
    },
    "default": true,
    "sentence": "Uses the chosen reranker.",
    "needs": null
  },
  {
    "id": "rerank",
    "stage": "rerank",
    "phase": "outside",
    "label": "Provider",
    "unit": null,
    "kind": {
      "kind": "choice",
      "options": [
        "off",
        "late",
        "model",
        "http"
      ]
    },
    "default": "off",
    "sentence": "Which model reads the question and each chunk together.",
    "needs": null
  },
  {
    "id": "rerank_max_docs",
    "stage": "rerank",
    "phase": "outside",
    "label": "Max docs",
    "unit": "chunks",
    "kind": {
      "kind": "number",
      "min": 0.0,
      "max": 200.0,
      "step": 1.0,
      "integer": true,
      "off": 0.0,
      "optional": false,
      "log": false
    },
    "default": 20.0,
    "sentence": "How many of the best fused rows go to the reranker. 0 sends three times max results.",
    "needs": {
      "parameter": "rerank",
      "one_of": [
        "late",
        "model",
        "http"
      ]
    }
  },
  {
    "id": "rerank_max_chars",
    "stage": "rerank",
    "phase": "outside",
    "label": "Max chars",
    "unit": "characters",
    "kind": {
      "kind": "number",
      "min": 0.0,
      "max": 8000.0,
      "step": 50.0,
      "integer": true,
      "off": 0.0,
      "optional": false,
      "log": false
    },
    "default": 500.0,
    "sentence": "How much of each text a model or provider reads. 0 means all of it; late interaction always reads all of it.",
    "needs": {
      "parameter": "rerank",
      "one_of": [
        "late",
        "model",
        "http"
      ]
    }
  },
  {
    "id": "rerank_threshold",
    "stage": "rerank",
    "phase": "rank",
    "label": "Drop below",
    "unit": null,
    "kind": {
      "kind": "number",
      "min": -20.0,
      "max": 20.0,
      "step": 0.01,
      "integer": false,
      "off": null,
      "optional": true,
      "log": false
    },
    "default": null,
    "sentence": "Drops reranked rows below this score, on the reranker's own scale.",
    "needs": {
      "parameter": "rerank",
      "one_of": [
        "late",
        "model",
        "http"
      ]
    }
  },
  {
    "id": "rerank_share",
    "stage": "rerank",
    "phase": "rank",
    "label": "Share",
    "unit": null,
    "kind": {
      "kind": "number",
      "min": 0.0,
      "max": 1.0,
      "step": 0.01,
      "integer": false,
      "off": null,
      "optional": false,
      "log": false
    },
    "default": 1.0,
    "sentence": "The reranker's share of the score. 0 keeps the fused order; 1 follows the reranker alone.",
    "needs": {
      "parameter": "rerank",
      "one_of": [
        "late",
        "model",
        "http"
      ]
    }
  },
  {
    "id": "rerank_timeout_ms",
    "stage": "rerank",
    "phase": "outside",
    "label": "Timeout",
    "unit": "ms",
    "kind": {
      "kind": "number",
      "min": 100.0,
      "max": 60000.0,
      "step": 100.0,
      "integer": true,
      "off": null,
      "optional": false,
      "log": false
    },
    "default": 10000.0,
    "sentence": "How long to wait for the reranker before keeping the fused order.",
    "needs": {
      "parameter": "rerank",
      "one_of": [
        "late",
        "model",
        "http"
      ]
    }
  },
  {
    "id": "corroboration_on",
    "stage": "corroboration",
    "phase": "rank",
    "label": "Corroboration",
    "unit": null,
    "kind": {
      "kind": "toggle"
    },
    "default": false,
    "sentence": "Boosts what several observations agree on.",
    "needs": null
  },
  {
    "id": "corroboration_gain",
    "stage": "corroboration",
    "phase": "rank",
    "label": "Gain",
    "unit": null,
    "kind": {
      "kind": "number",
      "min": 0.0,
      "max": 0.5,
      "step": 0.01,
      "integer": false,
      "off": null,
      "optional": false,
      "log": false
    },
    "default": 0.1,
    "sentence": "Score added each time the number of agreeing observations doubles.",
    "needs": null
  },
  {
    "id": "corroboration_by",
    "stage": "corroboration",
    "phase": "rank",
    "label": "Counted by",
    "unit": null,
    "kind": {
      "kind": "choice",
      "options": [
        "members",
        "sources"
      ]
    },
    "default": "members",
    "sentence": "Counts agreeing observations, or the different sources they come from.",
    "needs": null
  },
  {
    "id": "near_duplicates",
    "stage": "corroboration",
    "phase": "rank",
    "label": "Near-duplicates",
    "unit": null,
    "kind": {
      "kind": "choice",
      "options": [
        "keep",
        "collapse"
      ]
    },
    "default": "keep",
    "sentence": "Keeps or drops near-duplicates of a better row.",
    "needs": null
  },
  {
    "id": "agreement_measure",
    "stage": "corroboration",
    "phase": "rank",
    "label": "Same by",
    "unit": null,
    "kind": {
      "kind": "choice",
      "options": [
        "simhash",
        "words"
      ]
    },
    "default": "simhash",
    "sentence": "Compares observations by the fingerprints of their words (SimHash, unreliable on short texts) or by word overlap.",
    "needs": null
  },
  {
    "id": "simhash_distance",
    "stage": "corroboration",
    "phase": "rank",
    "label": "Distance",
    "unit": "bits of 64",
    "kind": {
      "kind": "number",
      "min": 0.0,
      "max": 7.0,
      "step": 1.0,
      "integer": true,
      "off": null,
      "optional": false,
      "log": false
    },
    "default": 3.0,
    "sentence": "Maximum number of differing bits of the word fingerprints (SimHash) of two observations that count as the same. At 3 of 64 bits, fingerprints are 95 % alike.",
    "needs": {
      "parameter": "agreement_measure",
      "one_of": [
        "simhash"
      ]
    }
  },
  {
    "id": "word_overlap",
    "stage": "corroboration",
    "phase": "rank",
    "label": "Word overlap",
    "unit": null,
    "kind": {
      "kind": "number",
      "min": 0.5,
      "max": 1.0,
      "step": 0.01,
      "integer": false,
      "off": null,
      "optional": false,
      "log": false
    },
    "default": 0.6,
    "sentence": "Minimum word overlap for two observations to count as the same.",
    "needs": {
      "parameter": "agreement_measure",
      "one_of": [
        "words"
      ]
    }
  },
  {
    "id": "feedback_on",
    "stage": "feedback",
    "phase": "rank",
    "label": "Feedback",
    "unit": null,
    "kind": {
      "kind": "toggle"
    },
    "default": false,
    "sentence": "Weighs rows by your thumbs, for this question and for questions close to it. When off, thumbs are judgments only.",
    "needs": null
  },
  {
    "id": "feedback_strength",
    "stage": "feedback",
    "phase": "rank",
    "label": "Strength",
    "unit": null,
    "kind": {
      "kind": "number",
      "min": 0.0,
      "max": 2.0,
      "step": 0.05,
      "integer": false,
      "off": null,
      "optional": false,
      "log": false
    },
    "default": 1.0,
    "sentence": "How much thumbs count. Each counts by the cosine of its question to this one.",
    "needs": null
  },
  {
    "id": "decay_on",
    "stage": "decay",
    "phase": "rank",
    "label": "Decay",
    "unit": null,
    "kind": {
      "kind": "toggle"
    },
    "default": true,
    "sentence": "Lets older notes count less.",
    "needs": null
  },
  {
    "id": "half_life_days",
    "stage": "decay",
    "phase": "rank",
    "label": "Half-life",
    "unit": "days",
    "kind": {
      "kind": "number",
      "min": 0.0,
      "max": 365.0,
      "step": 1.0,
      "integer": false,
      "off": 0.0,
      "optional": false,
      "log": false
    },
    "default": 0.0,
    "sentence": "Days after which a note counts half as much. 0 switches decay off.",
    "needs": null
  },
  {
    "id": "diversity_on",
    "stage": "diversity",
    "phase": "rank",
    "label": "Diversity",
    "unit": null,
    "kind": {
      "kind": "toggle"
    },
    "default": true,
    "sentence": "Prefers rows that differ from those above.",
    "needs": null
  },
  {
    "id": "mmr_lambda",
    "stage": "diversity",
    "phase": "rank",
    "label": "λ",
    "unit": null,
    "kind": {
      "kind": "number",
      "min": 0.0,
      "max": 1.0,
      "step": 0.01,
      "integer": false,
      "off": 1.0,
      "optional": false,
      "log": false
    },
    "default": 1.0,
    "sentence": "1 ranks by score alone; 0 only by difference from the rows above.",
    "needs": null
  },
  {
    "id": "repeats_on",
    "stage": "repeats",
    "phase": "rank",
    "label": "Repeats",
    "unit": null,
    "kind": {
      "kind": "toggle"
    },
    "default": true,
    "sentence": "Folds copies and moves repeated text to the end.",
    "needs": null
  },
  {
    "id": "copies",
    "stage": "repeats",
    "phase": "rank",
    "label": "Copies",
    "unit": null,
    "kind": {
      "kind": "choice",
      "options": [
        "fold",
        "keep"
      ]
    },
    "default": "fold",
    "sentence": "Folds chunks whose texts are copies of each other, in one note or several, under the best of them, or keeps every row.",
    "needs": null
  },
  {
    "id": "repeat_share",
    "stage": "repeats",
    "phase": "rank",
    "label": "Share",
    "unit": null,
    "kind": {
      "kind": "number",
      "min": 0.0,
      "max": 1.0,
      "step": 0.01,
      "integer": false,
      "off": 1.0,
      "optional": false,
      "log": false
    },
    "default": 0.5,
    "sentence": "Moves a chunk to the end when better rows already show more than this share of it. 1 switches it off.",
    "needs": null
  },
  {
    "id": "threshold_on",
    "stage": "threshold",
    "phase": "rank",
    "label": "Threshold",
    "unit": null,
    "kind": {
      "kind": "toggle"
    },
    "default": true,
    "sentence": "Drops rows that score too low.",
    "needs": null
  },
  {
    "id": "min_score",
    "stage": "threshold",
    "phase": "rank",
    "label": "Min score",
    "unit": null,
    "kind": {
      "kind": "number",
      "min": 0.0,
      "max": 1.0,
      "step": 0.01,
      "integer": false,
      "off": null,
      "optional": false,
      "log": false
    },
    "default": 0.1,
    "sentence": "Drops rows whose score before decay is lower, so age alone drops none.",
    "needs": null
  },
  {
    "id": "min_score_of_best",
    "stage": "threshold",
    "phase": "rank",
    "label": "Of the best",
    "unit": null,
    "kind": {
      "kind": "number",
      "min": 0.0,
      "max": 1.0,
      "step": 0.01,
      "integer": false,
      "off": 0.0,
      "optional": false,
      "log": false
    },
    "default": 0.0,
    "sentence": "Drops rows whose score after decay is below this share of the best row's. 0 switches it off.",
    "needs": null
  },
  {
    "id": "limit_on",
    "stage": "limit",
    "phase": "rank",
    "label": "Limit",
    "unit": null,
    "kind": {
      "kind": "toggle"
    },
    "default": true,
    "sentence": "Limits the number of results.",
    "needs": null
  },
  {
    "id": "max_results",
    "stage": "limit",
    "phase": "rank",
    "label": "Max results",
    "unit": "rows",
    "kind": {
      "kind": "number",
      "min": 1.0,
      "max": 100.0,
      "step": 1.0,
      "integer": true,
      "off": null,
      "optional": false,
      "log": false
    },
    "default": 10.0,
    "sentence": "Maximum number of rows to keep.",
    "needs": null
  },
  {
    "id": "hook_on",
    "stage": "hook",
    "phase": "rank",
    "label": "Hook",
    "unit": null,
    "kind": {
      "kind": "toggle"
    },
    "default": true,
    "sentence": "Runs your own command.",
    "needs": null
  },
  {
    "id": "hook",
    "stage": "hook",
    "phase": "outside",
    "label": "Command",
    "unit": null,
    "kind": {
      "kind": "choice",
      "options": [
        "off",
        "on"
      ]
    },
    "default": "off",
    "sentence": "Whether the command in Settings may reorder the results.",
    "needs": null
  },
  {
    "id": "hook_timeout_ms",
    "stage": "hook",
    "phase": "outside",
    "label": "Timeout",
    "unit": "ms",
    "kind": {
      "kind": "number",
      "min": 100.0,
      "max": 60000.0,
      "step": 100.0,
      "integer": true,
      "off": null,
      "optional": false,
      "log": false
    },
    "default": 5000.0,
    "sentence": "How long to wait for the command before ignoring it.",
    "needs": {
      "parameter": "hook",
      "one_of": [
        "on"
      ]
    }
  },
  {
    "id": "budget_on",
    "stage": "budget",
    "phase": "rank",
    "label": "Budget",
    "unit": null,
    "kind": {
      "kind": "toggle"
    },
    "default": true,
    "sentence": "Limits the total tokens of the results.",
    "needs": null
  },
  {
    "id": "budget_tokens",
    "stage": "budget",
    "phase": "rank",
    "label": "Tokens",
    "unit": "tokens",
    "kind": {
      "kind": "number",
      "min": 0.0,
      "max": 32000.0,
      "step": 50.0,
      "integer": true,
      "off": 0.0,
      "optional": false,
      "log": false
    },
    "default": 0.0,
    "sentence": "Maximum total tokens of the results. 0 switches it off.",
    "needs": null
  },
  {
    "id": "chunk_chars",
    "stage": null,
    "phase": "index",
    "label": "Chunk length",
    "unit": "characters",
    "kind": {
      "kind": "number",
      "min": 200.0,
      "max": 8000.0,
      "step": 50.0,
      "integer": true,
      "off": null,
      "optional": false,
      "log": false
    },
    "default": 1600.0,
    "sentence": "Maximum length of a chunk.",
    "needs": null
  },
  {
    "id": "chunk_overlap_chars",
    "stage": null,
    "phase": "index",
    "label": "Chunk overlap",
    "unit": "characters",
    "kind": {
      "kind": "number",
      "min": 0.0,
      "max": 4000.0,
      "step": 10.0,
      "integer": true,
      "off": 0.0,
      "optional": false,
      "log": false
    },
    "default": 320.0,
    "sentence": "How much of a chunk's end the next one repeats.",
    "needs": null
  },
  {
    "id": "window_chars",
    "stage": null,
    "phase": "index",
    "label": "Window length",
    "unit": "characters",
    "kind": {
      "kind": "number",
      "min": 100.0,
      "max": 2000.0,
      "step": 50.0,
      "integer": true,
      "off": null,
      "optional": false,
      "log": false
    },
    "default": 400.0,
    "sentence": "Length of the windows that are embedded alongside the whole chunk.",
    "needs": null
  },
  {
    "id": "aggregation_interval_s",
    "stage": null,
    "phase": "index",
    "label": "Aggregate every",
    "unit": "s",
    "kind": {
      "kind": "number",
      "min": 5.0,
      "max": 3600.0,
      "step": 5.0,
      "integer": true,
      "off": null,
      "optional": false,
      "log": false
    },
    "default": 60.0,
    "sentence": "How often clusters are updated when notes change.",
    "needs": null
  }
];

export const STAGES: StageInfo[] = [
  {
    "id": "vector",
    "label": "Vector",
    "switch": "vector_on",
    "sentence": "Ranks chunks by how close their meaning is to the question (cosine)."
  },
  {
    "id": "bm25",
    "label": "BM25",
    "switch": "bm25_on",
    "sentence": "Ranks chunks by the question's words they contain; rare words count more."
  },
  {
    "id": "fusion",
    "label": "Fusion",
    "switch": "fusion_on",
    "sentence": "Combines both lists into one score."
  },
  {
    "id": "rerank",
    "label": "Rerank",
    "switch": "rerank_on",
    "sentence": "Has a model read the question and each chunk together."
  },
  {
    "id": "corroboration",
    "label": "Corroboration",
    "switch": "corroboration_on",
    "sentence": "Boosts what several observations agree on."
  },
  {
    "id": "feedback",
    "label": "Feedback",
    "switch": "feedback_on",
    "sentence": "Weighs chunks by your thumbs, by how close their questions are to this one."
  },
  {
    "id": "decay",
    "label": "Decay",
    "switch": "decay_on",
    "sentence": "Makes older notes count less."
  },
  {
    "id": "diversity",
    "label": "Diversity",
    "switch": "diversity_on",
    "sentence": "Brings forward chunks that differ from those above."
  },
  {
    "id": "repeats",
    "label": "Repeats",
    "switch": "repeats_on",
    "sentence": "Folds copies of a chunk under the first, and moves chunks to the end when better rows already show their text."
  },
  {
    "id": "threshold",
    "label": "Threshold",
    "switch": "threshold_on",
    "sentence": "Drops rows that score too low."
  },
  {
    "id": "limit",
    "label": "Limit",
    "switch": "limit_on",
    "sentence": "Keeps only the best rows."
  },
  {
    "id": "hook",
    "label": "Hook",
    "switch": "hook_on",
    "sentence": "Lets your own command reorder the results."
  },
  {
    "id": "budget",
    "label": "Budget",
    "switch": "budget_on",
    "sentence": "Keeps what fits within a token limit."
  }
];

export const DEFAULTS: Params = {
  "vector_on": true,
  "vector_depth": 50,
  "vector_unit": "windows",
  "bm25_on": true,
  "bm25_depth": 50,
  "bm25_join": "or",
  "fusion_on": true,
  "fusion": "calibrated",
  "fusion_k": 60,
  "vector_weight": 0.6,
  "text_weight": 0.4,
  "rerank_on": true,
  "rerank": "off",
  "rerank_max_docs": 20,
  "rerank_max_chars": 500,
  "rerank_threshold": null,
  "rerank_share": 1.0,
  "rerank_timeout_ms": 10000,
  "corroboration_on": false,
  "corroboration_gain": 0.1,
  "corroboration_by": "members",
  "near_duplicates": "keep",
  "agreement_measure": "simhash",
  "simhash_distance": 3,
  "word_overlap": 0.6,
  "feedback_on": false,
  "feedback_strength": 1.0,
  "decay_on": true,
  "half_life_days": 0.0,
  "diversity_on": true,
  "mmr_lambda": 1.0,
  "repeats_on": true,
  "copies": "fold",
  "repeat_share": 0.5,
  "threshold_on": true,
  "min_score": 0.1,
  "min_score_of_best": 0.0,
  "limit_on": true,
  "max_results": 10,
  "hook_on": true,
  "hook": "off",
  "hook_timeout_ms": 5000,
  "budget_on": true,
  "budget_tokens": 0,
  "chunk_chars": 1600,
  "chunk_overlap_chars": 320,
  "window_chars": 400,
  "aggregation_interval_s": 60
};
