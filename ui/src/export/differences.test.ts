import { describe, expect, test } from "vitest";
import type { Params } from "../api/bindings";
import { DEFAULTS, PARAMETERS, STAGES } from "../api/parameters";
import { defaults, differences, remarks } from "./differences";
import { jsonLines } from "./json-lines";

function changed(change: Partial<Params>) {
  return differences(DEFAULTS, { ...DEFAULTS, ...change }, PARAMETERS, STAGES);
}

test("the defaults are the table's", () => expect(defaults(PARAMETERS)).toEqual(DEFAULTS));

describe("differences", () => {
  test("of equal settings are none", () => expect(changed({})).toEqual([]));

  test("stand in pipeline order, with their stage and both values", () => {
    const found = changed({ budget_tokens: 4_000, fusion: "rrf", bm25_join: "and" });
    expect(found.map(({ parameter, stage, from, to }) => [parameter.id, stage?.id, from, to])).toEqual([
      ["bm25_join", "bm25", "or", "and"],
      ["fusion", "fusion", "calibrated", "rrf"],
      ["budget_tokens", "budget", 0, 4_000],
    ]);
  });

  test("distinguish an unset value from 0", () => {
    expect(changed({ rerank_threshold: 0 })).toHaveLength(DEFAULTS.rerank_threshold === 0 ? 0 : 1);
    expect(changed({ min_score_of_best: 0 })).toEqual([]);
  });
});

describe("remarks", () => {
  test("on live values are none", () => expect(remarks(changed({ min_score: 0.3 }))).toEqual([]));

  test("name what needs a new index", () => {
    const said = remarks(changed({ chunk_chars: 2_000, window_chars: 300, half_life_days: 30 }));
    expect(said).toHaveLength(1);
    expect(said[0]).toMatch(/^chunk_chars, window_chars: .*re-index/);
  });
});

test.each([
  ["", [[1, "", null]]],
  [
    '{\n  "k": 1\n}\n',
    [
      [1, "{", null],
      [2, '  "k": 1', "k"],
      [3, "}", null],
    ],
  ],
  [
    '{"a":1,\r\n"b": {',
    [
      [1, '{"a":1,', null],
      [2, '"b": {', "b"],
    ],
  ],
])("the lines of %j", (text, expected) => {
  expect(jsonLines(text).map(({ no, text: line, key }) => [no, line, key])).toEqual(expected);
});
