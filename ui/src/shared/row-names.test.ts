import { expect, test } from "vitest";
import { RowNames } from "./row-names";

function named(...places: string[]) {
  const rows = places.map((place) => {
    const [folder_name = "", ...path] = place.split(":");
    return { folder: folder_name, folder_name, path: path.join(":") };
  });
  const names = new RowNames([...rows, ...rows]);
  return rows.map((row) => names.of(row));
}

test("a file's name is enough where no other note has it", () => {
  expect(named("notes:a/README.md", "notes:b/plan.md")).toEqual(["README.md", "plan.md"]);
});

test("equal names are behind the folders that set them apart", () => {
  expect(named("notes:a/README.md", "notes:b/README.md", "notes:plan.md")).toEqual([
    "a/README.md",
    "b/README.md",
    "plan.md",
  ]);
  expect(named("notes:README.md", "work:README.md")).toEqual(["notes/README.md", "work/README.md"]);
  expect(named("notes:x/a/README.md", "notes:y/a/README.md", "notes:b/README.md")).toEqual([
    "x/a/README.md",
    "y/a/README.md",
    "b/README.md",
  ]);
});

test("notes that no folder sets apart keep their whole name", () => {
  const rows = ["1", "2"].map((folder) => ({ folder, folder_name: "notes", path: "a.md" }));
  const names = new RowNames(rows);
  expect(rows.map((row) => names.of(row))).toEqual(["notes/a.md", "notes/a.md"]);
});
