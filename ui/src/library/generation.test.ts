import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { LibraryBackend } from "../../tests/fake/library";
import type { LibraryState } from "../api/bindings";
import { LibraryController } from "./library-controller.svelte";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** A controller whose library reports its states through the answer. */
async function following() {
  const backend = new LibraryBackend();
  let notify: (state: LibraryState) => void = () => {};
  vi.spyOn(backend, "onState").mockImplementation((heed) => {
    notify = heed;
    return () => true;
  });
  const state = await backend.state();
  const library = new LibraryController(backend);
  const stop = library.follow();
  const progress = { n_done: 1, n_total: 9 } as unknown as LibraryState["indexing"];
  const say = (generation: number, isIndexing: boolean) =>
    notify({ ...state, generation, indexing: isIndexing ? progress : null });
  return { library, say, stop };
}

test("a burst of generations is reported at once and then once a second", async () => {
  const { library, say } = await following();
  const shownGeneration = () => library.generation;
  say(101, true);
  expect(shownGeneration()).toBe(101);
  for (let generation = 102; generation < 120; generation += 1) {
    vi.advanceTimersByTime(50);
    say(generation, true);
    expect(shownGeneration()).toBe(101);
  }
  vi.advanceTimersByTime(100);
  expect(shownGeneration()).toBe(119);
  vi.advanceTimersByTime(5_000);
  say(200, true);
  expect(shownGeneration()).toBe(200);
});

test("at rest only what stands when nothing is indexed is reported", async () => {
  const { library, say } = await following();
  expect(library.generationAtRest).toBeNull();
  say(101, false);
  say(102, true);
  expect(library.generationAtRest).toBe(101);
  say(103, false);
  expect(library.generationAtRest).toBe(103);
});

test("nothing is reported once nobody follows", async () => {
  const { library, say, stop } = await following();
  say(101, false);
  say(102, false);
  stop();
  vi.advanceTimersByTime(5_000);
  expect(library.generation).toBe(101);
});
