// What a card calls its notes: a generic or repeated title is distinguished by its folder.
import { expect, test } from "vitest";
import type { CardItem } from "../api/bindings";
import { itemName } from "./item-name";

const item = (title: string, path: string): CardItem => ({
  title,
  path,
  folder: "1",
  line: null,
  detail: "",
});

test("a generic title or one of several notes is behind its nearest folder", () => {
  const items = [
    item("README", "crates/bumpalo-3.20.4/README.md"),
    item("Ponds", "garden/ponds.md"),
    item("Plan", "2025/plan.md"),
    item("Plan", "2026/plan.md"),
    item("README", "README.md"),
    item("French", ""),
  ];
  expect(items.map((one) => itemName(one, items))).toEqual([
    ...["bumpalo-3.20.4/README", "Ponds", "2025/Plan", "2026/Plan", "README", "French"],
  ]);
});
