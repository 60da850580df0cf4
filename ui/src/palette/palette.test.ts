// What the palette finds, and that it forgets no key.
import { describe, expect, it } from "vitest";
import { FakeBackend } from "../../tests/fake-backend";
import { PAST_KEY_LIST } from "../past/past-keys";
import { searchActions } from "../search/search-actions";
import { KEY_LIST } from "../search/search-keys";
import { action } from "../shared/action";
import { TABS, viewOfKey } from "../views";
import type { KnownFile } from "../why-not/place";
import { Workspace } from "../workspace.svelte";
import { found, notesFor, type FoundNote, type PaletteItem } from "./palette-items";
import { isPaletteKey, Twice } from "./palette-keys";
import { windowActions } from "./window-actions";

const item = (title: string, keywords: string[] = [], refusal: string | null = null): PaletteItem => ({
  ...action(title, title, () => undefined, { keywords, refusal }),
  detail: null,
  note: null,
});
const noteItem = ({ path }: FoundNote): PaletteItem => item(path);
const FILES: KnownFile[] = ["reference/home-server.md", "daily/theme-park.md", "MEMORY.md"].map((path) => ({
  folder: "notes",
  folderName: "notes",
  path,
}));
const OFFERED = [
  { id: "views" as const, items: [item("Search"), item("Memory"), item("Past questions")] },
  {
    id: "actions" as const,
    items: [
      item("Search again"),
      item("Use the dark theme", ["appearance", "mode"]),
      item("Redo", [], "nothing to redo"),
      item("Reset all parameters"),
      item("Why forgotten…?", ["forget"]),
    ],
  },
];

describe("what is found", () => {
  const CASES: [typed: string, expected: string[]][] = [
    ["dark", ["actions: Use the dark theme"]],
    // Words in another order.
    ["theme dark", ["actions: Use the dark theme"]],
    ["appearance", ["actions: Use the dark theme"]],
    ["homeser", ["notes: reference/home-server.md"]],
    // The group with the best match comes first.
    ["theme-park", ["notes: daily/theme-park.md"]],
    ["memory", ["views: Memory", "notes: MEMORY.md"]],
    ["zzz", []],
  ];
  it.each(CASES)("by “%s”", (typed, expected) => {
    const listed = found(typed, OFFERED, notesFor(typed, FILES), noteItem).flatMap(({ id, items }) =>
      items.map(({ title }) => `${id}: ${title}`),
    );
    expect(listed.slice(0, expected.length)).toEqual(expected);
    if (expected.length === 0) expect(listed).toEqual([]);
  });
});

it("what is impossible comes after what is possible", () => {
  const [group] = found("re", OFFERED, [], noteItem);
  expect(group?.items.map(({ title }) => title).slice(0, 2)).toEqual(["Reset all parameters", "Redo"]);
});

describe("keys", () => {
  const stroke = (key: string, more: Partial<KeyboardEvent> = {}) => ({
    key,
    code: "",
    ctrlKey: true,
    metaKey: false,
    altKey: false,
    shiftKey: false,
    ...more,
  });

  it("open the palette by Ctrl Shift P or Cmd Shift P alone", () => {
    expect(isPaletteKey(stroke("P", { shiftKey: true }))).toBe(true);
    expect(isPaletteKey(stroke("p", { shiftKey: true, ctrlKey: false, metaKey: true }))).toBe(true);
    expect(isPaletteKey(stroke("p"))).toBe(false);
    expect(isPaletteKey(stroke("P", { shiftKey: true, altKey: true }))).toBe(false);
  });

  it("bring up the views in the order of the tabs, also where digits need Shift", () => {
    expect(TABS.map((_, at) => viewOfKey(stroke(String(at + 1))))).toEqual(TABS.map(({ id }) => id));
    expect(viewOfKey(stroke("(", { code: "Digit5" }))).toBe("memory");
    expect(viewOfKey(stroke("8"))).toBeNull();
    expect(viewOfKey(stroke("1", { ctrlKey: false }))).toBeNull();
    expect(viewOfKey(stroke("!", { code: "Digit1", shiftKey: true }))).toBeNull();
  });

  it("count as pressed twice only in a row, and not while held down", () => {
    const twice = new Twice();
    expect([twice.press(false), twice.press(false), twice.press(false)]).toEqual([false, true, false]);
    twice.other("Control");
    expect(twice.press(false)).toBe(true);
    expect([twice.press(false), twice.press(true)]).toEqual([false, false]);
    twice.other("a");
    expect(twice.press(false)).toBe(false);
    twice.click();
    expect(twice.press(false)).toBe(false);
  });

  /** Keys that move, or that only mean something where they are pressed. */
  const NOT_LISTED = new Set(
    "↑ ↓ ← → Home End PgUp PgDn Enter Esc F6 Backspace / | Shift ↑ | Shift ↓ | Ctrl Shift P"
      .split(" | ")
      .flatMap((keys) => (keys.startsWith("Shift") || keys.startsWith("Ctrl") ? [keys] : keys.split(" "))),
  );

  it("are all found in the palette with what they do", () => {
    const workspace = new Workspace(new FakeBackend());
    const known = new Set([
      ...[...Object.values(searchActions(workspace)), ...windowActions(workspace)].map(({ key }) => key),
      ...TABS.map((_, at) => `Ctrl ${at + 1}`),
    ]);
    const listed = [...KEY_LIST, ...PAST_KEY_LIST].flatMap(({ keys }) => keys);
    expect(listed.filter((key) => !known.has(key) && !NOT_LISTED.has(key))).toEqual([]);
  });

  it("and every action has its own id", () => {
    const workspace = new Workspace(new FakeBackend());
    const ids = [...Object.values(searchActions(workspace)), ...windowActions(workspace)].map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });
});
