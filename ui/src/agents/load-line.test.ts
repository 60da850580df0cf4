// Words about caps: what is left out, of what, and who says so.
import { describe, expect, test } from "vitest";
import { AGENTS } from "../../tests/fake/agents";
import type { LoadedFile } from "../api/bindings";
import {
  cutOf,
  leftOut,
  lineExplained,
  lineSaid,
  pastCap,
  sourceSaid,
  tightest,
  usedOfCap,
} from "./load-line";

const all = AGENTS.flatMap((agent) => agent.loaded);
const of = (name: string, unit: string): LoadedFile => {
  const found = all.find((file) => file.path.endsWith(name) && file.unit === unit);
  if (found === undefined) throw new Error(`${name} has no cap in ${unit}`);
  return found;
};
const LINES = of("memory/MEMORY.md", "lines");
const MIDDLE = of("USER.md", "characters");

describe("the limit that cuts", () => {
  test("is the one that leaves out most", () => {
    const bytes: LoadedFile = { ...LINES, unit: "bytes", cut_at_line: 120 };
    expect(tightest([LINES, bytes])).toBe(bytes);
    expect(tightest([bytes, LINES])).toBe(bytes);
    expect(tightest([of("memory/MEMORY.md", "bytes")])).toBeNull();
    expect(tightest([])).toBeNull();
  });

  test("is looked up by note", () => {
    const file = { ...LINES, folder: "notes", note: "MEMORY.md" };
    expect(cutOf([file], "notes", "MEMORY.md")).toBe(file);
    expect(cutOf([file], "other", "MEMORY.md")).toBeNull();
    expect(cutOf([file], "notes", "inner/MEMORY.md")).toBeNull();
  });
});

test.each([
  [LINES, "212 lines", "From here on Claude Code does not see this: 212 of 412 lines"],
  [{ ...LINES, cut_at_line: 412 }, "1 line", "From here on Claude Code does not see this: 1 of 412 lines"],
  [MIDDLE, "610 characters", "OpenClaw does not see the middle of this: 610 of 4,610 characters"],
])("what is left out: %#", (file, short, said) => {
  expect(leftOut(file)).toBe(short);
  expect(lineSaid(file)).toBe(said);
});

test.each([
  [LINES, "It loads 200 lines when a session begins and sees the rest only if it opens the file itself."],
  [MIDDLE, "It loads 4,000 characters when a session begins; which lines are cut is not known."],
  [
    { ...LINES, unit: "characters", cap: 1375, entries: [2, 14] as [number, number] },
    "It loads 1,375 characters when a session begins and sees the rest only if it opens the file itself. 2 of 14 entries begin past that.",
  ],
  [
    { ...of("memory_summary.md", "tokens"), cut_at_line: 9 },
    "It loads about 2,500 tokens when a session begins and sees the rest only if it opens the file itself.",
  ],
])("the cap in words: %#", (file, said) => {
  expect(lineExplained(file)).toBe(said);
});

test("what is past a cap stands in the cap's own unit", () => {
  expect(pastCap(LINES)).toBe("212");
  expect(pastCap(MIDDLE)).toBe("610");
  expect(pastCap({ ...of("memory/MEMORY.md", "bytes"), used: 29_250 })).toBe("4.3 KB");
});

test("who says so", () => {
  expect(sourceSaid(LINES)).toBe("Reported by its users, not documented.");
  expect(sourceSaid(MIDDLE)).toBe("From 2026.9.6: its published package.");
});

test.each([
  [LINES, "412", "200 lines"],
  [of("memory/MEMORY.md", "bytes"), "19.3", "25 KB"],
  [of("memory_summary.md", "tokens"), "about 1,870", "2,500 tokens"],
])("used and cap: %#", (file, used, cap) => {
  expect(usedOfCap(file)).toEqual({ used, cap });
});
