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

test("of 50,000 problems every one is listed at last, 500 more each time, in their order", () => {
  const listing = new ProblemListing(() => ALL);
  expect([listing.listed.length, listing.nNext]).toEqual([500, 500]);
  let n = 1;
  for (; listing.nNext > 0; n += 1) listing.more();
  expect([n, listing.nNext]).toEqual([N / 500, 0]);
  expect(listing.listed).toEqual(ALL);
  listing.fewer();
  expect(listing.listed).toHaveLength(500);
});

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
  expect(listing.found.map(({ path }) => path)).toEqual(paths);
});

test("among thousands the words are looked for once the typing rests, and other words list few again", () => {
  const listing = new ProblemListing(() => ALL);
  listing.more();
  for (const text of ["y", "ya", "yaml"]) listing.find(text);
  expect([listing.text, listing.found.length, listing.listed.length]).toEqual(["yaml", N, 1_000]);
  vi.runAllTimers();
  expect([listing.found.length, listing.listed.length]).toEqual([0.8 * N, 500]);
  listing.find("");
  expect(listing.found).toHaveLength(N);
});

test("a find box is wanted where not all are listed, or words leave some out", () => {
  let problems = ALL.slice(0, 500);
  const listing = new ProblemListing(() => problems);
  expect(listing.isLong).toBe(false);
  problems = ALL;
  expect(listing.isLong).toBe(true);
  listing.find("yaml");
  problems = ALL.slice(0, 3);
  expect(listing.isLong).toBe(true);
});
