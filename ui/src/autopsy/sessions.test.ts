import { expect, test } from "vitest";
import type { PastRow } from "../api/bindings";
import { sessionsOf } from "./sessions";

const row = (agent: string, session: string, atMs: number): PastRow => ({
  ...{ id: `${session}${atMs}`, agent, agent_name: agent.toUpperCase(), session, at_ms: atMs, question: "q" },
  ...{ n_returned: 0, opened: [], cited: [], fates: null },
});

test("each session of an agent is named once, with its last question's time", () => {
  const rows = [row("iris", "b", 9), row("clerk", "a", 8), row("clerk", "", 7), row("clerk", "a", 6)];
  expect(sessionsOf(rows, "clerk")).toEqual([{ session: "a", agentName: "CLERK", atMs: 8 }]);
  expect(sessionsOf(rows, null).map(({ session }) => session)).toEqual(["b", "a"]);
});

test("no more than a hundred are offered", () => {
  const rows = Array.from({ length: 500 }, (_, n) => row("clerk", String(n), 500 - n));
  expect(sessionsOf(rows, null)).toHaveLength(100);
});
