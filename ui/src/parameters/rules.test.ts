// The rules that join parameters, and what a number field accepts.
import { describe, expect, it } from "vitest";
import type { ParamId } from "../api/parameters";
import { DEFAULTS, PARAMETERS } from "../api/parameters";
import { OWN } from "./pipeline";
import {
  parameterOf,
  parseNumber,
  previewOf,
  rangeOf,
  refusalOf,
  retrievesAlike,
  withChoiceFor,
  type NumberKind,
} from "./rules";

function numberKind(id: ParamId): NumberKind {
  const { kind } = parameterOf(OWN, id);
  if (kind.kind !== "number") throw new Error(`${id} is no number`);
  return kind;
}

describe("parseNumber", () => {
  const parse = (id: ParamId, text: string) => parseNumber(text, parameterOf(OWN, id), numberKind(id));

  it.each<[ParamId, string, number | null]>([
    ["vector_weight", "0.25", 0.25],
    ["vector_weight", " 0,25 ", 0.25],
    ["vector_weight", "1e-2", 0.01],
    ["fusion_k", "200", 200],
    ["budget_tokens", "off", 0],
    ["budget_tokens", "", 0],
    ["repeat_share", "OFF", 1],
    ["rerank_threshold", "off", null],
    ["rerank_threshold", "−3", -3],
  ])("%s takes %j", (id, text, value) => expect(parse(id, text)).toEqual({ value }));

  it.each<[ParamId, string, string]>([
    ["min_score", "7", "Min score takes 0 to 1."],
    ["min_score", "", "Min score takes 0 to 1."],
    ["min_score", "off", "Min score takes 0 to 1."],
    ["min_score", "NaN", "Min score takes 0 to 1."],
    ["min_score", "Infinity", "Min score takes 0 to 1."],
    ["fusion_k", "1.5", "k takes whole numbers from 1 to 200."],
    ["fusion_k", "sixty", "k takes whole numbers from 1 to 200."],
    ["budget_tokens", "-1", "Tokens takes whole numbers from 0 to 32000, or off."],
  ])("%s refuses %j and names the range", (id, text, message) =>
    expect(parse(id, text)).toEqual({ message }),
  );

  it("accepts every default of the table as it is shown", () => {
    for (const parameter of PARAMETERS) {
      if (parameter.kind.kind !== "number") continue;
      const text = parameter.default === null ? "off" : String(parameter.default);
      expect(parseNumber(text, parameter, parameter.kind)).toEqual({ value: parameter.default });
    }
  });
});

describe("joined rules", () => {
  it("refuses two weights of 0 by name, and one alone not", () => {
    expect(refusalOf({ ...DEFAULTS, vector_weight: 0, text_weight: 0 })).toContain(
      "Vector weight and text weight",
    );
    expect(refusalOf({ ...DEFAULTS, vector_weight: 0 })).toBeNull();
    expect(refusalOf({ ...DEFAULTS, text_weight: 0 })).toBeNull();
  });

  it("chooses what reads a parameter, and only where that has to be", () => {
    expect(withChoiceFor(OWN, DEFAULTS, "fusion_k").fusion).toBe("rrf");
    const rrf = { ...DEFAULTS, fusion: "rrf" as const };
    expect(withChoiceFor(OWN, rrf, "fusion_k")).toBe(rrf);
    expect(withChoiceFor(OWN, DEFAULTS, "vector_weight")).toBe(DEFAULTS);
    expect(withChoiceFor(OWN, DEFAULTS, "simhash_distance")).toBe(DEFAULTS);
    const words = withChoiceFor(OWN, DEFAULTS, "word_overlap");
    expect(words).toEqual({ ...DEFAULTS, agreement_measure: "words" });
    expect(withChoiceFor(OWN, words, "simhash_distance")).toEqual(DEFAULTS);
  });

  it("finds every choice that a parameter needs in the table", () => {
    for (const { needs } of PARAMETERS) {
      if (needs === null) continue;
      const { kind } = parameterOf(OWN, needs.parameter);
      expect(kind.kind === "choice" ? kind.options : []).toEqual(expect.arrayContaining(needs.one_of));
    }
  });

  it("returns whether other lists are needed", () => {
    expect(retrievesAlike(OWN, DEFAULTS, { ...DEFAULTS, vector_depth: 3, min_score: 0.5 })).toBe(true);
    expect(retrievesAlike(OWN, DEFAULTS, { ...DEFAULTS, bm25_join: "and" })).toBe(false);
  });

  it("names ranges for the user", () => {
    expect(rangeOf(numberKind("min_score"))).toBe("0 to 1");
    expect(rangeOf(numberKind("max_results"))).toBe("whole numbers from 1 to 100");
  });
});

describe("previewOf", () => {
  it("keeps what asks somebody outside as it was released last, and takes all else", () => {
    const current = { ...DEFAULTS, rerank_max_docs: 80, rerank_share: 0.5, vector_weight: 0.2 };
    const preview = previewOf(OWN, current, DEFAULTS);
    expect(preview).toEqual({ ...current, rerank_max_docs: DEFAULTS.rerank_max_docs });
  });

  it("is the same object where nothing of that kind changes", () => {
    const current = { ...DEFAULTS, vector_weight: 0.2 };
    expect(previewOf(OWN, current, DEFAULTS)).toBe(current);
  });

  it.each(PARAMETERS.filter(({ phase }) => phase === "outside").map(({ id }) => id))("holds %s", (id) => {
    const other = { ...DEFAULTS, [id]: "other" };
    expect(previewOf(OWN, other, DEFAULTS)[id]).toBe(DEFAULTS[id]);
  });
});
