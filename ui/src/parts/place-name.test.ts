// A path on one line: which part gives way is decided by which part it is in.
import { render } from "@testing-library/svelte";
import { expect, test } from "vitest";
import PlaceName from "./PlaceName.svelte";

const parts = (path: string) => {
  const { container } = render(PlaceName, { path, line: 202 });
  const text = (part: string) => container.querySelector(`.${part}`)?.textContent ?? null;
  return [text("far"), text("near"), text("file")];
};

test("the nearest folder is apart from those that give way first", () => {
  expect(parts("notes/libraries/bumpalo-3.20.4/README.md")).toEqual([
    ...["notes/libraries/", "bumpalo-3.20.4/", "README.md"],
  ]);
  expect(parts("notes/a.md")).toEqual([null, "notes/", "a.md"]);
  expect(parts("/a.md")).toEqual([null, "/", "a.md"]);
  expect(parts("a.md")).toEqual([null, null, "a.md"]);
});

test("the title is the whole path", () => {
  const { container } = render(PlaceName, { path: "x/y/a.md" });
  expect(container.querySelector(".place")).toHaveAttribute("title", "x/y/a.md");
});
