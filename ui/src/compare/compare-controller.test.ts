// When two rankings are compared automatically, and when the user must request it.
import { expect, test } from "vitest";
import { FakeBackend } from "../../tests/fake-backend";
import type { Params } from "../api/bindings";
import { DEFAULTS } from "../api/parameters";
import type { Choice } from "./choices";
import { CompareController } from "./compare-controller.svelte";

const own = (params: Partial<Params> = {}): Choice => ({
  kind: "preset",
  label: JSON.stringify(params),
  params: { ...DEFAULTS, ...params },
});
const NATIVE = own();
const EMULATED: Choice = { kind: "pipeline", label: "Shelf 1", id: "shelf@1", values: {} };

function begin() {
  const backend = new FakeBackend({ nChunks: 20 });
  const comparing = new CompareController(backend);
  comparing.query = "relay";
  return { backend, comparing, nAsked: () => backend.nCalls("compare") };
}

test.each<[string, Choice]>([
  ["Memlens's own", own({ max_results: 3 })],
  ["a local model", own({ rerank: "model" })],
  ["a provider that is switched off", own({ rerank: "http", rerank_on: false })],
  ["a command that is switched off", own({ hook: "on", hook_on: false })],
])("%s is compared by itself when notes have changed", async (_, side) => {
  const { comparing, nAsked } = begin();
  await comparing.ask(side, NATIVE, 1);
  await comparing.ask(side, NATIVE, 1);
  expect(nAsked()).toBe(1);
  expect(comparing.isOutdated(side, NATIVE, 2)).toBe(false);
  await comparing.ask(side, NATIVE, 2);
  expect(nAsked()).toBe(2);
});

test.each<[string, Choice, Choice]>([
  ["an emulated program", EMULATED, NATIVE],
  ["a provider", own({ rerank: "http" }), NATIVE],
  ["a command", NATIVE, own({ hook: "on" })],
])("%s is compared again only when the user says so", async (_, a, b) => {
  const { comparing, nAsked } = begin();
  await comparing.ask(a, b, 1);
  expect(comparing.isOutdated(a, b, 1)).toBe(false);
  await comparing.ask(a, b, 2);
  expect(nAsked()).toBe(1);
  expect(comparing.isOutdated(a, b, 2)).toBe(true);
  const again = comparing.askAgain(a, b, 2);
  expect(comparing.isOutdated(a, b, 2)).toBe(false);
  await again;
  expect(nAsked()).toBe(2);
  expect(comparing.isOutdated(a, b, 2)).toBe(false);
});

test("another question, scope or side is compared at once, no matter which agent is asked, and is of the notes as they are", async () => {
  const { comparing, nAsked } = begin();
  await comparing.ask(EMULATED, NATIVE, 1);
  comparing.query = "door";
  expect(comparing.isOutdated(EMULATED, NATIVE, 2)).toBe(false);
  await comparing.ask(EMULATED, NATIVE, 2);
  comparing.scope = { folder: "1", path: "protocols" };
  await comparing.ask(EMULATED, NATIVE, 3);
  await comparing.ask(NATIVE, EMULATED, 4);
  expect(nAsked()).toBe(4);
  expect(comparing.isOutdated(NATIVE, EMULATED, 4)).toBe(false);
});

test("notes that change during an expensive comparison do not repeat it", async () => {
  const { comparing, nAsked } = begin();
  const asking = comparing.ask(EMULATED, NATIVE, 1);
  await comparing.ask(EMULATED, NATIVE, 2);
  expect(comparing.isOutdated(EMULATED, NATIVE, 2)).toBe(false);
  await asking;
  expect(comparing.comparison).not.toBeNull();
  expect(nAsked()).toBe(1);
  expect(comparing.isOutdated(EMULATED, NATIVE, 2)).toBe(true);
});

test("a comparison that failed is tried again when it is wished again, but not for other notes if it is expensive", async () => {
  const { backend, comparing, nAsked } = begin();
  backend.failing = { compare: { code: "error", message: "no memory" } };
  await comparing.ask(EMULATED, NATIVE, 1);
  await comparing.ask(EMULATED, NATIVE, 2);
  expect(nAsked()).toBe(1);
  expect(comparing.isOutdated(EMULATED, NATIVE, 2)).toBe(true);
  backend.failing = {};
  await comparing.ask(EMULATED, NATIVE, 1);
  expect(nAsked()).toBe(2);
  expect(comparing.error).toBeNull();
});
