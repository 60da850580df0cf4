// Candidates of the question on the map: ranks follow the order of its trace.
import { expect, test } from "vitest";
import type { Columns, Row } from "../api/bindings";
import { mapOf } from "../../tests/fake/map";
import { ALL_NOTES } from "../overview/address";
import { ChunkMap } from "./chunk-map";
import { questionOf, ranksOn } from "./question";

const rows = ["4", "11", "77"].map((chunk) => ({ chunk }) as Row);
const columns = { order: [2, 0, 1], n_kept: 1 } as Columns;

test("the results come first, then the dropped candidates", () => {
  expect(questionOf("walnuts", rows, columns)).toEqual({
    text: "walnuts",
    chunks: ["77", "4", "11"],
    nResults: 1,
  });
});

test("only candidates that are on the map have a point, with the rank of the trace", () => {
  const map = new ChunkMap(mapOf(ALL_NOTES, "components"));
  expect([...ranksOn(map, questionOf("walnuts", rows, columns))]).toEqual([
    [4, 2],
    [11, 3],
  ]);
});
