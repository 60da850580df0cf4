// A stage behind fusion has a column while it does something, and the reranker while it is asked.
import { expect, test } from "vitest";
import { CLERK, rankClerk } from "../../tests/fake/agent-pipeline";
import { makeChunks } from "../../tests/fake/notes";
import { rank, retrieve } from "../../tests/fake/ranking";
import type { Status } from "../api/bindings";
import { DEFAULTS } from "../api/parameters";
import { columnGroups, layoutOf, TABLE_ENDS, type ColumnGroup } from "./column-groups";

const SET = retrieve("the internet is down at home", makeChunks(40), DEFAULTS);
const LISTS = ["vector", "bm25", "rrf", "fusion"];
const keys = (columns: ReturnType<typeof rank>) => columnGroups(columns, false).map(({ key }) => key);

function withStatus(stage: string, status: Status) {
  const columns = rank(SET, DEFAULTS);
  return { ...columns, stages: columns.stages.map((one) => (one.id === stage ? { ...one, status } : one)) };
}

test("the lists alone while every stage behind them is off", () => {
  expect(keys(rank(SET, DEFAULTS))).toEqual(LISTS);
});

test.each(["corroboration", "feedback", "decay", "diversity"])("%s while it is applied", (stage) => {
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
  expect(columnGroups({ ...waiting, rerank_scale: null }, false).at(-1)?.below).toBe("rank · score");
  expect(columnGroups({ ...waiting, rerank_scale: "logit" }, false).at(-1)?.below).toBe("rank · logit");
});

const SIZES: Partial<Record<string, ColumnGroup["size"]>> = {
  ...{ fusion: "fused", rerank: "rerank", corroboration: "corroboration", feedback: "weight" },
  ...{ decay: "weight", diversity: "place" },
};

function groupOf(key: string): ColumnGroup {
  return {
    ...{ key, label: key, name: key, below: "", hue: key, sorted: "ascending" },
    stage: key === "rrf" ? "fusion" : key,
    size: SIZES[key] ?? "list",
  };
}

/** What columns need at least, in rem. */
function neededBy({ columns, gap }: ReturnType<typeof layoutOf>): number {
  const widths = [...columns.matchAll(/(?:minmax\()?([\d.]+)rem/g)].map(([, width]) => Number(width));
  const sum = widths.reduce((a, b) => a + b, 0);
  return sum + Number.parseFloat(gap) * (widths.length - 1) + TABLE_ENDS[0] + TABLE_ENDS[1];
}

test("the final score is in sight beside every set of columns, from the narrowest table that a window has", () => {
  const lists = LISTS.map(groupOf);
  const BEHIND = ["rerank", "corroboration", "feedback", "decay", "diversity"] as const;
  for (let set = 0; set < 1 << BEHIND.length; set += 1) {
    const behind = BEHIND.filter((_, at) => (set >> at) & 1);
    const wished = [...lists, ...behind.map(groupOf)];
    // The narrowest table beside a rail and a journey that were dragged wide.
    for (let width = 22; width < 120; width += 0.5) {
      const layout = layoutOf(wished, width);
      expect(neededBy(layout)).toBeLessThanOrEqual(width);
      expect(layout.columns.split(/ (?![^(]*\))/)).toHaveLength(layout.groups.length + 4);
      // What is left keeps its order.
      expect(wished.filter((one) => layout.groups.includes(one))).toEqual(layout.groups);
    }
  }
  expect(layoutOf(lists, 50).isNarrow).toBe(false);
  expect(layoutOf([...lists, groupOf("rerank")], 43).isNarrow).toBe(true);
});

test("what has no room goes in turn: RRF first, the lists and the reranker last", () => {
  const all = [...LISTS, "rerank", "corroboration", "feedback", "decay", "diversity"].map(groupOf);
  const left = (width: number) =>
    all.filter((one) => !layoutOf(all, width).groups.includes(one)).map(({ key }) => key);
  expect(left(60)).toEqual([]);
  // 1201 pixels leave 42 rem.
  expect(left(42)).toEqual(["rrf", "decay", "diversity"]);
  expect(left(36)).toEqual(["rrf", "fusion", "feedback", "decay", "diversity"]);
});

const CLERK_RANKING = { pipeline: CLERK.id, values: {} };

test("an agent's: one per list, one per stage that changed a score or a place, and none of ours", () => {
  const groups = columnGroups(rankClerk(SET, CLERK_RANKING), true);
  expect(groups.map(({ key, label, hue }) => [key, label, hue])).toEqual([
    ["clerk.near", "Meaning", "cut"],
    ["clerk.words", "Words", "cut"],
    ["clerk.mix", "Mix", "cut"],
    ["clerk.age", "Age", "cut"],
  ]);
  const spread = rankClerk(SET, { ...CLERK_RANKING, values: { "clerk.spread_on": true } });
  expect(columnGroups(spread, true).map(({ key }) => key)).toContain("clerk.spread");
});

test("the final score is in sight beside an agent's columns too, were every stage to have one", () => {
  const { stages } = CLERK;
  const all = stages.map(({ id, label }, at): ColumnGroup => ({
    ...{ key: id, stage: id, hue: "cut", label, name: label, below: "", sorted: "ascending" },
    size: at < 3 ? "list" : "fused",
  }));
  expect(neededBy(layoutOf(all, 42))).toBeLessThanOrEqual(42);
});
