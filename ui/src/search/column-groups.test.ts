// A stage behind fusion has a column while it does something, and the reranker while it is asked.
import { expect, test } from "vitest";
import { CLERK, rankClerk } from "../../tests/fake/agent-pipeline";
import { makeChunks } from "../../tests/fake/notes";
import { cellsOf, rank, retrieve } from "../../tests/fake/ranking";
import { DEFAULTS } from "../api/parameters";
import { columnGroups, layoutOf, TABLE_ENDS, type ColumnGroup } from "./column-groups";

const SET = retrieve("the internet is down at home", makeChunks(40), DEFAULTS);
const LISTS = ["vector", "bm25", "rrf", "fusion"];
const BEHIND = ["rerank", "corroboration", "feedback", "decay", "diversity"] as const;
const keys = (columns: ReturnType<typeof rank>) => columnGroups(columns).map(({ key }) => key);

const withCells = (key: string) => {
  const columns = rank(SET, DEFAULTS);
  return { ...columns, cells: [...columns.cells, cellsOf(key, {})] };
};

test("the lists alone while every stage behind them is off", () => {
  expect(keys(rank(SET, DEFAULTS))).toEqual(LISTS);
});

test.each(BEHIND)("%s while it has cells", (stage) => {
  expect(keys(withCells(stage))).toEqual([...LISTS, stage]);
});

test("the reranker also before the first score, named by its scale once it has one", () => {
  const waiting = rank(SET, { ...DEFAULTS, rerank: "late" });
  expect(keys(waiting)).toEqual([...LISTS, "rerank"]);
  expect(columnGroups({ ...waiting, rerank_scale: null }).at(-1)?.below).toBe("rank · score");
  expect(columnGroups({ ...waiting, rerank_scale: "logit" }).at(-1)?.below).toBe("rank · logit");
});

const GROUPS = new Map(
  BEHIND.flatMap((key) => columnGroups(withCells(key)).map((group) => [group.key, group] as const)),
);

function groupOf(key: string): ColumnGroup {
  const group = GROUPS.get(key);
  if (group === undefined) throw new Error(`no column ${key}`);
  return group;
}

/** What columns need at least, in rem. */
function neededBy({ columns, gap }: ReturnType<typeof layoutOf>): number {
  const widths = [...columns.matchAll(/(?:minmax\()?([\d.]+)rem/g)].map(([, width]) => Number(width));
  const sum = widths.reduce((a, b) => a + b, 0);
  return sum + Number.parseFloat(gap) * (widths.length - 1) + TABLE_ENDS[0] + TABLE_ENDS[1];
}

test("the final score is in sight beside every set of columns, from the narrowest table that a window has", () => {
  const lists = LISTS.map(groupOf);
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
  const all = [...LISTS, ...BEHIND].map(groupOf);
  const left = (width: number) =>
    all.filter((one) => !layoutOf(all, width).groups.includes(one)).map(({ key }) => key);
  expect(left(60)).toEqual([]);
  // 1201 pixels leave 42 rem.
  expect(left(42)).toEqual(["rrf", "decay", "diversity"]);
  expect(left(36)).toEqual(["rrf", "fusion", "feedback", "decay", "diversity"]);
});

const CLERK_RANKING = { pipeline: CLERK.id, values: {} };

test("an agent's: one per list, one per stage that changed a score or a place, and none of ours", () => {
  const groups = columnGroups(rankClerk(SET, CLERK_RANKING));
  expect(groups.map(({ key, label, hue }) => [key, label, hue])).toEqual([
    ["clerk.near", "Meaning", "cut"],
    ["clerk.words", "Words", "cut"],
    ["clerk.mix", "Mix", "cut"],
    ["clerk.age", "Age", "cut"],
  ]);
  const spread = rankClerk(SET, { ...CLERK_RANKING, values: { "clerk.spread_on": true } });
  expect(columnGroups(spread).map(({ key }) => key)).toContain("clerk.spread");
});

test("the final score is in sight beside an agent's columns too, were every stage to have one", () => {
  const { stages } = CLERK;
  const all = stages.map(({ id, label }, at): ColumnGroup => ({
    ...{ key: id, stage: id, hue: "cut", label, name: label, below: "", sorted: "ascending", weight: -at },
    cell:
      at < 3
        ? { kind: "ranked", unit: label, decimals: 3, full: "best_above_one", of_row: null }
        : { kind: "changed" },
  }));
  expect(neededBy(layoutOf(all, 42))).toBeLessThanOrEqual(42);
});
