// A stage behind fusion has a column while it does something, and the reranker while it is asked.
import { expect, test } from "vitest";
import { makeChunks } from "../../../tests/fake/notes";
import { rank, retrieve } from "../../../tests/fake/ranking";
import type { Status } from "../../api/bindings";
import { DEFAULTS } from "../../api/parameters";
import { columnGroups } from "./column-groups";

const SET = retrieve("the internet is down at home", makeChunks(40), DEFAULTS);
const LISTS = ["vector", "bm25", "rrf", "fusion"];
const keys = (columns: ReturnType<typeof rank>) => columnGroups(columns).map(({ key }) => key);

function withStatus(stage: string, status: Status) {
  const columns = rank(SET, DEFAULTS);
  return { ...columns, stages: columns.stages.map((one) => (one.id === stage ? { ...one, status } : one)) };
}

test("the lists alone while every stage behind them is off", () => {
  expect(keys(rank(SET, DEFAULTS))).toEqual(LISTS);
});

test.each(["corroboration", "feedback"])("%s while it is applied", (stage) => {
  expect(keys(withStatus(stage, { kind: "applied" }))).toEqual([...LISTS, stage]);
});

test("the reranker also before the first score, named by its scale once it has one", () => {
  const params = { ...DEFAULTS, rerank: "late" as const };
  const waiting = {
    ...rank(SET, params),
    ...withStatus("rerank", { kind: "skipped", why: "20 of 20 scores pending" }),
    rerank_state: rank(SET, params).rerank_state,
  };
  expect(keys(waiting)).toEqual([...LISTS, "rerank"]);
  expect(columnGroups({ ...waiting, rerank_scale: null }).at(-1)?.below).toBe("rank · score");
  expect(columnGroups({ ...waiting, rerank_scale: "logit" }).at(-1)?.below).toBe("rank · logit");
});
