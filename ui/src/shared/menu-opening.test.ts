import { describe, expect, it } from "vitest";
import { isMenuKey, openMenu } from "./menu-opening";

const stroke = (key: string, held: Partial<Record<"ctrlKey" | "altKey" | "shiftKey", boolean>> = {}) => ({
  key,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  shiftKey: false,
  ...held,
});

describe("the keys of a menu", () => {
  it.each([
    [stroke("ContextMenu"), true],
    [stroke("F10", { shiftKey: true }), true],
    [stroke("F10"), false],
    [stroke("F10", { shiftKey: true, ctrlKey: true }), false],
    [stroke("ContextMenu", { altKey: true }), false],
    [stroke("m"), false],
  ])("%o: %s", (key, isIt) => expect(isMenuKey(key)).toBe(isIt));
});

it("a menu opens below an element", () => {
  const [outer, inner] = [document.createElement("div"), document.createElement("button")];
  outer.append(inner);
  inner.getBoundingClientRect = () => new DOMRect(10, 20, 30, 40);
  let at: [number, number] | null = null;
  outer.addEventListener("contextmenu", (event) => (at = [event.clientX, event.clientY]));
  openMenu(inner, inner);
  expect(at).toEqual([10, 60]);
});
