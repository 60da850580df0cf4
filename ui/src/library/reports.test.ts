import { describe, expect, test, vi } from "vitest";
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

describe("reports", () => {
  const event = (path: string): Activity => ({
    at_ms: SAVED_MS,
    folder_name: "memory",
    path,
    what: "changed",
    detail: null,
  });

  test("are read with the newest event first", async () => {
    const reports = new Reports(new LibraryBackend());
    await reports.read();
    const times = reports.activity.map((activity) => activity.at_ms);
    expect(times).toEqual([...times].sort((a, b) => b - a));
    expect(reports.problems[0]?.severity).toBe("error");
  });

  test("take an event once, however many follow, until none does", () => {
    const backend = new LibraryBackend();
    const reports = new Reports(backend);
    const stops = [reports.follow(), reports.follow()];
    backend.happen(event("one.md"));
    expect(reports.activity.map(({ path }) => path)).toEqual(["one.md"]);
    stops[0]?.();
    backend.happen(event("two.md"));
    expect(reports.activity).toHaveLength(2);
    stops[1]?.();
    backend.happen(event("three.md"));
    expect(reports.activity).toHaveLength(2);
  });

  test("keep the newest events of a burst", () => {
    const backend = new LibraryBackend();
    const reports = new Reports(backend);
    reports.follow();
    for (let at = 0; at < 2_000; at += 1) backend.happen(event(`${at}.md`));
    expect(reports.activity).toHaveLength(500);
    expect(reports.activity[0]?.path).toBe("1999.md");
  });

  test("that cannot be read say why until they can", async () => {
    const backend = new LibraryBackend();
    const reports = new Reports(backend);
    backend.failing.problems = { code: "store", message: "locked" };
    await reports.read();
    expect(reports.error?.message).toBe("locked");
    backend.failing = {};
    await reports.read();
    expect(reports.error).toBeNull();
  });

  test("read last win", async () => {
    const backend = new LibraryBackend();
    const reports = new Reports(backend);
    let answer: (problems: FileProblem[]) => void = () => {};
    vi.spyOn(backend, "problems").mockReturnValueOnce(new Promise((resolve) => (answer = resolve)));
    const first = reports.read();
    await reports.read();
    const n_problems = reports.problems.length;
    answer([]);
    await first;
    expect(reports.problems).toHaveLength(n_problems);
  });
});
