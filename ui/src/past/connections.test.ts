import { expect, test } from "vitest";
import { PastMemory } from "../../tests/fake/past";
import { connectionsOf, ROW_PX } from "./connections";

test("a line leads from each result of then to its place now, and a stub to each new one", () => {
  const answer = new PastMemory("replayed", null).thenNow("p7", null);
  const lines = connectionsOf(answer);
  expect(lines.map(({ fate }) => fate)).toEqual(["fell", "rose", "kept", "gone", "gone", "rose", "new"]);
  expect(lines[0]).toEqual({ fate: "fell", from: ROW_PX / 2, to: 1.5 * ROW_PX, then: 0, now: 1 });
  for (const { then, now, fate } of lines) {
    if (then !== null) expect(answer.now[now]?.path).toBe(answer.then[then]?.path);
    else expect(fate).toBe("new");
  }
});
