// Which keys are the view's, by where they are pressed.
import { describe, expect, it } from "vitest";
import { actionOf, isQueryKey, placeOf, type KeyState, type Keystroke } from "./search-keys";

const stroke = (key: string, held: Partial<Keystroke> = {}): Keystroke => ({
  key,
  ctrlKey: false,
  metaKey: false,
  shiftKey: false,
  altKey: false,
  isAltGraph: false,
  ...held,
});

describe("actionOf", () => {
  it.each<[string, object]>([
    ["ArrowUp", { kind: "row", to: "previous", isExtending: false }],
    ["ArrowDown", { kind: "row", to: "next", isExtending: false }],
    ["Home", { kind: "row", to: "first", isExtending: false }],
    ["End", { kind: "row", to: "last", isExtending: false }],
    ["PageUp", { kind: "row", to: "page-up", isExtending: false }],
    ["PageDown", { kind: "row", to: "page-down", isExtending: false }],
    ["Enter", { kind: "read-journey" }],
    ["o", { kind: "edit" }],
    ["m", { kind: "memory" }],
    ["w", { kind: "why-not" }],
    ["P", { kind: "pin" }],
    ["r", { kind: "switch" }],
    ["+", { kind: "thumb", up: true }],
    ["-", { kind: "thumb", up: false }],
    ["[", { kind: "stage", to: "previous" }],
    ["]", { kind: "stage", to: "next" }],
    ["?", { kind: "keys" }],
  ])("%s on the table", (key, action) => expect(actionOf(stroke(key), "table")).toEqual(action));

  it("chooses rows with Shift, and copies them on the table alone", () => {
    const choosing = { kind: "row", to: "next", isExtending: true };
    expect(actionOf(stroke("ArrowDown", { shiftKey: true }), "table")).toEqual(choosing);
    expect(actionOf(stroke("c", { ctrlKey: true }), "table")).toEqual({ kind: "copy" });
    expect(actionOf(stroke("c", { metaKey: true }), "table")).toEqual({ kind: "copy" });
    for (const place of ["text", "control", "overlay"] as const)
      expect(actionOf(stroke("c", { ctrlKey: true }), place)).toBeNull();
  });

  it("leaves arrows and Enter to a control, and letters to the view", () => {
    for (const key of ["ArrowUp", "Home", "Enter", "PageDown"])
      expect(actionOf(stroke(key), "control")).toBeNull();
    expect(actionOf(stroke("p"), "control")).toEqual({ kind: "pin" });
  });

  it.each<KeyState>(["text", "overlay"])("takes no letter from %s", (place) => {
    for (const key of ["o", "p", "w", "?", "+", "-", "[", "ArrowDown", "Enter"])
      expect(actionOf(stroke(key), place)).toBeNull();
  });

  it("undoes and redoes, but not while text is edited", () => {
    expect(actionOf(stroke("z", { ctrlKey: true }), "control")).toEqual({ kind: "undo" });
    expect(actionOf(stroke("Z", { metaKey: true, shiftKey: true }), "table")).toEqual({ kind: "redo" });
    expect(actionOf(stroke("z", { ctrlKey: true }), "text")).toBeNull();
  });

  it("takes brackets typed with AltGr, and nothing with Alt", () => {
    expect(actionOf(stroke("[", { ctrlKey: true, altKey: true, isAltGraph: true }), "table")).toEqual({
      kind: "stage",
      to: "previous",
    });
    expect(actionOf(stroke("o", { altKey: true }), "table")).toBeNull();
  });
});

it("goes to the query by Ctrl K or Cmd K alone", () => {
  expect(isQueryKey(stroke("k", { ctrlKey: true }))).toBe(true);
  expect(isQueryKey(stroke("K", { metaKey: true }))).toBe(true);
  expect(isQueryKey(stroke("k"))).toBe(false);
  expect(isQueryKey(stroke("k", { ctrlKey: true, shiftKey: true }))).toBe(false);
});

it("returns where a key was pressed", () => {
  document.body.innerHTML = `<input id="t"><input id="r" type="range"><button id="b"></button><div role="grid" tabindex="0" id="g"><div id="in"></div></div><div role="dialog"><input id="d"></div>`;
  const place = (id: string) => placeOf(document.getElementById(id));
  expect([place("t"), place("r"), place("b"), place("g"), place("in"), place("d")]).toEqual([
    "text",
    "control",
    "control",
    "table",
    "table",
    "overlay",
  ]);
  document.body.innerHTML = "";
});
