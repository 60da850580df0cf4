// Texts about caps: what is left out, of what, and by which source.
import { describe, expect, test } from "vitest";
import { AGENTS, pastCap as past } from "../../tests/fake/agents";
import type { LoadedFile, UnloadedLines } from "../api/bindings";
import {
  againSaid,
  cutOf,
  isLeftOut,
  isUnseen,
  leftOut,
  leftOutShort,
  lineExplained,
  lineSaid,
  loadOf,
  remarkExplained,
  remarkSaid,
  remarksOf,
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

const inPart = (line: number): UnloadedLines => ({ ...past(line, line), loaded: [[1, 4]] });
const removed = (first: number, last: number): UnloadedLines => ({
  ...past(first, last),
  why: "removed",
});

describe("the limit that cuts", () => {
  test("is the one that leaves out most", () => {
    const bytes: LoadedFile = { ...LINES, unit: "bytes", cut_at_line: 120 };
    expect(tightest([LINES, bytes])).toBe(bytes);
    expect(tightest([bytes, LINES])).toBe(bytes);
    expect(tightest([of("memory/MEMORY.md", "characters")])).toBeNull();
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
  [LINES, "212 lines", "Not loaded by Claude Code from here on: 212 of 412 lines"],
  [
    { ...LINES, cut_at_line: 412, left_out: 1, unloaded: [past(412, 412)] },
    "1 line",
    "Not loaded by Claude Code from here on: 1 of 412 lines",
  ],
  [
    {
      ...LINES,
      unit: "characters",
      used: 900,
      cut_at_line: 9,
      left_out: 80,
      unloaded: [inPart(9), past(10, 12)],
    },
    "80 characters",
    "Not loaded by Claude Code from within line 9 on: 80 of 900 characters",
  ],
  [MIDDLE, "720 characters", "Not loaded by OpenClaw from here to line 89: 720 of 4,610 characters"],
  [
    { ...MIDDLE, unloaded: [inPart(70), past(71, 88), inPart(89)] },
    "720 characters",
    "Not loaded by OpenClaw from within line 70 to within line 89: 720 of 4,610 characters",
  ],
  [
    { ...MIDDLE, unit: "bytes", left_out: 4_250, used: 14_250 },
    "4.3 kB",
    "Not loaded by OpenClaw from here to line 89: 4.3 kB of 14 kB",
  ],
])("what is left out: %#", (file, short, said) => {
  expect(leftOut(file)).toBe(short);
  expect(lineSaid(file)).toBe(said);
});

test.each([
  [LINES, "It loads 200 lines when a session begins. It sees the rest only if it opens the file itself."],
  [
    MIDDLE,
    "It loads 4,000 characters when a session begins, from the beginning and from the end. It sees the rest only if it opens the file itself.",
  ],
  [
    { ...MIDDLE, digest: [[71, 71]] as [number, number][], is_by_total: true },
    "It loads 4,000 characters when a session begins, which is what the files before it leave of the total, from the beginning and from the end. It sees the rest only if it opens the file itself. It loads some lines of the rest as a digest.",
  ],
  [
    { ...LINES, entries: [2, 14] as [number, number] },
    "It loads 200 lines when a session begins. It sees the rest only if it opens the file itself. 2 of 14 entries begin there.",
  ],
])("the cap in words: %#", (file, said) => {
  expect(lineExplained(file)).toBe(said);
});

test("lines of the middle are not loaded, those of the digest and in part are", () => {
  const file = { ...MIDDLE, unloaded: [inPart(70), past(71, 74), past(77, 88), inPart(89)] };
  const unseen = [69, 70, 71, 74, 75, 76, 77, 88, 89, 90].filter((line) => isUnseen(file, line));
  expect(unseen).toEqual([71, 74, 77, 88]);
  expect([isUnseen(LINES, 200), isUnseen(LINES, 201), isUnseen(LINES, 412)]).toEqual([false, true, true]);
  expect(isUnseen(null, 1)).toBe(false);
  expect(againSaid(MIDDLE)).toBe("Loaded again by OpenClaw from here on");
  expect(againSaid(file)).toBe("Loaded again by OpenClaw from within the line above");
});

test("what an agent removes is not loaded, and is no cut", () => {
  const comment: UnloadedLines = { ...removed(9, 9), loaded: [[12, 20]] };
  const file: LoadedFile = {
    ...of("memory/MEMORY.md", "characters"),
    folder: "notes",
    note: "MEMORY.md",
    unloaded: [removed(1, 3), comment],
  };
  expect(cutOf([file], "notes", "MEMORY.md")).toBeNull();
  expect(loadOf([file], "notes", "MEMORY.md")).toBe(file);
  expect(loadOf([{ ...file, unloaded: [] }], "notes", "MEMORY.md")).toBeNull();
  const remarks = remarksOf([file], "notes", "MEMORY.md");
  expect(remarks.map(remarkSaid)).toEqual([
    "Removed by Claude Code: it does not load lines 1 to 3",
    "Removed by Claude Code: it does not load the comment in line 9",
  ]);
  expect([1, 3, 4, 9].filter((line) => isLeftOut(remarks, line))).toEqual([1, 3]);
  expect([1, 3, 4, 9].filter((line) => isUnseen(file, line))).toEqual([1, 3]);
  expect(remarks.map(remarkExplained)[0]).toBe(
    "The agent removes front matter and comments before it loads the file. Checked with 2.1.332: seen in the published program.",
  );
});

test("what is not loaded is in the cap's own unit", () => {
  expect(leftOutShort(LINES)).toBe("212");
  // The mark in the middle takes room of the cap, so more is left out than is past it.
  expect(leftOutShort(MIDDLE)).toBe("720");
  expect(leftOutShort({ ...LINES, unit: "bytes", left_out: 4_250 })).toBe("4.3 KB");
  expect(leftOutShort({ ...MIDDLE, cut: "files", used: 60_700, cap: 60_000, left_out: 0 })).toBe("700");
});

test("the version that was checked", () => {
  expect(sourceSaid(LINES)).toBe("Checked with 2.1.332: seen in the published program.");
  expect(sourceSaid(MIDDLE)).toBe("Checked with 2026.9.6: its published package.");
});

test.each([
  [LINES, "412", "200 lines"],
  [of("memory_summary.md", "bytes"), "9.3", "10 KB"],
  [{ ...LINES, unit: "characters", used: 5120, cap: null }, "5,120", "characters, whole"],
])("used and cap: %#", (file, used, cap) => {
  expect(usedOfCap(file)).toEqual({ used, cap });
});
