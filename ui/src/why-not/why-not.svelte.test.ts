// Waits for a search, asks again when the ranking changes, newest wins, fixes are one step, chunks beyond the lists.
import { flushSync } from "svelte";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { own } from "../../tests/fake/any-pipeline";
import { FakeBackend } from "../../tests/fake-backend";
import type { Params, WhyAnswer } from "../api/bindings";
import { DEFAULTS } from "../api/parameters";
import { ParameterHistory } from "../parameters/parameter-history.svelte";
import { Pipelines } from "../parameters/pipelines.svelte";
import { SearchController } from "../search/search-controller.svelte";
import { WhyNotController } from "./why-not.svelte";

let backend: FakeBackend;
let parameters: ParameterHistory<Params>;
let search: SearchController;
let whyNot: WhyNotController;
let stops: (() => void)[];

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "requestAnimationFrame"] });
  backend = new FakeBackend({ nChunks: 150 });
  parameters = ParameterHistory.own();
  const pipelines = new Pipelines(backend, parameters);
  search = new SearchController(backend, pipelines);
  whyNot = new WhyNotController(backend, search, pipelines);
  stops = [search.follow(() => ({ generation: 1, clustering: null })), whyNot.follow(() => 1)];
});
afterEach(() => {
  for (const stop of stops) stop();
  search.close();
  vi.useRealTimers();
});

/** Lets effects, answered promises, frames and the debounce pass. */
async function settle(ms = 400): Promise<void> {
  for (let passed = 0; passed < ms; passed += 20) {
    flushSync();
    await vi.advanceTimersByTimeAsync(20);
  }
}

/** The first row that a stage dropped. */
function droppedRow() {
  const slot = search.columns?.order[search.columns.n_kept];
  const row = slot === undefined ? null : search.rowOf(slot);
  if (row === null) throw new Error("no row was dropped");
  return row;
}

async function askAboutDropped() {
  await search.searchNow("internet at home");
  const row = droppedRow();
  whyNot.ask(row.folder, row.path, row.start_line, row.chunk);
  await settle();
  return row;
}

describe("asking", () => {
  it("asks again after a thumb, which the parameters do not show", async () => {
    await askAboutDropped();
    const nAsked = backend.nCalls("whyNot");
    search.rankAgain();
    flushSync();
    expect(whyNot.isCurrent).toBe(false);
    await settle();
    expect(backend.nCalls("whyNot")).toBe(nAsked + 1);
    expect(whyNot.isCurrent).toBe(true);
    await settle();
    expect(backend.nCalls("whyNot")).toBe(nAsked + 1);
  });

  it("shows what lost a row and what brings it back, with the present parameters", async () => {
    const row = await askAboutDropped();
    expect(backend.calls.findLast(({ name }) => name === "whyNot")?.args).toEqual([
      1,
      own(DEFAULTS),
      row.folder,
      row.path,
      row.start_line,
      row.chunk,
    ]);
    expect(whyNot.chunk?.journey.row.chunk).toBe(row.chunk);
    expect(whyNot.chunk?.journey.dropped_by).toBe("limit");
    expect(whyNot.chunk?.fixes?.map(({ parameter }) => parameter)).toContain("max_results");
    expect(whyNot.isCurrent).toBe(true);
  });

  it("judges the note that is missing for the question, and takes that back", async () => {
    const row = await askAboutDropped();
    expect(whyNot.isJudged).toBe(false);
    await whyNot.judge();
    const place = `${row.folder_name}/${row.path}:${row.start_line}`;
    expect(backend.calls.findLast(({ name }) => name === "judgePlace")?.args).toEqual([
      "internet at home",
      place,
      true,
    ]);
    expect(whyNot.isJudged).toBe(true);
    await settle();
    expect(whyNot.isCurrent).toBe(true);
    await whyNot.judge();
    expect(whyNot.isJudged).toBe(false);
  });

  it("waits for a question, and then asks by itself", async () => {
    whyNot.ask("notes", "MEMORY.md", null);
    await settle();
    expect(backend.nCalls("whyNot")).toBe(0);
    await search.searchNow("internet");
    await settle();
    expect(whyNot.chunks.length).toBeGreaterThan(1);
  });

  it("asks nothing while it is closed", async () => {
    await askAboutDropped();
    whyNot.close();
    parameters.set("max_results", 3);
    await settle();
    expect(backend.nCalls("whyNot")).toBe(1);
    whyNot.open();
    await settle();
    expect(backend.nCalls("whyNot")).toBe(2);
  });

  it("asks once more after the parameters rest, and says meanwhile that the answer is old", async () => {
    await askAboutDropped();
    for (const value of [11, 12, 13]) {
      parameters.preview("max_results", value);
      await settle(60);
    }
    expect(whyNot.isCurrent).toBe(false);
    await settle();
    expect(backend.nCalls("whyNot")).toBe(1);
    parameters.commit();
    await settle();
    expect(backend.nCalls("whyNot")).toBe(2);
    expect(whyNot.isCurrent).toBe(true);
    expect(whyNot.chunk?.kept).toBe(true);
  });

  it("never shows the answer to a place that is not asked about any more", async () => {
    await askAboutDropped();
    const firstAnswer = whyNot.answer;
    if (firstAnswer === null) throw new Error("it was asked");
    const answers: ((answer: WhyAnswer) => void)[] = [];
    vi.spyOn(backend, "whyNot").mockImplementation(() => new Promise((resolve) => answers.push(resolve)));
    whyNot.ask("notes", "gone.md", null);
    await settle();
    whyNot.ask("notes", "MEMORY.md", null);
    await settle();
    answers[0]?.({ ...firstAnswer, path: "gone.md" });
    await settle();
    expect(whyNot.answer).toBeNull();
    expect(answers).toHaveLength(2);
    answers[1]?.({ ...firstAnswer, path: "MEMORY.md" });
    await settle();
    expect(whyNot.answer?.path).toBe("MEMORY.md");
  });

  it("keeps an error to itself, and tries again", async () => {
    await search.searchNow("internet");
    backend.failing.whyNot = { code: "place", message: "cannot ask about people: it is a folder" };
    whyNot.ask(null, "people", null);
    await settle();
    expect(whyNot.error?.message).toContain("it is a folder");
    expect(search.error).toBeNull();
    expect(backend.nCalls("whyNot")).toBe(1);
    backend.failing = {};
    whyNot.retry();
    await settle();
    expect(whyNot.error).toBeNull();
    expect(whyNot.answer?.why.kind).toBe("gone");
  });

  it("runs the search again where the engine has forgotten the search", async () => {
    await search.searchNow("internet");
    vi.spyOn(backend, "whyNot").mockRejectedValueOnce({ code: "search_gone", message: "gone" });
    whyNot.ask("notes", "MEMORY.md", null);
    await settle();
    expect(backend.nCalls("search")).toBe(2);
    expect(whyNot.error).toBeNull();
    expect(whyNot.isCurrent).toBe(true);
  });

  it("asks about another chunk of the note when it is picked", async () => {
    await search.searchNow("internet at home");
    whyNot.ask("notes", "reference/home-server.md", null);
    await settle();
    const other = whyNot.chunks.findLast((chunk) => !chunk.kept && chunk.fixes === null);
    if (other === undefined) throw new Error("the note has other chunks");
    whyNot.pick(other);
    await settle();
    expect(whyNot.chunk?.journey.row.chunk).toBe(other.journey.row.chunk);
    expect(whyNot.chunk?.fixes).not.toBeNull();
  });
});

describe("applying", () => {
  it("is one step that brings the row back, and one undo takes it away", async () => {
    const row = await askAboutDropped();
    whyNot.apply(whyNot.chunk?.fixes?.slice(0, 1) ?? []);
    await settle();
    expect(whyNot.chunk?.journey.row.chunk).toBe(row.chunk);
    expect(whyNot.chunk?.kept).toBe(true);
    expect(whyNot.isApplied).toBe(true);
    whyNot.undoApplied();
    await settle();
    expect(parameters.current).toEqual(DEFAULTS);
    expect(whyNot.isApplied).toBe(false);
    expect(whyNot.chunk?.kept).toBe(false);
  });

  it("sets both of a pair in one step", async () => {
    await search.searchNow("internet at home");
    parameters.replace({ ...DEFAULTS, min_score: 0.9, max_results: 1 });
    await settle();
    const slot = search.columns?.order.at(3);
    const row = slot === undefined ? null : search.rowOf(slot);
    whyNot.ask(row?.folder ?? "", row?.path ?? "", row?.start_line ?? null, row?.chunk);
    await settle();
    expect(whyNot.chunk?.fixes).toEqual([]);
    const pair = whyNot.chunk?.pair;
    expect(pair?.map(({ parameter }) => parameter)).toEqual(["min_score", "max_results"]);
    whyNot.apply(pair ?? []);
    await settle();
    expect(whyNot.chunk?.kept).toBe(true);
    parameters.undo();
    expect(parameters.current).toMatchObject({ min_score: 0.9, max_results: 1 });
  });
});

describe("the journey of a chunk", () => {
  it("opens its row where it has one", async () => {
    await askAboutDropped();
    const chunk = whyNot.chunk;
    if (chunk === null) throw new Error("it was searched");
    whyNot.showJourney(chunk);
    expect(search.openSlot).toBe(chunk.slot);
  });

  it("is shown without a row beyond the lists, and follows the parameters", async () => {
    await askAboutDropped();
    const beyond = backend.whyNot.bind(backend);
    vi.spyOn(backend, "whyNot").mockImplementation(async (...args) => {
      const answer = await beyond(...args);
      if (answer.why.kind !== "searched") return answer;
      return {
        ...answer,
        why: { ...answer.why, chunks: answer.why.chunks.map((c) => ({ ...c, slot: null })) },
      };
    });
    whyNot.ask("notes", "MEMORY.md", null);
    await settle();
    if (whyNot.chunk === null) throw new Error("it was searched");
    whyNot.showJourney(whyNot.chunk);
    expect(search.openSlot).toBeNull();
    expect(search.journey).toBe(whyNot.chunk.journey);
    parameters.set("min_score", 0.2);
    await settle();
    expect(search.journey).toBe(whyNot.chunk.journey);
    expect(search.journey?.min_score).toBe(0.2);
  });
});
