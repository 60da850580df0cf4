import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { LibraryBackend, SAVED_MS } from "../../tests/fake/library";
import type { Activity, FileProblem } from "../api/bindings";
import { inOrder, numbers } from "./problem-order";
import { Reports } from "./reports.svelte";

test("problems stand errors first, then by folder, path and line, the whole file before its lines", () => {
  const problem = (path: string, line: number | null, severity: FileProblem["severity"]): FileProblem => ({
    folder: "f",
    folder_name: "f",
    path,
    line,
    message: "",
    severity,
  });
  const ordered = inOrder([
    problem("b", 2, "note"),
    problem("b", 10, "error"),
    problem("b", 9, "error"),
    problem("b", null, "error"),
    problem("a", 1, "note"),
    problem("c", 1, "error"),
  ]);
  expect(ordered.map(({ path, line }) => `${path}:${line}`)).toEqual([
    "b:null",
    "b:9",
    "b:10",
    "c:1",
    "a:1",
    "b:2",
  ]);
});

test.each([
  [[], ""],
  [["error"], "1 error"],
  [["note", "note"], "2 notes"],
  [["note", "error", "note"], "1 error, 2 notes"],
] as [FileProblem["severity"][], string][])("problems %j are %j", (severities, expected) => {
  const problems = severities.map((severity) => ({
    folder: "f",
    folder_name: "f",
    path: "p",
    line: null,
    message: "",
    severity,
  }));
  expect(numbers(problems)).toBe(expected);
});

test("problems that cannot be read say why until they can, and stay", async () => {
  const backend = new LibraryBackend();
  const reports = new Reports(backend);
  await reports.readProblems();
  const { problems } = reports;
  expect(problems[0]?.severity).toBe("error");
  backend.failing.problems = { code: "store", message: "locked" };
  await reports.readProblems();
  expect(reports.problemsError?.message).toBe("locked");
  expect(reports.problems).toBe(problems);
  backend.failing = {};
  await reports.readProblems();
  expect(reports.problemsError).toBeNull();
});

test("of the problems, those read last win", async () => {
  const backend = new LibraryBackend();
  const reports = new Reports(backend);
  let answer: (problems: FileProblem[]) => void = () => {};
  vi.spyOn(backend, "problems").mockReturnValueOnce(new Promise((resolve) => (answer = resolve)));
  const first = reports.readProblems();
  await reports.readProblems();
  const n_problems = reports.problems.length;
  answer([]);
  await first;
  expect(reports.problems).toHaveLength(n_problems);
});

describe("activity", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const event = (path: string, at_ms = SAVED_MS): Activity => ({
    at_ms,
    folder_name: "memory",
    path,
    what: "changed",
    detail: null,
  });
  const paths = (reports: Reports) => reports.activity.map(({ path }) => path);
  const read = () => vi.advanceTimersByTimeAsync(0);

  /** Reports of what is held until `answer` is called for that reading. */
  function held() {
    const backend = new LibraryBackend({ activity: [] });
    const readings: ((activity: Activity[]) => void)[] = [];
    vi.spyOn(backend, "activity").mockImplementation(() => new Promise((resolve) => readings.push(resolve)));
    const answer = async (reading: number, activity: Activity[]) => {
      readings[reading]?.(activity);
      await read();
    };
    return { backend, reports: new Reports(backend), answer };
  }

  test("is read with the newest event first", async () => {
    const { reports, answer } = held();
    reports.follow();
    await answer(0, [event("two.md", 2), event("three.md", 3), event("one.md", 1)]);
    expect(paths(reports)).toEqual(["three.md", "two.md", "one.md"]);
  });

  test("takes an event once, however many follow, until none does", () => {
    const { backend, reports } = held();
    const stops = [reports.follow(), reports.follow()];
    backend.happen(event("one.md"));
    expect(paths(reports)).toEqual(["one.md"]);
    stops[0]?.();
    backend.happen(event("two.md"));
    vi.advanceTimersByTime(250);
    expect(paths(reports)).toEqual(["two.md", "one.md"]);
    stops[1]?.();
    backend.happen(event("three.md"));
    vi.advanceTimersByTime(250);
    expect(reports.activity).toHaveLength(2);
  });

  test("lists a burst four times a second, at once after a rest, and keeps its newest events", () => {
    const { backend, reports } = held();
    reports.follow();
    const lists = new Set();
    for (let at = 0; at < 2_000; at += 1) {
      backend.happen(event(`${at}.md`));
      lists.add(reports.activity);
      vi.advanceTimersByTime(1);
    }
    expect(lists.size).toBe(8);
    expect(paths(reports)[0]).toBe("1999.md");
    expect(reports.activity).toHaveLength(500);
    vi.advanceTimersByTime(250);
    reports.follow();
    backend.happen(event("late.md"));
    expect(paths(reports).slice(0, 2)).toEqual(["late.md", "1999.md"]);
    expect(reports.activity).toHaveLength(500);
  });

  test("has what came just before one stopped following, and no timer", () => {
    const { backend, reports } = held();
    const stop = reports.follow();
    for (const path of ["one.md", "two.md"]) backend.happen(event(path));
    expect(paths(reports)).toEqual(["one.md"]);
    stop();
    expect(paths(reports)).toEqual(["two.md", "one.md"]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("keeps what comes while it is read, each event once and as the same object", async () => {
    const { backend, reports, answer } = held();
    reports.follow();
    for (const [path, at_ms] of [
      ["one.md", 1],
      ["two.md", 2],
      ["three.md", 3],
    ] as const)
      backend.happen(event(path, at_ms));
    const [one] = reports.activity;
    await answer(0, [event("two.md", 2), event("one.md", 1), event("old.md", 0)]);
    expect(paths(reports)).toEqual(["three.md", "two.md", "one.md", "old.md"]);
    expect(reports.activity[2]).toBe(one);
    const before = reports.activity;
    reports.follow();
    await answer(
      1,
      before.map((known) => ({ ...known })),
    );
    expect(reports.activity).toEqual(before);
    expect(reports.activity.every((known, at) => known === before[at])).toBe(true);
  });

  test("keeps no event that the engine has forgotten, once it is read again", async () => {
    const { backend, reports, answer } = held();
    reports.follow();
    backend.happen(event("lost.md"));
    reports.follow();
    await answer(1, []);
    expect(paths(reports)).toEqual([]);
  });

  test("lets go of what names past questions when these are forgotten", async () => {
    const { backend, reports, answer } = held();
    const stop = reports.follow();
    const lost: Activity = { ...event("cables.md", 2), what: "lost", detail: "“which cable”" };
    await answer(0, [lost, event("one.md", 1)]);
    backend.happen({ ...lost, path: "ports.md", at_ms: 3 });
    expect(paths(reports)).toEqual(["ports.md", "cables.md", "one.md"]);
    backend.loseAnswers(null);
    await answer(1, [event("one.md", 1)]);
    expect(paths(reports)).toEqual(["one.md"]);
    stop();
    const nRead = vi.mocked(backend.activity).mock.calls.length;
    backend.loseAnswers(null);
    expect(backend.activity).toHaveBeenCalledTimes(nRead);
  });

  test("is what was read last", async () => {
    const { reports, answer } = held();
    reports.follow();
    reports.follow();
    await answer(1, [event("new.md")]);
    await answer(0, [event("old.md")]);
    expect(paths(reports)).toEqual(["new.md"]);
  });

  test("and problems fail apart, and what could not be read stays", async () => {
    const backend = new LibraryBackend();
    const reports = new Reports(backend);
    reports.follow();
    await read();
    const n_events = reports.activity.length;
    backend.failing.activity = { code: "store", message: "locked" };
    reports.follow();
    await reports.readProblems();
    await read();
    expect(reports.activityError?.message).toBe("locked");
    expect(reports.problemsError).toBeNull();
    expect(reports.problems.length).toBeGreaterThan(0);
    expect(reports.activity).toHaveLength(n_events);
    backend.happen(event("one.md", SAVED_MS + 1));
    expect(paths(reports)[0]).toBe("one.md");
    backend.failing = { problems: { code: "store", message: "locked" } };
    reports.follow();
    await reports.readProblems();
    await read();
    expect(reports.activityError).toBeNull();
    expect(reports.problemsError?.message).toBe("locked");
  });
});
