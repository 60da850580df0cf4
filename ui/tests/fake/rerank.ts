// A made-up reranker: what it would say of each text, what was asked of it, and what it answers with.
import type {
  DownloadProgress,
  Heat,
  HttpChoice,
  ModelChoice,
  Params,
  RerankScale,
  RerankSettings,
  RerankTime,
  SentText,
} from "../../src/api/bindings";
import { wordsOf } from "./notes";
import type { FakeSet } from "./ranking";

/** What is known of a set's scores by one reranker and length, and why its last call failed. */
export type KnownScores = { bySlot: Map<number, number>; failure: string | null };

export function rerankKey(params: Params): string {
  return `${params.rerank}:${params.rerank_max_chars}`;
}

export function scaleBy(params: Params): RerankScale | null {
  switch (params.rerank) {
    case "off":
      return null;
    case "late":
      return "max_sim";
    case "model":
      return "logit";
    case "http":
      return "unit";
  }
}

/** The text as it is sent. */
export function cutText(text: string, params: Params): string {
  return params.rerank_max_chars === 0 || params.rerank === "late"
    ? text
    : [...text].slice(0, params.rerank_max_chars).join("");
}

/** A score that follows from the text and the question alone: shared words, and the length of the text. */
export function scoreBy(set: FakeSet, params: Params, slot: number): number {
  const text = cutText(set.texts[slot] ?? "", params);
  const terms = new Set(set.words.filter((word) => word.weight === 1).map((word) => word.term));
  const share = wordsOf(text).filter((word) => terms.has(word)).length / Math.max(1, terms.size);
  const unit = Math.min(0.98, 0.05 + 0.3 * share + ((text.length * 37 + slot * 13) % 60) / 200);
  return params.rerank === "model" ? Math.log(unit / (1 - unit)) * 3 : unit;
}

export function previewOf(
  set: FakeSet,
  params: Params,
  sent: ReadonlySet<number>,
  slots: number[],
): SentText[] {
  return slots.map((slot) => {
    const whole = set.texts[slot] ?? "";
    const text = cutText(whole, params);
    return { slot, text, cut: text.length < whole.length, sent: sent.has(slot) };
  });
}

/** Every word of the text, answering the question's word that begins like it or else the longest one. */
export function heatOf(set: FakeSet, params: Params, slot: number): Heat {
  const text = cutText(set.texts[slot] ?? "", params);
  const asked = set.words.filter((word) => word.weight === 1).map((word) => word.typed);
  const longest = asked.toSorted((a, b) => b.length - a.length)[0];
  if (longest === undefined) return { words: [] };
  return {
    words: [...text.matchAll(/[\p{L}\p{N}]+/gu)].map((match) => {
      const word = asked.find((one) => one.slice(0, 4) === match[0].toLowerCase().slice(0, 4));
      return {
        start: match.index,
        end: match.index + match[0].length,
        weight: word === undefined ? (match[0].length % 5) / 12 : 0.95,
        word: word ?? longest,
        counts: word !== undefined,
      };
    }),
  };
}

/** A history of calls: more texts take longer, longer texts too. */
export function callsOf(nCalls: number): RerankTime[] {
  return Array.from({ length: nCalls }, (_, at) => {
    const n_docs = [5, 10, 20, 20, 20, 40][at % 6] ?? 20;
    const max_chars = at % 4 === 3 ? 500 : 0;
    return {
      at_ms: Date.UTC(2026, 10, 21, 9) - at * 60_000,
      provider: "late",
      model: "all-MiniLM-L6-v2",
      n_docs,
      max_chars,
      ms: n_docs * (max_chars === 500 ? 1.9 : 3.4) + ((at * 7) % 9),
      n_tokens: n_docs * 118,
      ok: at % 11 !== 10,
    };
  });
}

export const NO_RERANKERS: RerankSettings = {
  http: null,
  model: null,
  hook: null,
  kinds: [
    {
      kind: "cohere",
      label: "Cohere",
      url: "https://api.cohere.com/v2/rerank",
      model: "rerank-v4.0-fast",
      needs_key: true,
      price_per_thousand: 2,
      price_per_million_tokens: null,
    },
    {
      kind: "tei",
      label: "Text Embeddings Inference",
      url: "http://127.0.0.1:8080/rerank",
      model: null,
      needs_key: false,
      price_per_thousand: null,
      price_per_million_tokens: null,
    },
  ],
  models: [
    {
      name: "jina-reranker-v1-turbo-en",
      label: "English",
      megabytes: 151,
      licence: "Apache-2.0",
      is_there: false,
    },
    {
      name: "bge-reranker-base",
      label: "English and Chinese, slow",
      megabytes: 1_110,
      licence: "MIT",
      is_there: true,
    },
  ],
};

export function withHttp(settings: RerankSettings, choice: HttpChoice, key: string | null): RerankSettings {
  const place = key === null ? (settings.http?.key ?? "none") : key === "" ? "none" : "keyring";
  const { host, hostname } = new URL(choice.url);
  return {
    ...settings,
    http: {
      model: null,
      shape: null,
      key_env: null,
      timeout_ms: null,
      ...choice,
      host,
      is_remote: !["localhost", "127.0.0.1"].includes(hostname),
      key: place,
    },
  };
}

export function withModel(settings: RerankSettings, model: ModelChoice | null): RerankSettings {
  return { ...settings, model };
}

export function downloadAt(name: string, share: number): DownloadProgress {
  const total_bytes = 151_000_000;
  return {
    name,
    done_bytes: Math.round(total_bytes * share),
    total_bytes,
    error: null,
    cancelled: false,
    finished: share === 1,
  };
}

/** A paid provider that is on, and a hook. */
export const HTTP_RERANKER: Partial<RerankSettings> = {
  http: {
    kind: "cohere",
    url: "https://api.cohere.com",
    model: "rerank-v4.0-fast",
    key_env: null,
    shape: null,
    timeout_ms: null,
    is_on: true,
    host: "api.cohere.com",
    is_remote: true,
    key: "keyring",
  },
  hook: ["python3", "reorder.py", "--by", "date"],
};
