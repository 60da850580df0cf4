// Figures of past calls: medians of the same setting alone, prices only if they are known.
import { describe, expect, test } from "vitest";
import { DEFAULTS } from "../api/parameters";
import type { KindOffer, RerankSettings, RerankTime } from "../api/bindings";
import { callsTo, measuredAt, median, priceOf, settingOf } from "./rerank-calls";

function call(part: Partial<RerankTime>): RerankTime {
  return {
    at_ms: 0,
    provider: "cohere",
    model: "fast",
    n_docs: 20,
    max_chars: 500,
    ms: 100,
    n_tokens: null,
    ok: true,
    ...part,
  };
}

const HTTP = { http: { kind: "cohere" } } as RerankSettings;
const SETTING = { provider: "cohere", nDocs: 20, maxChars: 500 };

test.each([
  [[], null],
  [[3], 3],
  [[9, 1, 5], 5],
  [[4, 1, 3, 2], 2.5],
])("the median of %o is %s", (values, expected) => {
  expect(median(values)).toBe(expected);
});

describe("a setting", () => {
  test("names whom calls name", () => {
    expect(settingOf({ ...DEFAULTS, rerank: "late" }, null).provider).toBe("late");
    expect(settingOf({ ...DEFAULTS, rerank: "http" }, HTTP).provider).toBe("cohere");
    expect(settingOf({ ...DEFAULTS, rerank: "http" }, null).provider).toBeNull();
    expect(settingOf(DEFAULTS, HTTP).provider).toBeNull();
  });

  test("of late interaction reads whole texts", () => {
    expect(settingOf({ ...DEFAULTS, rerank: "late", rerank_max_chars: 500 }, null).maxChars).toBe(0);
    expect(settingOf({ ...DEFAULTS, rerank: "model", rerank_max_chars: 500 }, null).maxChars).toBe(500);
  });

  test("that sends all sends three times the results", () => {
    expect(settingOf({ ...DEFAULTS, rerank_max_docs: 0, max_results: 7 }, null).nDocs).toBe(21);
    expect(settingOf({ ...DEFAULTS, rerank_max_docs: 5 }, null).nDocs).toBe(5);
  });
});

test("calls to another provider, or to a model that was changed, do not count", () => {
  const calls = [
    call({ ms: 1 }),
    call({ ms: 2, provider: "late" }),
    call({ ms: 3, model: "old" }),
    call({ ms: 4 }),
  ];
  expect(callsTo(calls, "cohere").map(({ ms }) => ms)).toEqual([1, 4]);
  expect(callsTo(calls, null)).toEqual([]);
});

test("a setting is measured by the calls that worked with as many texts of its length", () => {
  const calls = [
    call({ ms: 100, n_tokens: 900 }),
    call({ ms: 300, n_tokens: 1_100 }),
    call({ ms: 9_000, ok: false }),
    call({ ms: 5, n_docs: 10 }),
    call({ ms: 5, max_chars: 1_000 }),
  ];
  expect(measuredAt(calls, SETTING)).toEqual({ nCalls: 2, ms: 200, nTokens: 1_000 });
  expect(measuredAt(calls, { ...SETTING, nDocs: 11 })).toBeNull();
  expect(measuredAt([call({})], SETTING)?.nTokens).toBeNull();
});

describe("a thousand questions cost", () => {
  const kind = (perCalls: number | null, perTokens: number | null) =>
    ({ price_per_thousand: perCalls, price_per_million_tokens: perTokens }) as KindOffer;
  const measured = { nCalls: 1, ms: 1, nTokens: 2_000 };
  test.each([
    ["what is asked for a thousand", kind(2, null), null, 2],
    ["by their tokens", kind(null, 0.05), measured, 0.1],
    ["nothing to show before tokens were counted", kind(null, 0.05), { ...measured, nTokens: null }, null],
    ["nothing at a server of one's own", kind(null, null), measured, null],
    ["nothing on this machine", null, measured, null],
  ])("%s", (_, given, at, expected) => {
    const price = priceOf(given, at);
    if (expected === null) expect(price).toBeNull();
    else expect(price).toBeCloseTo(expected);
  });
});
