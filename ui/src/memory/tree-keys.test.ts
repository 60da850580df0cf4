import { describe, expect, test } from "vitest";
import { rowAfterKey, TypeAhead } from "./tree-keys";
import type { TreeRow } from "./tree-rows";

function row(name: string, level: number, parent: number, isExpanded: boolean | null): TreeRow {
  return {
    id: name,
    kind: isExpanded === null ? "file" : "folder",
    level,
    name,
    folder: "f",
    path: name,
    n_chunks: 0,
    state: "indexed",
    isEvergreen: false,
    notSearched: null,
    unread: null,
    root: null,
    isExpanded,
    position: 1,
    n_siblings: 1,
    parent,
  };
}

// memory > (people > (anna, bram), closed, todo), logs (empty)
const ROWS = [
  row("memory", 1, -1, true),
  row("people", 2, 0, true),
  row("anna", 3, 1, null),
  row("bram", 3, 1, null),
  row("closed", 2, 0, false),
  row("todo", 2, 0, null),
  row("logs", 1, -1, true),
];

/** What a key does, in words. */
function check(at: number, key: string, expected: string): void {
  const answer = rowAfterKey(ROWS, at, key, 3);
  const words =
    answer === null
      ? "not mine"
      : answer.kind === "move"
        ? `to ${ROWS[answer.index]?.name}`
        : answer.kind === "expand"
          ? `${answer.expanded ? "open" : "close"} ${answer.ids.join(",")}`
          : answer.kind;
  expect(words).toBe(expected);
}

describe("arrows", () => {
  test.each([
    [0, "ArrowDown", "to people"],
    [6, "ArrowDown", "to logs"],
    [0, "ArrowUp", "to memory"],
    [3, "ArrowUp", "to anna"],
    [4, "ArrowRight", "open closed"],
    [1, "ArrowRight", "to anna"],
    [2, "ArrowRight", "stay"],
    [6, "ArrowRight", "stay"],
    [1, "ArrowLeft", "close people"],
    [3, "ArrowLeft", "to people"],
    [4, "ArrowLeft", "to memory"],
  ])("from row %i %s: %s", (at, key, expected) => check(at, key, expected));

  test("left on a closed watched folder stays", () => {
    expect(rowAfterKey([row("root", 1, -1, false)], 0, "ArrowLeft", 3)).toEqual({ kind: "stay" });
  });
});

test.each([
  [3, "Home", "to memory"],
  [3, "End", "to logs"],
  [1, "PageDown", "to closed"],
  [5, "PageDown", "to logs"],
  [4, "PageUp", "to people"],
  [2, "Enter", "press"],
  [2, " ", "press"],
  [1, "*", "open people,closed"],
  [1, "x", "not mine"],
  [1, "Tab", "not mine"],
])("from row %i %s: %s", (at, key, expected) => check(at, key, expected));

test("an empty tree takes no key", () => expect(rowAfterKey([], 0, "ArrowDown", 3)).toBeNull());

describe("type-ahead", () => {
  /** Types one letter after another, `pause_ms` apart, moving as a tree does. */
  function typed(letters: string, from: number, pause_ms = 100): string | undefined {
    const typing = new TypeAhead();
    let at = from;
    let time = 0;
    for (const letter of letters) {
      const answer = typing.find(ROWS, at, letter, (time += pause_ms));
      if (answer?.kind === "move") at = answer.index;
    }
    return ROWS[at]?.name;
  }

  test("goes to the next row that begins with the letter, in any case, and around the end", () => {
    expect(typed("B", 0)).toBe("bram");
    expect(typed("a", 5)).toBe("anna");
    expect(typed("m", 6)).toBe("memory");
  });

  test("takes letters typed quickly as one word, and slowly as new ones", () => {
    expect(typed("lo", 0)).toBe("logs");
    expect(typed("pe", 0)).toBe("people");
    expect(typed("mb", 0, 2_000)).toBe("bram");
  });

  test("the same letter again walks on", () => {
    const typing = new TypeAhead();
    const many = ["bach", "bern", "bonn"].map((name) => row(name, 1, -1, null));
    expect(typing.find(many, 0, "b", 0)).toEqual({ kind: "move", index: 1 });
    expect(typing.find(many, 1, "b", 100)).toEqual({ kind: "move", index: 2 });
    expect(typing.find(many, 2, "b", 200)).toEqual({ kind: "move", index: 0 });
  });

  test("a second letter narrows what the first one found", () => {
    const typing = new TypeAhead();
    const many = ["bach", "bern", "bonn"].map((name) => row(name, 1, -1, null));
    expect(typing.find(many, 0, "b", 0)).toEqual({ kind: "move", index: 1 });
    expect(typing.find(many, 1, "o", 100)).toEqual({ kind: "move", index: 2 });
  });

  test("leaves letters with which nothing begins, and keys that are no letters, to others", () => {
    const typing = new TypeAhead();
    expect(typing.find(ROWS, 0, "z", 0)).toBeNull();
    expect(typing.find(ROWS, 0, "Escape", 0)).toBeNull();
    expect(typing.find(ROWS, 0, " ", 0)).toBeNull();
  });
});
