import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { FileProblem } from "../api/bindings";
import { ProblemListing } from "./problem-listing.svelte";

const N = 50_000;
const ALL = Array.from({ length: N }, (_, at): FileProblem => ({
  folder: "f",
  folder_name: at % 2 === 0 ? "Memory" : "logs",
  path: `year/note-${at}.md`,
  line: at,
  message: at % 5 === 0 ? "not UTF-8" : "not valid YAML",
  severity: "note",
}));

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test.each([
  ["note-49999", ["year/note-49999.md"]],
  ["  NOTE-4321 ", ["year/note-4321.md", ...[..."0123456789"].map((digit) => `year/note-4321${digit}.md`)]],
  ["utf-8 note-1234 memory", ["year/note-12340.md"]],
  ["utf-8 note-1234 logs", ["year/note-12345.md"]],
  ["no such words", []],
])("“%s” finds the problems with all its words in them", (text, paths) => {
  const listing = new ProblemListing(() => ALL);
  listing.find(text);
  vi.runAllTimers();
  expect(listing.found.map(({ problem }) => problem.path)).toEqual(paths);
});

test("among thousands the words are looked for once the typing rests", () => {
  const listing = new ProblemListing(() => ALL);
  for (const text of ["y", "ya", "yaml"]) listing.find(text);
  expect([listing.text, listing.sought, listing.found.length]).toEqual(["yaml", "", N]);
  vi.runAllTimers();
  expect([listing.sought, listing.found.length]).toEqual(["yaml", 0.8 * N]);
  listing.find("");
  expect(listing.found).toHaveLength(N);
});

test("each problem has its own key, which it keeps when words leave others out", () => {
  const [one, two] = [ALL[0], ALL[1]] as [FileProblem, FileProblem];
  const listing = new ProblemListing(() => [one, two, one, { ...one }]);
  const keys = listing.found.map(({ key }) => key);
  expect(new Set(keys).size).toBe(4);
  listing.find("utf-8");
  expect(listing.found.map(({ key }) => key)).toEqual([keys[0], keys[2], keys[3]]);
});

test("a find box is wanted where more are listed than are in sight, or words leave some out", () => {
  let problems = ALL.slice(0, 10);
  const listing = new ProblemListing(() => problems);
  expect(listing.isLong).toBe(false);
  problems = ALL.slice(0, 11);
  expect(listing.isLong).toBe(true);
  listing.find("yaml");
  problems = ALL.slice(0, 3);
  expect(listing.isLong).toBe(true);
});
