import { expect, it } from "vitest";
import type { JobProgress } from "./bindings";
import { RunningJobs } from "./jobs";

const replayed = (n_done: number): JobProgress => ({ job: "replay", progress: { n_done, n_all: 9 } });

it("reports the last known progress first, then each change, and the end once", () => {
  const jobs = new RunningJobs();
  jobs.take(replayed(1));
  const reports: unknown[] = [];
  jobs.follow("replay", (progress) => reports.push(progress?.n_done ?? null));
  jobs.take(replayed(2));
  jobs.take({ job: "replay", progress: null });
  expect(reports).toEqual([1, 2, null]);
});

it("reports no other job", () => {
  const jobs = new RunningJobs();
  jobs.take({ job: "nearest", progress: { n_done: 3, n_all: 4 } });
  const reports: unknown[] = [];
  jobs.follow("compare", (progress) => reports.push(progress));
  jobs.take({ job: "nearest", progress: null });
  expect(reports).toEqual([]);
});

it("reports nothing of a job that is over, also of a download, whose end has its figures", () => {
  const jobs = new RunningJobs();
  const download = { name: "m", done_bytes: 1, total_bytes: 2, error: null, cancelled: false };
  jobs.take({ job: "download", progress: { ...download, finished: false } });
  jobs.take({ job: "import", progress: null });
  jobs.take({ job: "download", progress: { ...download, error: "no disk", finished: true } });
  const reports: unknown[] = [];
  jobs.follow("download", (progress) => reports.push(progress));
  jobs.follow("import", (progress) => reports.push(progress));
  expect(reports).toEqual([]);
});

it("reports nothing more once it is ended, and goes on for those who still follow", () => {
  const jobs = new RunningJobs();
  const reports: string[] = [];
  const end = jobs.follow("replay", () => {
    reports.push("first");
    end();
  });
  jobs.follow("replay", () => reports.push("second"));
  jobs.take(replayed(1));
  jobs.take(replayed(2));
  expect(reports).toEqual(["first", "second", "second"]);
});
