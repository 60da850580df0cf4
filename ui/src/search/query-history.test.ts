import { describe, expect, it } from "vitest";
import { QueryHistory } from "./query-history.svelte";

describe("QueryHistory", () => {
  it("keeps the newest first, once, and between starts", () => {
    const history = new QueryHistory();
    for (const query of ["one", "two", " one ", ""]) history.remember(query);
    expect(history.queries).toEqual(["one", "two"]);
    expect(new QueryHistory().queries).toEqual(["one", "two"]);
    history.clear();
    expect(new QueryHistory().queries).toEqual([]);
  });

  it("starts empty where the storage holds something else", () => {
    localStorage.setItem("memlens.queries", '{"not":"a list"}');
    expect(new QueryHistory().queries).toEqual([]);
    localStorage.setItem("memlens.queries", "broken");
    expect(new QueryHistory().queries).toEqual([]);
  });

  it("reads a stored question once", () => {
    localStorage.setItem("memlens.queries", '["one","two","one"]');
    expect(new QueryHistory().queries).toEqual(["one", "two"]);
  });

  it("does not remember a query of a whole page", () => {
    const history = new QueryHistory();
    history.remember("x".repeat(100_000));
    expect(history.queries).toEqual([]);
  });
});
