import { expect, test } from "vitest";
import { autopsied } from "../../tests/fake/autopsy";
import { adviceBeside } from "./advice";

const lost = autopsied({ fact: "wait", agent: null, session: null, at_ms: null });

test("a change and a question that have a button are not said again", () => {
  const advice = [
    "Set minScore from 0.35 to 0.31: it comes in at rank 5.",
    "Ask “internet gone, restart the router”: it finds it at rank 1.",
    "Move the line above the cut, or shorten what stands before it.",
  ];
  expect(adviceBeside({ ...lost, advice })).toEqual([advice[2]]);
  expect(adviceBeside({ advice, fix: null, works: null })).toEqual(advice);
});
