import { clearMocks, mockIPC } from "@tauri-apps/api/mocks";
import { afterEach, expect, it } from "vitest";
import { tauriBackend } from "./backend";
import { events } from "./bindings";

afterEach(clearMocks);

/** Lets every promise that is ready run. */
const settled = () => new Promise((resolve) => setTimeout(resolve));

it("calls the command with its arguments by name", async () => {
  const asked: unknown[] = [];
  mockIPC((command, args) => {
    asked.push([command, args]);
    return "the text";
  });
  expect(await tauriBackend.rowsCopied(3, { pipeline: "memlens", values: {} }, [1, 2], true)).toBe(
    "the text",
  );
  expect(asked).toEqual([
    ["rows_copied", { search: 3, ranking: { pipeline: "memlens", values: {} }, slots: [1, 2], asJson: true }],
  ]);
});

it("rejects with the error of a command as it is", async () => {
  const error = { code: "store", message: "cannot read the library: disk I/O error" };
  mockIPC(() => {
    throw error;
  });
  await expect(tauriBackend.problems()).rejects.toBe(error);
});

it("makes an error of whatever else a call is rejected with", async () => {
  mockIPC(() => {
    throw "command state not allowed";
  });
  await expect(tauriBackend.state()).rejects.toEqual({
    code: "unexpected",
    message: "command state not allowed",
  });
});

it("asks for trees with what it knows, also after a mark", async () => {
  const asked: unknown[] = [];
  const folder = { id: "1", path: "/notes", name: "notes" };
  mockIPC((command, args) => {
    asked.push([command, args]);
    return command === "tree" ? [{ folder, is_evergreen: false, stamp: "s1", entries: [] }] : null;
  });
  const first = await tauriBackend.tree();
  expect(await tauriBackend.setEvergreen("1", "people", true)).toEqual(first);
  expect(asked).toEqual([
    ["tree", { known: {} }],
    ["set_evergreen", { folder: "1", path: "people", isEvergreen: true }],
    ["tree", { known: { "1": { "": "s1" } } }],
  ]);
});

it("rejects a refused mark like every command", async () => {
  mockIPC(() => {
    throw "the library is locked";
  });
  await expect(tauriBackend.setEvergreen("1", "", true)).rejects.toMatchObject({ code: "unexpected" });
});

it("hears an event until it is told to stop", async () => {
  mockIPC(() => undefined, { shouldMockEvents: true });
  const heard: unknown[] = [];
  const stop = tauriBackend.onLost((lost) => heard.push(lost));
  const stopAtOnce = tauriBackend.onLost(() => heard.push("stopped before it listened"));
  stopAtOnce();
  await settled();
  await events.answersLost.emit(null);
  stop();
  await settled();
  await events.answersLost.emit(null);
  expect(heard).toEqual([null]);
});
