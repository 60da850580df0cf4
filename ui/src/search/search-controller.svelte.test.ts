// The newest answer wins, one `rank` at a time, moves against the pin, errors that leave the answer standing.
import { flushSync } from "svelte";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { own } from "../../tests/fake/any-pipeline";
import { FakeBackend } from "../../tests/fake-backend";
import type { Columns, Params, Progress, Ranking, SearchAnswer } from "../api/bindings";
import { DEFAULTS } from "../api/parameters";
import { ParameterHistory } from "../parameters/parameter-history.svelte";
import type { Values } from "../parameters/pipeline";
import { Pipelines } from "../parameters/pipelines.svelte";
import { SearchController } from "./search-controller.svelte";

/** A promise that a test settles when it wants to. */
function held<T>(): { promise: Promise<T>; resolve: (value: T) => void; reject: (error: unknown) => void } {
  let resolve!: (value: T) => void;
  let reject!: (error: unknown) => void;
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}

/** Lets everything that waits on answered promises and frames go on. */
async function settle(): Promise<void> {
  for (let i = 0; i < 5; i++) {
    flushSync();
    await new Promise((resolve) => requestAnimationFrame(resolve));
  }
}

let backend: FakeBackend;
let parameters: ParameterHistory<Params>;
let search: SearchController;
let stop: () => void;
let library: { generation: number; clustering: number | null };

beforeEach(() => {
  backend = new FakeBackend({ nChunks: 120 });
  parameters = ParameterHistory.own();
  const pipelines = new Pipelines(backend, parameters);
  search = new SearchController(backend, pipelines);
  library = { generation: 1, clustering: null };
  stop = search.follow(() => library);
});
afterEach(() => {
  stop();
  search.close();
  vi.useRealTimers();
});

describe("searching", () => {
  it("waits for the typing to rest", async () => {
    vi.useFakeTimers();
    for (const text of ["i", "in", "internet"]) search.type(text);
    expect(backend.nCalls("search")).toBe(0);
    await vi.advanceTimersByTimeAsync(149);
    expect(backend.nCalls("search")).toBe(0);
    await vi.advanceTimersByTimeAsync(1);
    expect(backend.calls.filter(({ name }) => name === "search").map(({ args }) => args[0])).toEqual([
      "internet",
    ]);
  });

  it("shows the newest answer whichever comes last", async () => {
    const slow = held<SearchAnswer>();
    const answer = await backend.search("slow", own(DEFAULTS), null);
    vi.spyOn(backend, "search").mockReturnValueOnce(slow.promise);
    const first = search.searchNow("slow");
    await search.searchNow("internet");
    expect(search.answer?.query).toBe("internet");
    slow.resolve(answer);
    await first;
    expect(search.answer?.query).toBe("internet");
  });

  it("forgets an answer that comes after the question was cleared", async () => {
    const slow = held<SearchAnswer>();
    const answer = await backend.search("slow", own(DEFAULTS), null);
    vi.spyOn(backend, "search").mockReturnValueOnce(slow.promise);
    const first = search.searchNow("slow");
    search.type("  ");
    slow.resolve(answer);
    await first;
    expect(search.answer).toBeNull();
    expect(search.isSearching).toBe(false);
  });

  it("does not search for white space", async () => {
    await search.searchNow("   ");
    expect(backend.nCalls("search")).toBe(0);
  });

  it("keeps the last answer beside an error, and tries again", async () => {
    await search.searchNow("internet");
    backend.failing.search = { code: "index", message: "cannot open the text index" };
    await search.searchNow("home");
    expect(search.error?.message).toBe("cannot open the text index");
    expect(search.answer?.query).toBe("internet");
    backend.failing = {};
    await search.askAgain();
    expect(search.error).toBeNull();
    expect(search.answer?.query).toBe("home");
  });

  it("asks a part of the notes again, and shows nothing of another question meanwhile", async () => {
    await search.searchNow("relay");
    await search.searchIn({ kind: "folder", folder: "notes", path: "", label: "notes" });
    const asked = search.searchAgain("internet", null);
    expect([search.typed, search.scope, search.answer]).toEqual(["internet", null, null]);
    await asked;
    expect(search.answer?.query).toBe("internet");
    expect(backend.calls.findLast(({ name }) => name === "search")?.args[2]).toBeNull();
  });

  it("asks within the scope", async () => {
    await search.searchNow("internet");
    await search.searchIn({ kind: "folder", folder: "notes", path: "", label: "notes" });
    expect(backend.calls.findLast(({ name }) => name === "search")?.args[2]).toEqual({
      folder: "notes",
      path: "",
    });
    expect(search.answer?.rows.every((row) => row.folder === "notes")).toBe(true);
    await search.searchIn({ kind: "agent", agent: "codex", label: "Codex" });
    expect(backend.calls.findLast(({ name }) => name === "search")?.args[2]).toEqual({ agent: "codex" });
    await search.searchIn(null);
    expect(backend.calls.findLast(({ name }) => name === "search")?.args[2]).toBeNull();
  });

  it.each<[string, object]>([
    ["indexed", { generation: 4 }],
    ["compared", { clustering: 4 }],
  ])("runs the search again, once, when notes were %s", async (_, last) => {
    vi.useFakeTimers();
    await search.searchNow("internet");
    let now = $state.raw<typeof library & { indexing?: Progress | null }>(library);
    stop();
    stop = search.follow(() => now);
    flushSync();
    for (const step of [2, 3, 4]) {
      now = { ...library, ...Object.fromEntries(Object.keys(last).map((key) => [key, step])) };
      flushSync();
    }
    backend.changeState(last);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(backend.nCalls("search")).toBe(2);
    expect(search.answer).toMatchObject(last);
    now = { ...now };
    flushSync();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(backend.nCalls("search")).toBe(2);
  });
});

describe("notes that change while a question stands", () => {
  it("is not settled before the last look has its answer", async () => {
    vi.useFakeTimers();
    await search.searchNow("internet");
    followEvents();
    flushSync();
    expect(search.isSettledIn(library)).toBe(true);
    const newer = { generation: 2, clustering: null };
    let answers = (): void => undefined;
    const promise = new Promise<void>((resolve) => (answers = resolve));
    const find = backend.search.bind(backend);
    backend.search = async (...asked) => {
      await promise;
      return await find(...asked);
    };
    backend.changeState(newer);
    flushSync();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(search.isSettledIn(newer)).toBe(false);
    answers();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(search.isSettledIn(newer)).toBe(true);
  });

  /** The library as the window knows it: it follows the fake one's events. */
  function followEvents(): void {
    stop();
    let now = $state.raw<typeof library & { indexing?: Progress | null }>(library);
    const unlisten = backend.onState((state) => (now = state));
    const unfollow = search.follow(() => now);
    stop = () => {
      unlisten();
      unfollow();
    };
  }

  /** Lets the window look at what changed; `n` looks are more than enough. */
  async function look(n = 2): Promise<void> {
    for (let i = 0; i < n; i++) {
      flushSync();
      await vi.advanceTimersByTimeAsync(800);
    }
    flushSync();
  }

  const keptPaths = () =>
    search.columns?.order.slice(0, search.columns.n_kept).map((slot) => search.rowOf(slot)?.path) ?? [];
  /** The note of the best row, and all others. */
  async function askAll(): Promise<string> {
    await search.searchNow("the internet is down at home");
    await look();
    return keptPaths()[0] ?? "";
  }

  beforeEach(() => {
    vi.useFakeTimers();
    followEvents();
  });

  it("show by themselves where nothing was found", async () => {
    backend.changeNotes(() => false);
    await search.searchNow("internet");
    expect(search.columns?.n_kept).toBe(0);
    backend.changeNotes(() => true);
    await look();
    expect(search.columns?.n_kept).toBeGreaterThan(0);
    expect(search.openSlot).toBe(search.columns?.order[0]);
  });

  it("show also when they came while the question was being answered", async () => {
    const slow = held<SearchAnswer>();
    backend.changeNotes(() => false);
    const early = await backend.search("internet", own(DEFAULTS), null);
    vi.spyOn(backend, "search").mockReturnValueOnce(slow.promise);
    const asked = search.searchNow("internet");
    backend.changeNotes(() => true);
    flushSync();
    slow.resolve(early);
    await asked;
    expect(search.columns?.n_kept).toBe(0);
    await look();
    expect(search.columns?.n_kept).toBeGreaterThan(0);
  });

  it("show also when the question had failed", async () => {
    backend.failing.search = { code: "index", message: "cannot open the text index" };
    await search.searchNow("internet");
    backend.failing = {};
    backend.changeNotes(() => true);
    await look();
    expect(search.error).toBeNull();
    expect(search.columns?.n_kept).toBeGreaterThan(0);
  });

  it("move rows that nobody reads, and the best one is open", async () => {
    const best = await askAll();
    for (const holdsBest of [false, true]) {
      backend.changeNotes((path) => holdsBest || path !== best);
      await look();
      expect(keptPaths().includes(best)).toBe(holdsBest);
      expect(search.openSlot).toBe(search.columns?.order[0]);
      expect(search.hasNews).toBe(false);
    }
  });

  it.each<[string, () => void]>([
    ["opened", () => search.open(search.columns?.order[1] ?? -1)],
    ["scrolled to", () => search.readTo(40)],
    ["sorted", () => search.sortBy("bm25")],
    ["filtered", () => search.filterBy("limit")],
  ])("wait for the user who has %s a row", async (_, read) => {
    const best = await askAll();
    read();
    const answer = search.answer;
    backend.changeNotes((path) => path !== best);
    await look();
    expect(search.answer).toBe(answer);
    expect(search.hasNews).toBe(true);
    await search.askAgain();
    expect(search.hasNews).toBe(false);
    expect(keptPaths()).not.toContain(best);
  });

  it("are marked as new beside what the last answer to the same question held", async () => {
    const best = await askAll();
    const newPaths = () =>
      new Set(
        search.columns?.order.flatMap((slot) => (search.isNew(slot) ? [search.rowOf(slot)?.path] : [])),
      );
    expect(newPaths()).toEqual(new Set());
    backend.changeNotes((path) => path !== best);
    await search.askAgain();
    expect(newPaths()).toEqual(new Set());
    backend.changeNotes(() => true);
    await search.askAgain();
    expect(newPaths()).toEqual(new Set([best]));
    // While notes are indexed for the first time all rows would be.
    backend.changeNotes((path) => path !== best);
    backend.changeState({ indexing: { n_done: 1, n_total: 9, share: 0.1, file: null, seconds_left: null } });
    flushSync();
    await search.askAgain();
    backend.changeNotes(() => true);
    await search.askAgain();
    expect(newPaths()).toEqual(new Set());
    backend.changeState({ indexing: null });
    flushSync();
    // Neither another question nor another way of asking makes rows new.
    await search.searchNow("the internet is down");
    expect(newPaths()).toEqual(new Set());
    await search.searchIn({ kind: "folder", folder: "notes", path: "", label: "notes" });
    expect(newPaths()).toEqual(new Set());
  });

  it("do not wait where they move no row that is read, and the opened one stays", async () => {
    await askAll();
    const opened = search.columns?.order[1] ?? -1;
    const chunk = search.rowOf(opened)?.chunk;
    search.open(opened);
    const generation = search.answer?.generation ?? 0;
    backend.changeNotes(() => true);
    await look();
    expect(search.answer?.generation).toBe(generation + 1);
    expect(search.rowOf(search.openSlot ?? -1)?.chunk).toBe(chunk);
    expect(search.hasNews).toBe(false);
    expect(search.moveOf(search.openSlot ?? -1)).toEqual({ kind: "same" });
  });

  it("are not looked at while a slider is dragged, but once it is let go", async () => {
    const best = await askAll();
    parameters.preview("bm25_join", "and");
    const n = backend.nCalls("search");
    backend.changeNotes((path) => path !== best);
    await look(5);
    expect(backend.nCalls("search")).toBe(n);
    parameters.preview("bm25_join", "or");
    parameters.preview("min_score", 0.01);
    await look(5);
    expect(backend.nCalls("search")).toBe(n);
    parameters.commit();
    await look();
    expect(keptPaths()).not.toContain(best);
    expect(search.rankedByOwn?.min_score).toBe(0.01);
  });

  it("are not asked of the lists again and again while a slider is dragged that the lists must answer", async () => {
    const slow = held<SearchAnswer>();
    const answer = await backend.search("internet", own(DEFAULTS), null);
    vi.spyOn(backend, "search").mockReturnValueOnce(slow.promise);
    const asked = search.searchNow("internet");
    parameters.preview("bm25_join", "and");
    slow.resolve(answer);
    await asked;
    await look();
    expect(search.isSearching).toBe(false);
    expect(backend.nCalls("search")).toBe(1);
  });

  it("are reranked in the background by a model here, so that rows move once", async () => {
    parameters.set("rerank", "late");
    await askAll();
    const n = backend.nCalls("rerank");
    const best = keptPaths()[0];
    const pending: (number | undefined)[] = [];
    const stopWatching = $effect.root(() => {
      $effect(() => void pending.push(search.columns?.n_pending));
    });
    backend.changeNotes((path) => path !== best);
    await look();
    stopWatching();
    expect(keptPaths()).not.toContain(best);
    expect(pending.every((n_pending) => n_pending === 0)).toBe(true);
    expect(backend.nCalls("rerank")).toBe(n + 1);
  });

  it("bring what was compared meanwhile, no matter which reranker answered", async () => {
    parameters.set("rerank", "http");
    await askAll();
    backend.changeState({ clustering: 1 });
    await look();
    expect(search.answer?.clustering).toBe(1);
    expect(search.hasNews).toBe(false);
  });

  it.each<[string, "http" | "late", "on" | "off"]>([
    ["a provider", "http", "off"],
    ["the user's command", "late", "on"],
  ])("are not sent to %s by themselves", async (_, rerank, hook) => {
    parameters.set("rerank", rerank);
    parameters.set("hook", hook);
    const best = await askAll();
    const n = backend.nCalls("rerank");
    backend.changeNotes((path) => path !== best);
    await look();
    expect(search.hasNews).toBe(true);
    expect(backend.nCalls("rerank")).toBe(n);
    await search.askAgain();
    await look();
    expect(backend.nCalls("rerank")).toBe(n + 1);
  });

  it("are looked at once, and the pipeline rests again", async () => {
    await askAll();
    backend.changeNotes(() => true);
    await look(5);
    const n = backend.nCalls("search");
    await look(5);
    expect(backend.nCalls("search")).toBe(n);
  });
});

describe("ranking live", () => {
  it("has one rank under way at most, and ends with the newest parameters", async () => {
    await search.searchNow("internet at home");
    await settle();
    const calls: { values: Values; answer: ReturnType<typeof held<Columns>> }[] = [];
    vi.spyOn(backend, "rank").mockImplementation((_, { values }) => {
      const answer = held<Columns>();
      calls.push({ values, answer });
      return answer.promise;
    });
    const columns = search.columns;
    if (columns === null) throw new Error("there is an answer");
    for (const value of [0.5, 0.4, 0.3, 0.2]) {
      parameters.preview("vector_weight", value);
      flushSync();
      await settle();
    }
    expect(calls).toHaveLength(1);
    calls[0]?.answer.resolve(columns);
    await settle();
    expect(calls.map(({ values }) => values["vector_weight"])).toEqual([0.5, 0.2]);
    calls[1]?.answer.resolve({ ...columns, tokens_used: 12_345 });
    await settle();
    expect(calls).toHaveLength(2);
    expect(search.columns?.tokens_used).toBe(12_345);
    expect(search.rankedByOwn?.vector_weight).toBe(0.2);
  });

  it("asks the index again only on release for what it alone can answer", async () => {
    await search.searchNow("internet at home");
    parameters.preview("bm25_join", "and");
    await settle();
    expect(backend.nCalls("search")).toBe(1);
    expect(backend.nCalls("rank")).toBe(0);
    parameters.commit();
    await settle();
    const joins = backend.calls
      .filter(({ name }) => name === "search")
      .map(({ args }) => (args[1] as Ranking).values["bm25_join"]);
    expect(joins.filter((join) => join === "and")).toHaveLength(1);
    expect(search.answer?.query).toBe("internet at home");
  });

  it("changes the order by a drag and gives it back by undo", async () => {
    await search.searchNow("the internet is down at home");
    const before = search.columns?.order;
    parameters.preview("vector_weight", 0.05);
    parameters.commit();
    await settle();
    expect(search.columns?.order).not.toEqual(before);
    parameters.undo();
    await settle();
    expect(search.columns?.order).toEqual(before);
  });

  it("runs the search again when the engine no longer keeps the search", async () => {
    await search.searchNow("internet at home");
    await settle();
    backend.failing.rank = { code: "search_gone", message: "cannot rank search 1: it is no longer kept" };
    parameters.set("vector_weight", 0.2);
    await settle();
    expect(backend.calls.findLast(({ name }) => name === "search")?.args[1]).toMatchObject({
      values: { vector_weight: 0.2 },
    });
    expect(search.rankedByOwn?.vector_weight).toBe(0.2);
    expect(search.error).toBeNull();
  });

  it("says why a ranking failed and keeps the last one", async () => {
    await search.searchNow("internet at home");
    await settle();
    const columns = search.columns;
    backend.failing.rank = { code: "internal", message: "cannot rank" };
    parameters.set("vector_weight", 0.2);
    await settle();
    expect(search.error?.message).toBe("cannot rank");
    expect(search.columns).toBe(columns);
  });

  it("follows the opened row, and opens the best of a new question", async () => {
    await search.searchNow("the internet is down at home");
    await settle();
    expect(search.openSlot).toBe(search.columns?.order[0]);
    expect(search.journey?.rank).toBe(1);
    const slot = search.columns?.order[3] ?? 0;
    search.open(slot);
    await settle();
    expect(search.journey?.slot).toBe(slot);
    parameters.set("min_score", 1);
    await settle();
    expect(search.journey?.rank).toBeNull();
    expect(search.journey?.dropped_by).toBe("threshold");
  });
});

describe("passages", () => {
  it("come with the answer for the first rows, and are read for others as they come into sight", async () => {
    await search.searchNow("the internet is down at home");
    const order = search.columns?.order ?? [];
    const [first, far, farther] = [order[0] ?? -1, order[100] ?? -1, order[101] ?? -1];
    expect(search.snippetOf(first)?.text).not.toBe("");
    expect(search.snippetOf(far)).toBeNull();
    search.see([first, far]);
    search.see([first, far, farther]);
    await settle();
    expect(search.snippetOf(far)?.slot).toBe(far);
    expect(search.snippetOf(farther)?.slot).toBe(farther);
    const asked = backend.calls.filter(({ name }) => name === "snippets").map(({ args }) => args[1]);
    expect(asked).toEqual([[far], [farther]]);
    search.see([first, far]);
    await settle();
    expect(backend.nCalls("snippets")).toBe(2);
  });
});

describe("the pin", () => {
  const moves = () =>
    search.columns?.order.slice(0, search.columns.n_kept).map((slot) => search.moveOf(slot)?.kind);

  it("finds nothing moved while the parameters are the pinned ones", async () => {
    await search.searchNow("the internet is down at home");
    await settle();
    expect(new Set(moves())).toEqual(new Set(["same"]));
  });

  it("measures moves against the defaults until something is pinned", async () => {
    await search.searchNow("the internet is down at home");
    const before = new Map(search.columns?.order.map((slot, at) => [slot, at + 1]));
    parameters.set("vector_weight", 0.05);
    await settle();
    for (const [at, slot] of (search.columns?.order.slice(0, search.columns.n_kept) ?? []).entries()) {
      const was = before.get(slot) ?? 0;
      const move = search.moveOf(slot);
      if (was > DEFAULTS.max_results) expect(move?.kind).toBe("entered");
      else if (was > at + 1) expect(move).toEqual({ kind: "up", by: was - at - 1 });
      else if (was < at + 1) expect(move).toEqual({ kind: "down", by: at + 1 - was });
    }
    expect(new Set(moves()).size).toBeGreaterThan(1);
    search.pinTo({ name: "now", params: parameters.current });
    await settle();
    expect(new Set(moves())).toEqual(new Set(["same"]));
  });

  it("says which place a dropped row had", async () => {
    await search.searchNow("the internet is down at home");
    const second = search.columns?.order[1] ?? -1;
    parameters.set("max_results", 1);
    await settle();
    expect(search.moveOf(second)).toEqual({ kind: "left", was: 2 });
  });

  it("searches for itself where it needs other lists", async () => {
    await search.searchNow("the internet is down at home");
    await settle();
    parameters.set("bm25_join", "and");
    await settle();
    expect(
      backend.calls
        .filter(({ name }) => name === "search")
        .map(({ args }) => (args[1] as Ranking).values["bm25_join"]),
    ).toEqual(["or", "and", "or"]);
  });
});
