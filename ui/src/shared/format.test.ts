// The rounding rules of the design, as a table; signs are true minuses.
import { OWN } from "../parameters/pipeline";
import { describe, expect, it, test } from "vitest";
import { parameterOf } from "../parameters/rules";
import {
  bm25,
  bytes,
  change,
  count,
  counted,
  dollars,
  duration,
  formulaValue,
  indexedOf,
  lines,
  parameterChange,
  parameterValue,
  percent,
  score,
  timeLeft,
  unrounded,
  weight,
} from "./format";

describe("numbers", () => {
  const check = (shown: string, expected: string) => expect(shown).toBe(expected);

  it("rounds scores to three decimals, BM25 to two, formula values to four", () => {
    check(score(0.45449), "0.454");
    check(bm25(7.376), "7.38");
    check(formulaValue(0.95768), "0.9577");
    check(score(1.1584), "1.158");
  });

  it("never prints a value that is not 1 as 1.000", () => {
    check(score(0.9998), "0.9998");
    check(score(0.99996), "0.99996");
    check(score(1.0002), "1.0002");
    check(score(1), "1.000");
    check(bm25(0.999), "0.999");
  });

  it("takes the noise of floating point for what it is", () => {
    check(score(0.1 + 0.2 + 0.7), "1.000");
    check(score(0.9999999999999999), "1.000");
  });

  it("prints the sign of every change, with a true minus", () => {
    check(change(0.2), "+0.200");
    check(change(-0.219), "−0.219");
    check(change(0), "+0.000");
    check(change(-0.0001), "+0.000");
  });

  it("keeps all digits for a hover", () => {
    check(unrounded(0.391234567890123), "0.391234567890123");
    check(unrounded(-2), "−2");
  });

  it("sets thousands apart and counts nouns", () => {
    check(count(10_000), "10,000");
    check(counted(1, "file"), "1 file");
    check(counted(0, "file"), "0 files");
    check(counted(2, "entry", "entries"), "2 entries");
  });

  it("names lines once when there is one", () => {
    check(lines(25, 25), ":25");
    check(lines(23, 27), ":23–27");
  });
});

describe("times and sizes", () => {
  it.each([
    [11, "11 µs"],
    [999, "999 µs"],
    [1_000, "1.0 ms"],
    [9_300, "9.3 ms"],
    [38_000, "38 ms"],
    [999_000, "999 ms"],
    [20_000_000, "20.0 s"],
  ])("%i µs is %s", (micros, expected) => expect(duration(micros)).toBe(expected));

  it.each([
    [0.4, "about 1 s left"],
    [40, "about 40 s left"],
    [600, "about 10 min left"],
    [9_000, "about 2.5 h left"],
  ])("%d s left is %s", (seconds, expected) => expect(timeLeft(seconds)).toBe(expected));

  it.each([
    [0, "0 B"],
    [999, "999 B"],
    [1_500, "1.5 kB"],
    [58_000, "58 kB"],
    [999_900, "1.0 MB"],
    [4_812_300, "4.8 MB"],
  ])("%i bytes are %s", (value, expected) => expect(bytes(value)).toBe(expected));
});

describe("parameter values", () => {
  it("show the decimals of their step", () => {
    expect(parameterValue(parameterOf(OWN, "vector_weight"), 0.6)).toBe("0.60");
    expect(parameterValue(parameterOf(OWN, "fusion_k"), 60)).toBe("60");
  });
  it("show more where more was set", () => {
    expect(parameterValue(parameterOf(OWN, "vector_weight"), 0.601)).toBe("0.601");
  });
  it("say off where the value switches off", () => {
    expect(parameterValue(parameterOf(OWN, "budget_tokens"), 0)).toBe("off");
    expect(parameterValue(parameterOf(OWN, "repeat_share"), 1)).toBe("off");
    expect(parameterValue(parameterOf(OWN, "rerank_threshold"), null)).toBe("off");
    expect(parameterValue(parameterOf(OWN, "min_score"), 0)).toBe("0.00");
  });
});

describe("changes of parameters", () => {
  it.each([
    ["max_results", 10, 14, "+4"],
    ["min_score", 0.1, 0.07, "−0.03"],
    ["min_score", 0.1, 0.3, "+0.20"],
    ["vector_depth", 50, 1, "−49"],
  ] as const)("%s from %d to %d is %s", (id, from, to, expected) =>
    expect(parameterChange(parameterOf(OWN, id), from, to)).toBe(expected),
  );

  it("are no distance where something is switched or chosen", () => {
    expect(parameterChange(parameterOf(OWN, "budget_tokens"), 600, 0)).toBe("");
    expect(parameterChange(parameterOf(OWN, "budget_tokens"), 0, 600)).toBe("");
    expect(parameterChange(parameterOf(OWN, "limit_on"), true, false)).toBe("");
    expect(parameterChange(parameterOf(OWN, "bm25_join"), "and", "or")).toBe("");
  });
});

it.each([
  [1.25, "×1.25"],
  [1.1667, "×1.17"],
  [0.5, "×0.50"],
])("the weight %d is shown as %s", (value, expected) => {
  expect(weight(value)).toBe(expected);
});

it.each([
  [2, "$2.00"],
  [0.1, "$0.10"],
  [0.00123, "$0.0012"],
  [0, "$0.00"],
])("%d US dollars are shown as %s", (value, expected) => {
  expect(dollars(value)).toBe(expected);
});

test.each([
  [0, "0 %"],
  [0.29, "29 %"],
  [0.996, "99 %"],
  [1, "100 %"],
])("a share of %d is %s", (share, expected) => expect(percent(share)).toBe(expected));

test("progress counts the files of its round, which are not all of the library", () => {
  expect(indexedOf({ n_done: 0, n_total: 1 })).toBe("0 of 1 new or changed file indexed so far");
});
