import { expect, test, vi } from "vitest";
import type { PastRow } from "../api/bindings";
import { dayLabel, dayLines } from "./day-lines";

const NOW = new Date(2026, 10, 22, 10, 0).getTime();
const at = (day: number, hours: number) => new Date(2026, 10, day, hours).getTime();

const row = (id: string, atMs: number | null, fates: PastRow["fates"] = null): PastRow => ({
  ...{ id, agent: "clerk", agent_name: "Clerk", session: "", question: id, opened: [], cited: [] },
  ...{ at_ms: atMs, n_returned: 1, fates },
});

test("days are named as a person names them", () => {
  expect(dayLabel(at(22, 0), NOW)).toBe("Today");
  expect(dayLabel(at(21, 23), NOW)).toBe("Yesterday");
  expect(dayLabel(at(20, 12), NOW)).toBe("Friday 20 November");
  expect(dayLabel(new Date(2025, 10, 20).getTime(), NOW)).toBe("Thursday 20 November 2025");
  expect(dayLabel(at(23, 9), NOW)).toBe("Monday 23 November");
  expect(dayLabel(null, NOW)).toBe("No date");
});

test("the day after a night of 25 hours was yesterday", () => {
  vi.stubEnv("TZ", "Europe/Berlin");
  const [before, after] = [new Date(2026, 9, 25, 12).getTime(), new Date(2026, 9, 26, 9).getTime()];
  expect(new Date(after).setHours(0, 0, 0, 0) - new Date(before).setHours(0, 0, 0, 0)).toBe(25 * 3_600_000);
  expect(dayLabel(before, after)).toBe("Yesterday");
  vi.unstubAllEnvs();
});

test("each day has a line with its questions and how many changed, once they were replayed", () => {
  const lines = dayLines(
    [row("a", at(22, 9), ["kept"]), row("b", at(22, 8), ["gone"]), row("c", at(21, 8)), row("d", null)],
    NOW,
  );
  expect(lines.map((line) => (line.kind === "day" ? line.label : line.row.id))).toEqual([
    ...["Today", "a", "b"],
    ...["Yesterday", "c"],
    ...["No date", "d"],
  ]);
  expect(lines[0]).toEqual({ kind: "day", label: "Today", nQuestions: 2, nChanged: 1 });
  expect(lines[3]).toEqual({ kind: "day", label: "Yesterday", nQuestions: 1, nChanged: null });
});

test("a hundred thousand questions are put under their days within a moment", () => {
  const rows = Array.from({ length: 100_000 }, (_, n) => row(String(n), NOW - n * 600_000));
  const start = performance.now();
  const lines = dayLines(rows, NOW);
  expect(performance.now() - start).toBeLessThan(3_000);
  expect(lines.length).toBeGreaterThan(100_600);
});
