import { describe, expect, test } from "vitest";
import { file, folder, tree } from "../../tests/trees";
import type { FolderTree, TreeEntry } from "./bindings";
import { KnownTrees, type KnownStamps } from "./trees";

/** A fake engine that returns these trees, one answer after another, and records the requests. */
function treesOf(...answers: FolderTree[]): { trees: KnownTrees; asked: KnownStamps[] } {
  const asked: KnownStamps[] = [];
  const trees = new KnownTrees((known) => {
    asked.push(known);
    const answer = answers.shift();
    return answer === undefined ? Promise.reject(new Error("locked")) : Promise.resolve([answer]);
  });
  return { trees, asked };
}

const names = (entries: readonly TreeEntry[] | undefined) => entries?.map((entry) => entry.name);

test("entries stand folders first, then by name as the user orders them", async () => {
  const { trees } = treesOf(
    tree(
      "m",
      file("note-10.md"),
      file("Zebra.md"),
      folder("zoo", file("zoo/b"), file("zoo/A")),
      file("note-9.md"),
      file("a.md"),
      file("A.md"),
    ),
  );
  const [ordered] = await trees.read();
  expect(names(ordered?.entries)).toEqual(["zoo", "a.md", "A.md", "note-9.md", "note-10.md", "Zebra.md"]);
  expect(names(ordered?.entries[0]?.children)).toEqual(["A", "b"]);
});

describe("what is known of a tree", () => {
  const stamped = (entry: TreeEntry, stamp: string): TreeEntry => ({ ...entry, stamp });
  const people = stamped(folder("people", file("people/bram.md"), file("people/Anna.md")), "1");
  const whole = { ...tree("memory", people, file("b.md"), file("a.md")), stamp: "2" };

  test("is recognised by the stamps of its folders, and stays where they are the same", async () => {
    const { trees, asked } = treesOf(whole, { ...tree("memory"), stamp: "2" });
    const [first] = await trees.read();
    const [second] = await trees.read();
    expect(asked).toEqual([{}, { memory: { "": "2", people: "1" } }]);
    expect(names(second?.entries)).toEqual(["people", "a.md", "b.md"]);
    expect(second?.entries).toBe(first?.entries);
  });

  test("gives way to the answer where a stamp is another", async () => {
    const { trees } = treesOf(
      whole,
      { ...tree("memory", file("c.md"), stamped(folder("people"), "1")), stamp: "3" },
      { ...tree("memory", stamped(folder("people"), "4")), stamp: "5" },
    );
    const [first] = await trees.read();
    const [changed] = await trees.read();
    expect(names(changed?.entries)).toEqual(["people", "c.md"]);
    expect(changed?.entries[0]?.children).toBe(first?.entries[0]?.children);
    const [emptied] = await trees.read();
    expect(emptied?.entries[0]?.children).toEqual([]);
  });

  test("stays after an answer that failed", async () => {
    const { trees, asked } = treesOf(whole);
    await trees.read();
    await expect(trees.read()).rejects.toThrow("locked");
    await expect(trees.read()).rejects.toThrow("locked");
    expect(asked.slice(1)).toEqual(Array(2).fill({ memory: { "": "2", people: "1" } }));
  });
});
