import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Paced } from "./paced";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("a wish after a rest is met at once, those of a burst once at its end", () => {
  const act = vi.fn();
  const paced = new Paced(100, act);
  paced.wish();
  expect(act).toHaveBeenCalledTimes(1);
  for (let at = 0; at < 9; at += 1) paced.wish();
  vi.advanceTimersByTime(99);
  expect(act).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(1);
  expect(act).toHaveBeenCalledTimes(2);
  paced.wish();
  expect(act).toHaveBeenCalledTimes(2);
  vi.advanceTimersByTime(200);
  expect(act).toHaveBeenCalledTimes(3);
  vi.advanceTimersByTime(1_000);
  expect(act).toHaveBeenCalledTimes(3);
});

test("what is stopped does nothing more until it is wished again", () => {
  const act = vi.fn();
  const paced = new Paced(100, act);
  paced.wish();
  paced.wish();
  paced.stop();
  vi.advanceTimersByTime(1_000);
  expect(act).toHaveBeenCalledTimes(1);
  paced.wish();
  expect(act).toHaveBeenCalledTimes(2);
});
