// What the ranking lacks is asked for once per answer and release, never while something is dragged; the newest call wins.
import { flushSync } from "svelte";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FakeBackend } from "../../tests/fake-backend";
import type { Params } from "../api/bindings";
import { ParameterHistory } from "../parameters/parameter-history.svelte";
import { Pipelines } from "../parameters/pipelines.svelte";
import { SearchController } from "../search/search-controller.svelte";

/** Lets everything that waits on answered promises and frames go on. */
async function settle(): Promise<void> {
  for (let i = 0; i < 6; i++) {
    flushSync();
    await new Promise((resolve) => requestAnimationFrame(resolve));
  }
}

/** Holds the reranker back; the returned function lets it answer. */
function holdReranker(): () => void {
  let open!: () => void;
  backend.rerankGate = new Promise((resolve) => {
    open = () => {
      backend.rerankGate = null;
      resolve();
    };
  });
  return open;
}

const nAsked = () => backend.nCalls("rerank");
const paramsAsked = () => backend.calls.findLast(({ name }) => name === "rerank")?.args[1] as Params;
const nPending = () => search.columns?.n_pending;

let backend: FakeBackend;
let parameters: ParameterHistory<Params>;
let search: SearchController;
let stop: () => void;

beforeEach(() => {
  backend = new FakeBackend({ nChunks: 120 });
  parameters = ParameterHistory.own();
  const pipelines = new Pipelines(backend, parameters);
  search = new SearchController(backend, pipelines);
  stop = search.follow(() => null);
});
afterEach(() => {
  stop();
  search.close();
});

describe("when scores are asked for", () => {
  it("not at all while the reranker is off", async () => {
    await search.searchNow("internet");
    await settle();
    expect(nAsked()).toBe(0);
  });

  it("once after an answer that lacks them, and the rows move when they come", async () => {
    parameters.set("rerank", "late");
    const open = holdReranker();
    await search.searchNow("internet home");
    await settle();
    const before = search.columns?.order;
    expect(nPending()).toBe(20);
    expect(search.asking.underWay).toEqual({
      nScores: 20,
      by: "late",
      timeoutMs: 10_000,
      isLoading: false,
    });
    open();
    await settle();
    expect(nPending()).toBe(0);
    expect(search.asking.underWay).toBeNull();
    expect(search.columns?.order).not.toEqual(before);
    expect(nAsked()).toBe(1);
  });

  it("on the release of a slider, not while it is dragged", async () => {
    parameters.set("rerank", "late");
    await search.searchNow("internet home");
    await settle();
    for (const value of [25, 30, 40]) {
      parameters.preview("rerank_max_docs", value);
      await settle();
    }
    expect(nAsked()).toBe(1);
    expect(search.rankedByOwn?.rerank_max_docs).toBe(20);
    parameters.commit();
    await settle();
    expect(nAsked()).toBe(2);
    expect(paramsAsked().rerank_max_docs).toBe(40);
    expect(nPending()).toBe(0);
  });

  it("not while a live slider brings rows in that have no score, but once it is let go", async () => {
    parameters.set("rerank", "late");
    await search.searchNow("internet home");
    await settle();
    parameters.preview("vector_weight", 0);
    await settle();
    expect(search.rankedByOwn?.vector_weight).toBe(0);
    expect(nPending()).toBeGreaterThan(0);
    expect(nAsked()).toBe(1);
    parameters.commit();
    await settle();
    expect(nAsked()).toBe(2);
    expect(nPending()).toBe(0);
  });

  it("not again for what is known already", async () => {
    parameters.set("rerank", "late");
    await search.searchNow("internet home");
    await settle();
    parameters.set("rerank_max_docs", 10);
    parameters.set("rerank_share", 0.5);
    await settle();
    expect(search.rankedByOwn?.rerank_share).toBe(0.5);
    expect(nAsked()).toBe(1);
  });

  it("also of the hook, whenever its rows are others", async () => {
    parameters.set("hook", "on");
    const open = holdReranker();
    await search.searchNow("internet home");
    await settle();
    expect(search.asking.underWay).toEqual({
      nScores: 0,
      by: "hook",
      timeoutMs: 5_000,
      isLoading: false,
    });
    open();
    await settle();
    expect(search.columns?.hook_pending).toBe(false);
    parameters.set("max_results", 4);
    await settle();
    expect(nAsked()).toBe(2);
  });

  it("again after a thumb, if its rows lack some", async () => {
    parameters.set("hook", "on");
    await search.searchNow("internet home");
    await settle();
    search.rankAgain();
    await settle();
    expect(nAsked()).toBe(1);
  });
});

describe("a call that is under way", () => {
  it("is taken over by a newer one", async () => {
    parameters.set("rerank", "late");
    const open = holdReranker();
    await search.searchNow("internet home");
    await settle();
    parameters.set("rerank_max_docs", 30);
    await settle();
    expect(nAsked()).toBe(2);
    expect(search.asking.underWay?.nScores).toBe(30);
    open();
    await settle();
    expect(search.rankedByOwn?.rerank_max_docs).toBe(30);
    expect(nPending()).toBe(0);
  });

  it("ends with a new question", async () => {
    parameters.set("rerank", "late");
    const open = holdReranker();
    await search.searchNow("internet home");
    await settle();
    await search.searchNow("router");
    expect(backend.nCalls("cancelRerank")).toBe(1);
    open();
    await settle();
    expect(search.answer?.query).toBe("router");
    expect(nPending()).toBe(0);
  });

  it("ends when the reranker is switched off", async () => {
    parameters.set("rerank", "late");
    holdReranker();
    await search.searchNow("internet home");
    await settle();
    parameters.set("rerank", "off");
    await settle();
    expect(search.asking.underWay).toBeNull();
    expect(backend.nCalls("cancelRerank")).toBe(1);
    expect(search.rankedByOwn?.rerank).toBe("off");
  });

  it("ends when the user says so, and is asked again only when they say so", async () => {
    parameters.set("rerank", "late");
    holdReranker();
    await search.searchNow("internet home");
    await settle();
    search.asking.cancel();
    expect(search.asking.isCancelling).toBe(true);
    await settle();
    expect(search.asking.underWay).toBeNull();
    expect(nPending()).toBe(20);
    expect(nAsked()).toBe(1);
    backend.rerankGate = null;
    search.askNow();
    await settle();
    expect(nPending()).toBe(0);
  });

  it("lets live sliders rank meanwhile, and its scores count for where they stand now", async () => {
    parameters.set("rerank", "late");
    const open = holdReranker();
    await search.searchNow("internet home");
    await settle();
    parameters.preview("min_score", 0.2);
    await settle();
    expect(search.rankedByOwn?.min_score).toBe(0.2);
    open();
    await settle();
    expect(search.rankedByOwn?.min_score).toBe(0.2);
    expect(nPending()).toBe(0);
  });
});

describe("a reranker that is still being loaded", () => {
  it("is reported, leaves the order before it, and is waited for", async () => {
    parameters.set("rerank", "late");
    backend.nCallsLoading = 1;
    const open = holdReranker();
    await search.searchNow("internet home");
    const fused = search.columns?.order;
    await settle();
    expect(search.columns?.stages.find(({ id }) => id === "rerank")?.status.kind).toBe("fallback");
    expect(search.columns?.order).toEqual(fused);
    expect(search.asking.underWay?.isLoading).toBe(true);
    expect(nAsked()).toBe(2);
    open();
    await settle();
    expect(nPending()).toBe(0);
    expect(search.asking.underWay).toBeNull();
    expect(nAsked()).toBe(2);
  });

  it("is waited for no longer when the user says so", async () => {
    parameters.set("rerank", "late");
    backend.nCallsLoading = 1;
    holdReranker();
    await search.searchNow("internet home");
    await settle();
    expect(search.asking.underWay?.isLoading).toBe(true);
    search.asking.cancel();
    await settle();
    expect(search.asking.underWay).toBeNull();
    expect(nAsked()).toBe(2);
  });
});

describe("a reranker that fails", () => {
  it("leaves the order before it and its reason, and is not asked of its own accord", async () => {
    backend.rerankFailure = "api.cohere.com did not answer within 10 s";
    await search.searchNow("internet home");
    const fused = search.columns?.order;
    parameters.set("rerank", "http");
    await settle();
    const stage = search.columns?.stages.find(({ id }) => id === "rerank");
    expect(stage?.status).toEqual({ kind: "fallback", why: "api.cohere.com did not answer within 10 s" });
    expect(search.columns?.order).toEqual(fused);
    expect(search.error).toBeNull();
    expect(nAsked()).toBe(1);
    backend.rerankFailure = null;
    search.askNow();
    await settle();
    expect(nPending()).toBe(0);
  });

  it("is distinguished from a search that is gone", async () => {
    parameters.set("rerank", "late");
    backend.failing.rerank = { code: "search_gone", message: "search 1 is gone" };
    const open = holdReranker();
    open();
    await search.searchNow("internet home");
    backend.failing = {};
    await settle();
    expect(backend.nCalls("search")).toBe(2);
    expect(nPending()).toBe(0);
  });
});

describe("the opened row", () => {
  it("is the best one after reranking too, as long as nobody opened another", async () => {
    parameters.set("rerank", "late");
    await search.searchNow("internet home");
    await settle();
    expect(search.openSlot).toBe(search.columns?.order[0]);
  });

  it("stays the one that was opened by hand", async () => {
    parameters.set("rerank", "late");
    const open = holdReranker();
    await search.searchNow("internet home");
    await settle();
    const slot = search.columns?.order[2] ?? -1;
    search.open(slot);
    open();
    await settle();
    expect(search.openSlot).toBe(slot);
  });
});

it("a pin that reranks is measured once its scores are there", async () => {
  parameters.set("rerank", "late");
  search.pinTo({ name: "Late", params: parameters.current });
  await search.searchNow("internet home");
  await settle();
  const kept = search.columns?.order.slice(0, search.columns.n_kept) ?? [];
  expect(kept.map((slot) => search.moveOf(slot)?.kind)).toEqual(kept.map(() => "same"));
});
