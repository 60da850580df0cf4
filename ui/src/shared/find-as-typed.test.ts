import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { FindAsTyped } from "./find-as-typed";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("among few names every letter finds, among many the last before a rest", () => {
  const find = vi.fn();
  const finding = new FindAsTyped(find);
  for (let letter = 0; letter < 3; letter += 1) finding.typed(4_999);
  expect(find).toHaveBeenCalledTimes(3);
  for (let letter = 0; letter < 3; letter += 1) {
    finding.typed(5_000);
    vi.advanceTimersByTime(79);
  }
  expect(find).toHaveBeenCalledTimes(3);
  vi.advanceTimersByTime(1);
  expect(find).toHaveBeenCalledTimes(4);
});

test("what was found without a rest, or let go of, is not found once more", () => {
  const find = vi.fn();
  const finding = new FindAsTyped(find);
  finding.typed(5_000);
  finding.now();
  finding.typed(5_000);
  finding.typed(1);
  expect(find).toHaveBeenCalledTimes(2);
  finding.typed(5_000);
  finding.stop();
  vi.advanceTimersByTime(1_000);
  expect(find).toHaveBeenCalledTimes(2);
});
