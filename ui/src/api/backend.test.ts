import { clearMocks, mockIPC } from "@tauri-apps/api/mocks";
import { afterEach, expect, it } from "vitest";
import { tauriBackend } from "./backend";
import { events } from "./bindings";

afterEach(clearMocks);

/** Answers commands, and passes events on inside the page. */
const answer = (command: Parameters<typeof mockIPC>[0]) => mockIPC(command, { shouldMockEvents: true });

/** Lets every promise that is ready run. */
const settled = () => new Promise((resolve) => setTimeout(resolve));

it("calls the command with its arguments by name", async () => {
  const asked: unknown[] = [];
  answer((command, args) => {
    asked.push([command, args]);
    return "the text";
  });
  expect(await tauriBackend().rowsCopied(3, { pipeline: "memlens", values: {} }, [1, 2], true)).toBe(
    "the text",
  );
  expect(asked).toEqual([
    ["rows_copied", { search: 3, ranking: { pipeline: "memlens", values: {} }, slots: [1, 2], asJson: true }],
  ]);
});

it("rejects with the error of a command as it is", async () => {
  const error = { code: "store", message: "cannot read the library: disk I/O error" };
  answer(() => {
    throw error;
  });
  await expect(tauriBackend().problems()).rejects.toBe(error);
});

it("makes an error of whatever else a call is rejected with", async () => {
  answer(() => {
    throw "command state not allowed";
  });
  await expect(tauriBackend().state()).rejects.toEqual({
    code: "unexpected",
    message: "command state not allowed",
  });
});

it("asks for trees with what it knows, also after a mark", async () => {
  const asked: unknown[] = [];
  const folder = { id: "1", path: "/notes", name: "notes" };
  answer((command, args) => {
    asked.push([command, args]);
    return command === "tree" ? [{ folder, is_evergreen: false, stamp: "s1", entries: [] }] : null;
  });
  const backend = tauriBackend();
  const first = await backend.tree();
  expect(await backend.setEvergreen("1", "people", true)).toEqual(first);
  expect(asked).toEqual([
    ["tree", { known: {} }],
    ["set_evergreen", { folder: "1", path: "people", isEvergreen: true }],
    ["tree", { known: { "1": { "": "s1" } } }],
  ]);
});

it("rejects a refused mark like every command", async () => {
  answer(() => {
    throw "the library is locked";
  });
  await expect(tauriBackend().setEvergreen("1", "", true)).rejects.toMatchObject({ code: "unexpected" });
});

it("hears an event until it is asked to stop", async () => {
  answer(() => undefined);
  const heard: unknown[] = [];
  const backend = tauriBackend();
  const stop = backend.onLost((lost) => heard.push(lost));
  const stopAtOnce = backend.onLost(() => heard.push("stopped before it listened"));
  stopAtOnce();
  await settled();
  await events.answersLost.emit(null);
  stop();
  await settled();
  await events.answersLost.emit(null);
  expect(heard).toEqual([null]);
});

it("reports the progress of a job that began before, and its end", async () => {
  answer(() => undefined);
  const backend = tauriBackend();
  await settled();
  const replayed = (n_done: number) => ({ job: "replay", progress: { n_done, n_all: 9 } }) as const;
  await events.jobProgressed.emit(replayed(1));
  const reports: unknown[] = [];
  const stop = backend.onProgress("replay", (progress) => reports.push(progress));
  await events.jobProgressed.emit({ job: "compare", progress: { n_done: 5, n_all: 5 } });
  await events.jobProgressed.emit(replayed(2));
  await events.jobProgressed.emit({ job: "replay", progress: null });
  stop();
  await events.jobProgressed.emit(replayed(3));
  expect(reports).toEqual([{ n_done: 1, n_all: 9 }, { n_done: 2, n_all: 9 }, null]);
});
