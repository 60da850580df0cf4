import { expect, test, vi } from "vitest";
import { dayLabel, DayLines } from "./day-lines";

const NOW = new Date(2026, 10, 22, 10, 0).getTime();
const at = (day: number, hours: number) => new Date(2026, 10, day, hours).getTime();

test("days are named as the user names them", () => {
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

const dayOf = (n: number, atMs: number | null = null) => ({
  at_ms: atMs,
  n_questions: n,
  n_openings: 0,
  n_compared: 0,
  n_changed: null,
});

test("each day has a line above its questions, and each question its place among all", () => {
  const days = [dayOf(2, 9), dayOf(1, 5), dayOf(3)];
  const lines = new DayLines(days);
  expect(lines.n).toBe(9);
  const shown = Array.from({ length: lines.n }, (_, index) => lines.lineAt(index));
  expect(shown.map((line) => (line?.kind === "day" ? line.day : line?.at))).toEqual([
    ...[days[0], 0, 1],
    ...[days[1], 2],
    ...[days[2], 3, 4, 5],
  ]);
  expect([0, 1, 2, 3, 4, 5].map((at) => lines.lineOf(at))).toEqual([1, 2, 4, 6, 7, 8]);
  expect(lines.lineAt(9)).toBeNull();
});

test("openings have lines of their own among the questions of a day", () => {
  const lines = new DayLines([{ ...dayOf(2, 9), n_openings: 3 }, dayOf(1, 5)]);
  expect(lines.n).toBe(8);
  expect(lines.lineAt(5)).toEqual({ kind: "question", at: 4 });
  expect(lines.lineOf(5)).toBe(7);
});

test("without a question there is no line", () => {
  const lines = new DayLines([]);
  expect(lines.n).toBe(0);
  expect(lines.lineAt(0)).toBeNull();
});

test("a hundred thousand questions are found by their lines within a moment", () => {
  const lines = new DayLines(Array.from({ length: 700 }, (_, n) => dayOf(100 + (n % 87))));
  const start = performance.now();
  for (let index = 0; index < lines.n; index++) {
    const line = lines.lineAt(index);
    if (line?.kind === "question" && lines.lineOf(line.at) !== index) throw new Error(`line ${index}`);
  }
  expect(performance.now() - start).toBeLessThan(3_000);
});
