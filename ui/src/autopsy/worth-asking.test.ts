import { expect, test } from "vitest";
import type { NowResult, PastPlace, PastRow } from "../api/bindings";
import { choicesOf, offeredOf } from "./worth-asking.svelte";

const row = (id: string, question: string) => ({ id, question }) as PastRow;
const opened = (path: string, start_line: number | null) => ({ path, start_line }) as PastPlace;
const found = (name: string, start_line: number | null, rank: number | null) =>
  ({ name, path: "of-the-folder.md", start_line, rank, text: "passage" }) as NowResult;

test("each question is offered once, missed ones first, at most six", () => {
  const ids = offeredOf(
    [row("1", "Who installed the boiler"), row("2", "which colour")],
    [
      row("3", "who installed the boiler "),
      row("4", ""),
      ...["5", "6", "7", "8", "9"].map((id) => row(id, id)),
    ],
  ).map(({ id }) => id);
  expect(ids).toEqual(["1", "2", "5", "6", "7", "8"]);
});

test("what the agent opened is offered before what is found now, each place once; lost results are left out", () => {
  const choices = choicesOf(
    [opened("memory/lamp.md", 3), opened("memory/pier.md", null)],
    [found("memory/lamp.md", 3, 1), found("memory/boat.md", 7, 2), found("memory/gone.md", 1, null)],
  );
  expect(choices.map(({ fact, why }) => [fact, why])).toEqual([
    ["memory/lamp.md:3", "opened then"],
    ["memory/pier.md:1", "opened then"],
    ["memory/boat.md:7", "rank 2 now"],
  ]);
});
