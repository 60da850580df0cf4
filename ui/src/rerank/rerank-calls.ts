// What the user's own calls to a reranker show: how long they take at a setting, and what they cost.
import type { KindOffer, Params, RerankSettings, RerankTime } from "../api/bindings";

/** What is sent at a setting. */
export type Setting = {
  /** As calls name it; null while nobody is chosen. */ provider: string | null;
  nDocs: number;
  /** 0: whole texts. */ maxChars: number;
};

/** What calls at one setting came to; medians, since one slow call is not the rule. */
export type Measured = {
  nCalls: number;
  ms: number;
  /** Null where nobody counts tokens. */ nTokens: number | null;
};

/** The stage sends at most `rerank_max_docs` rows, and where that is 0 this many times the results. */
const POOL_TIMES = 3;
const PER_MILLION = 1_000_000;
const PER_THOUSAND = 1_000;

/** The setting that `params` ask for. */
export function settingOf(params: Params, settings: RerankSettings | null): Setting {
  const provider =
    params.rerank === "http"
      ? (settings?.http?.kind ?? null)
      : params.rerank === "off"
        ? null
        : params.rerank;
  const nDocs = params.rerank_max_docs === 0 ? POOL_TIMES * params.max_results : params.rerank_max_docs;
  // Late interaction reads whole texts, whatever the parameter says.
  return { provider, nDocs, maxChars: params.rerank === "late" ? 0 : params.rerank_max_chars };
}

/**
 * The calls to one provider by the model that answered it last, in the order given.
 *
 * `calls` are newest first. Times of another model say nothing about this one.
 */
export function callsTo(calls: readonly RerankTime[], provider: string | null): RerankTime[] {
  const ofProvider = calls.filter((call) => call.provider === provider);
  return ofProvider.filter((call) => call.model === ofProvider[0]?.model);
}

/** What the calls that worked with so many texts of this length came to; null without one. */
export function measuredAt(calls: readonly RerankTime[], setting: Setting): Measured | null {
  const alike = calls.filter(
    (call) => call.ok && call.n_docs === setting.nDocs && call.max_chars === setting.maxChars,
  );
  const ms = median(alike.map((call) => call.ms));
  if (ms === null) return null;
  return {
    nCalls: alike.length,
    ms,
    nTokens: median(alike.flatMap((call) => (call.n_tokens === null ? [] : [call.n_tokens]))),
  };
}

/** The newest call that worked with texts of this length, whatever their number; null without one. */
export function newestAlike(calls: readonly RerankTime[], setting: Setting): RerankTime | null {
  return calls.find((call) => call.ok && call.max_chars === setting.maxChars) ?? null;
}

/** US dollars for a thousand questions at a setting; null where it costs nothing or is unknown. */
export function priceOf(kind: KindOffer | null, measured: Measured | null): number | null {
  if (kind === null) return null;
  if (kind.price_per_thousand !== null) return kind.price_per_thousand;
  const nTokens = measured?.nTokens ?? null;
  if (kind.price_per_million_tokens === null || nTokens === null) return null;
  return (kind.price_per_million_tokens * nTokens * PER_THOUSAND) / PER_MILLION;
}

/** The middle value, of an even number the mean of both; null of none. */
export function median(values: readonly number[]): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  const half = Math.floor(sorted.length / 2);
  const upper = sorted[half];
  if (upper === undefined) return null;
  return sorted.length % 2 === 1 ? upper : ((sorted[half - 1] ?? upper) + upper) / 2;
}
