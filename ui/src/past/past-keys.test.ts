import { expect, test } from "vitest";
import { pastKeyOf, stepFrom } from "./past-keys";

const stroke = (
  key: string,
  held: Partial<{ ctrlKey: boolean; altKey: boolean; isAltGraph: boolean }> = {},
) => ({
  ...{ key, ctrlKey: false, metaKey: false, shiftKey: false, altKey: false, isAltGraph: false },
  ...held,
});

test("letters work everywhere but where text is typed, and steps in the list alone", () => {
  expect(pastKeyOf(stroke("f"), "control")).toEqual({ kind: "forgot" });
  expect(pastKeyOf(stroke("/"), "table")).toEqual({ kind: "find" });
  expect(pastKeyOf(stroke("f"), "text")).toBeNull();
  expect(pastKeyOf(stroke("f"), "overlay")).toBeNull();
  expect(pastKeyOf(stroke("Enter"), "control")).toBeNull();
  expect(pastKeyOf(stroke("Enter"), "table")).toEqual({ kind: "trace" });
  expect(pastKeyOf(stroke("ArrowDown"), "table")).toEqual({ kind: "move", to: "next" });
});

test("a combination is not the view's, but a sign that needs AltGr is", () => {
  expect(pastKeyOf(stroke("f", { ctrlKey: true }), "table")).toBeNull();
  expect(pastKeyOf(stroke("/", { ctrlKey: true, altKey: true, isAltGraph: true }), "table")).toEqual({
    kind: "find",
  });
});

test("steps end at the first and the last row", () => {
  expect(stepFrom(0, "previous", 10, 4)).toBe(0);
  expect(stepFrom(0, "next", 10, 4)).toBe(1);
  expect(stepFrom(8, "page-down", 10, 4)).toBe(9);
  expect(stepFrom(5, "first", 10, 4)).toBe(0);
  expect(stepFrom(5, "last", 10, 4)).toBe(9);
  expect(stepFrom(-1, "next", 10, 4)).toBe(0);
});
