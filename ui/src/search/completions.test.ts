import { expect, test, vi } from "vitest";
import { PastMemory } from "../../tests/fake/past";
import { Completions } from "./completions.svelte";

const past = new PastMemory("read", null);
const backend = {
  completePast: vi.fn((text: string): Promise<string[]> => Promise.resolve(past.wordings(text))),
};

async function typed(text: string): Promise<Completions> {
  vi.useFakeTimers();
  const completions = new Completions(backend);
  completions.type(text);
  await vi.advanceTimersByTimeAsync(300);
  vi.useRealTimers();
  return completions;
}

test("what agents asked with these words is offered, without what stands there already", async () => {
  expect((await typed("dead")).offered).toEqual(["wifi dead in the studio", "connection dead, what now"]);
  expect((await typed("Passphrase")).offered).toEqual([]);
});

test("one letter or two offer nothing, and neither do words that were typed over or left", async () => {
  backend.completePast.mockClear();
  expect((await typed("wh")).offered).toEqual([]);
  expect(backend.completePast).not.toHaveBeenCalled();
  vi.useFakeTimers();
  const completions = new Completions(backend);
  completions.type("dea");
  completions.type("dead");
  await vi.advanceTimersByTimeAsync(300);
  expect(backend.completePast.mock.calls).toEqual([["dead"]]);
  completions.type("dead i");
  completions.close();
  await vi.advanceTimersByTimeAsync(300);
  expect(completions.offered).toEqual([]);
  vi.useRealTimers();
});

test("keys go from what was typed through what is offered, and no farther", async () => {
  const completions = await typed("dead");
  expect(completions.step(-1)).toBe(false);
  expect(completions.chosen).toBeNull();
  expect(completions.step(1)).toBe(true);
  expect(completions.chosen).toBe("wifi dead in the studio");
  expect(completions.step(1)).toBe(true);
  expect(completions.step(1)).toBe(false);
  expect(completions.step(-1) && completions.step(-1)).toBe(true);
  expect(completions.chosen).toBeNull();
});

test("an answer that comes after the list was closed is not shown", async () => {
  vi.useFakeTimers();
  let answer: (questions: string[]) => void = () => undefined;
  backend.completePast.mockReturnValueOnce(new Promise((resolve) => (answer = resolve)));
  const completions = new Completions(backend);
  completions.type("dead");
  await vi.advanceTimersByTimeAsync(300);
  completions.close();
  answer(past.wordings("dead"));
  await vi.advanceTimersByTimeAsync(1);
  expect(completions.offered).toEqual([]);
  vi.useRealTimers();
});
