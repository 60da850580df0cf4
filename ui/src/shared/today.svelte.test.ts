import { flushSync, tick } from "svelte";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { today } from "./today";
import { day } from "./when";

const [MINUTE_MS, HOUR_MS] = [60_000, 3_600_000];
/** Some seconds, so that midnight is no whole number of minutes away. */
const EVENING = new Date(2026, 10, 20, 22, 30, 20);

const ends: (() => void)[] = [];

beforeEach(() => void vi.useFakeTimers({ now: EVENING }));
afterEach(async () => {
  for (const end of ends.splice(0)) end();
  await tick();
  vi.useRealTimers();
});

/** Shows what day the evening is; returns all that was shown, and what ends it. */
function showing() {
  const shown: string[] = [];
  const end = $effect.root(() => {
    $effect(() => void shown.push(day(EVENING.getTime(), today.ms)));
  });
  ends.push(end);
  flushSync();
  return { shown, end };
}

/** Lets time pass, and what it changes be shown. */
function pass(ms: number) {
  vi.advanceTimersByTime(ms);
  flushSync();
}

test("a day that is shown changes at midnight, and at no other time", () => {
  const { shown } = showing();
  pass(1.5 * HOUR_MS - 20_000 - 1);
  expect(shown).toEqual(["Today"]);
  pass(1);
  expect(shown).toEqual(["Today", "Yesterday"]);
  pass(24 * HOUR_MS - 1);
  expect(shown).toEqual(["Today", "Yesterday"]);
  pass(1);
  expect(shown).toEqual(["Today", "Yesterday", "Fri, 20 Nov 2026"]);
});

test("a machine that slept past midnight knows the day within a minute", () => {
  const { shown } = showing();
  // No time passes for timers meanwhile.
  vi.setSystemTime(EVENING.getTime() + 10 * HOUR_MS);
  pass(MINUTE_MS);
  expect(shown).toEqual(["Today", "Yesterday"]);
});

test("however many show it there is one timer, and none once nothing does", async () => {
  expect(day(EVENING.getTime(), today.ms)).toBe("Today");
  expect(vi.getTimerCount()).toBe(0);
  const two = [showing(), showing()];
  expect(vi.getTimerCount()).toBe(1);
  two[0]?.end();
  await tick();
  expect(vi.getTimerCount()).toBe(1);
  two[1]?.end();
  await tick();
  expect(vi.getTimerCount()).toBe(0);
  // On return after midnight the window shows the new day.
  vi.setSystemTime(EVENING.getTime() + 10 * HOUR_MS);
  const { shown } = showing();
  expect(shown).toEqual(["Yesterday"]);
});

test("nobody is woken more often than once a minute", () => {
  showing();
  const set = vi.spyOn(globalThis, "setTimeout");
  pass(HOUR_MS);
  expect(set).toHaveBeenCalledTimes(60);
});
