// Long requests: one at a time, progress only while they run, and a stop that keeps the previous answer.
import { flushSync } from "svelte";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { OnFailure } from "./call.svelte";
import { Job, ProgressWatch, reporting, type Report } from "./job.svelte";

const REFUSED = { code: "io", message: "no disk" };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A job whose work is answered by hand and that reports by hand. */
function byHand(onFailure: OnFailure = "keep") {
  type Run = {
    wish: string;
    report: Report<number>;
    answer: (answer: string | null) => void;
    fail: (error: unknown) => void;
  };
  const runs: Run[] = [];
  const stops: { fail: (error: unknown) => void }[] = [];
  const job = new Job({
    work: (report: Report<number>, wish: string) =>
      new Promise<string | null>((answer, fail) => {
        runs.push({ wish, report, answer, fail });
      }),
    stop: () => new Promise<void>((_, fail) => stops.push({ fail })),
    onFailure,
  });
  return { runs, stops, job };
}

test("progress is there only while the job runs", async () => {
  const { runs, job } = byHand();
  expect([job.isRunning, job.progress]).toEqual([false, null]);
  const running = job.run("a");
  expect([job.isRunning, job.progress]).toEqual([true, null]);
  runs[0]?.report(3);
  expect(job.progress).toBe(3);
  runs[0]?.answer("done");
  expect(await running).toBe(true);
  expect([job.data, job.isRunning, job.progress]).toEqual(["done", false, null]);
  runs[0]?.report(4);
  expect(job.progress).toBeNull();
  // Nor does it apply to the next run.
  void job.run("b");
  runs[0]?.report(5);
  expect(job.progress).toBeNull();
});

test("one run at a time", async () => {
  const { runs, job } = byHand();
  const running = job.run("a");
  expect(await job.run("b")).toBe(false);
  expect(runs.map(({ wish }) => wish)).toEqual(["a"]);
  runs[0]?.answer("done");
  await running;
  void job.run("c");
  expect(runs.map(({ wish }) => wish)).toEqual(["a", "c"]);
});

test("an error goes with the next start, and a success follows it", async () => {
  const { runs, job } = byHand();
  const first = job.run("a");
  runs[0]?.fail(REFUSED);
  expect(await first).toBe(false);
  expect([job.error, job.isRunning]).toEqual([REFUSED, false]);
  const second = job.run("b");
  expect([job.error, job.isRunning]).toEqual([null, true]);
  runs[1]?.answer("done");
  await second;
  expect([job.data, job.error]).toEqual(["done", null]);
});

test("a failed run keeps the answer of before, or drops it where it would mislead", async () => {
  for (const [onFailure, kept] of [
    ["keep", "done"],
    ["drop", null],
  ] as const) {
    const { runs, job } = byHand(onFailure);
    const first = job.run("a");
    runs[0]?.answer("done");
    await first;
    const second = job.run("b");
    runs[1]?.fail(REFUSED);
    await second;
    expect(job.data).toBe(kept);
  }
});

test("a stopped run keeps the answer of before", async () => {
  const { runs, stops, job } = byHand();
  const first = job.run("a");
  runs[0]?.answer("done");
  await first;
  const second = job.run("b");
  job.stop();
  expect([stops.length, job.isStopping, job.isRunning]).toEqual([1, true, true]);
  runs[1]?.answer(null);
  expect(await second).toBe(false);
  expect([job.data, job.isStopping, job.isRunning, job.error]).toEqual(["done", false, false, null]);
});

test("a stop that fails is no longer one, and without a run nothing is stopped", async () => {
  const { stops, job } = byHand();
  job.stop();
  expect([stops.length, job.isStopping]).toEqual([0, false]);
  void job.run("a");
  job.stop();
  stops[0]?.fail(REFUSED);
  await vi.waitFor(() => expect(job.isStopping).toBe(false));
  expect([job.isRunning, job.error]).toEqual([true, null]);
});

/** A source of progress that reports by hand. */
function source() {
  const followed: Report<number>[] = [];
  const begin = (report: Report<number>) => {
    followed.push(report);
    return () => followed.splice(followed.indexOf(report), 1);
  };
  return { followed, begin };
}

test("progress is followed until the work ends", async () => {
  let end!: () => void;
  const { followed, begin } = source();
  const reports: (number | null)[] = [];
  const work = reporting(
    begin,
    (n) => reports.push(n),
    () => new Promise<void>((done) => (end = done)),
  );
  followed[0]?.(1);
  expect(reports).toEqual([1]);
  end();
  await work;
  expect(followed).toEqual([]);
});

test("progress is not followed after work that fails", async () => {
  const { followed, begin } = source();
  const work = reporting(
    begin,
    () => undefined,
    () => Promise.reject(REFUSED),
  );
  await expect(work).rejects.toEqual(REFUSED);
  expect(followed).toEqual([]);
});

test("a job goes on when the view that began it is gone, and stops following by itself", async () => {
  let answer!: (answer: string) => void;
  const { followed, begin } = source();
  const job = new Job({
    work: (report: Report<number>) =>
      reporting(begin, report, () => new Promise<string>((done) => (answer = done))),
    stop: () => Promise.resolve(),
  });
  const unmount = $effect.root(() => {
    $effect(() => void job.run());
  });
  flushSync();
  unmount();
  followed[0]?.(7);
  expect([job.isRunning, job.progress]).toEqual([true, 7]);
  answer("done");
  await vi.waitFor(() => expect(job.isRunning).toBe(false));
  expect([job.data, job.progress, followed]).toEqual(["done", null, []]);
});

test("a watch follows while something is under way and its view is there", () => {
  let report: Report<number> = () => undefined;
  const end = vi.fn();
  const begin = vi.fn((reporter: Report<number>) => {
    report = reporter;
    return end;
  });
  const watch = new ProgressWatch<number>(begin, () => Promise.resolve());
  let underWay = $state.raw<object | null>(null);
  const unmount = watch.follow(() => underWay);
  flushSync();
  expect(begin).not.toHaveBeenCalled();
  underWay = {};
  flushSync();
  vi.advanceTimersByTime(299);
  expect(begin).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  report(1);
  watch.stop();
  expect([watch.progress, watch.isStopping]).toEqual([1, true]);
  // Another of its kind begins without the progress of the one before.
  underWay = {};
  flushSync();
  expect([end.mock.calls.length, watch.progress, watch.isStopping]).toEqual([1, null, false]);
  vi.advanceTimersByTime(300);
  expect(begin).toHaveBeenCalledTimes(2);
  report(2);
  unmount();
  expect([end.mock.calls.length, watch.progress]).toEqual([2, null]);
});

test("a watch shows nothing of work that is over at once", () => {
  const begin = vi.fn(() => () => undefined);
  const watch = new ProgressWatch<number>(begin, () => Promise.resolve());
  let underWay = $state.raw<object | null>({});
  watch.follow(() => underWay);
  flushSync();
  vi.advanceTimersByTime(200);
  underWay = null;
  flushSync();
  vi.advanceTimersByTime(1_000);
  expect(begin).not.toHaveBeenCalled();
});

test("a watch whose stop fails can be stopped again", async () => {
  const stop = vi.fn(() => Promise.reject(new Error("busy")));
  const watch = new ProgressWatch<number>(() => () => undefined, stop);
  watch.stop();
  await vi.waitFor(() => expect(watch.isStopping).toBe(false));
  watch.stop();
  expect(stop).toHaveBeenCalledTimes(2);
});
