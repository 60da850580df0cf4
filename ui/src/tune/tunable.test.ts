// What auto-tune offers is what the engine takes: nothing that is switched off or not read, and no cut unless it is ticked.
import { expect, test } from "vitest";
import { DEFAULTS } from "../api/parameters";
import { OWN, type Values } from "../parameters/pipeline";
import { tunable, usuallyTuned } from "./tunable";

const ids = (values: Values) => tunable(OWN, values).map(({ id }) => id);

test("what is not read or switched off is not offered", () => {
  expect(ids(DEFAULTS)).toContain("vector_weight");
  expect(ids(DEFAULTS)).toContain("min_score");
  for (const id of [
    "fusion_k",
    "corroboration_gain",
    "rerank_share",
    "rerank_threshold",
    "vector_on",
    "rerank",
  ])
    expect(ids(DEFAULTS)).not.toContain(id);
  expect(ids({ ...DEFAULTS, fusion: "rrf" })).toContain("fusion_k");
  expect(ids({ ...DEFAULTS, repeats_on: false })).not.toContain("repeat_share");
});

test("no cut is tried unless it is ticked, and nothing before a reranker", () => {
  expect(usuallyTuned(OWN, DEFAULTS)).toContain("text_weight");
  for (const id of ["min_score", "max_results", "budget_tokens"])
    expect(usuallyTuned(OWN, DEFAULTS)).not.toContain(id);
  const reranked = usuallyTuned(OWN, { ...DEFAULTS, rerank: "late" });
  expect(reranked).toContain("rerank_share");
  expect(reranked).not.toContain("text_weight");
});
