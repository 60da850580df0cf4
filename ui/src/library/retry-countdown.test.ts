// The window counts down to the next try of an indexing that failed, and wakes for nothing else.
import { render, screen } from "@testing-library/svelte";
import { tick } from "svelte";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { LibraryBackend } from "../../tests/fake/library";
import { Workspace, workspaceContext } from "../workspace.svelte";
import LibraryLine from "./LibraryLine.svelte";

const failedFor = (retry_s: number) => ({
  phase: { kind: "failed" as const, why: "cannot save documents: the disk is full", n_tries: 5, retry_s },
});

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

async function open() {
  const backend = new LibraryBackend();
  const workspace = new Workspace(backend);
  const stop = workspace.library.follow();
  await workspace.library.refresh();
  render(LibraryLine, { context: workspaceContext(workspace) });
  return { backend, stop };
}

async function saidAfter(ms: number): Promise<string | undefined> {
  vi.advanceTimersByTime(ms);
  await tick();
  return screen.queryByRole("button", { name: /^indexing failed/ })?.textContent?.trim();
}

test("the seconds until the next try are counted down, then it is tried", async () => {
  const { backend } = await open();
  backend.changeState(failedFor(16));
  expect(await saidAfter(0)).toBe("indexing failed; retrying in 16 s");
  expect(await saidAfter(999)).toBe("indexing failed; retrying in 16 s");
  expect(await saidAfter(1)).toBe("indexing failed; retrying in 15 s");
  expect(await saidAfter(14_000)).toBe("indexing failed; retrying in 1 s");
  expect(await saidAfter(1_000)).toBe("indexing failed; retrying now");
  expect(vi.getTimerCount()).toBe(0);
  backend.changeState(failedFor(30));
  expect(await saidAfter(2_000)).toBe("indexing failed; retrying in 28 s");
});

test("what is reported meanwhile is counted from", async () => {
  const { backend } = await open();
  backend.changeState(failedFor(16));
  expect(await saidAfter(1_500)).toBe("indexing failed; retrying in 15 s");
  backend.changeState(failedFor(8));
  expect(await saidAfter(600)).toBe("indexing failed; retrying in 8 s");
  expect(await saidAfter(400)).toBe("indexing failed; retrying in 7 s");
  expect(vi.getTimerCount()).toBe(1);
});

test("no timer runs where nothing failed, nor once the window is left", async () => {
  const { backend, stop } = await open();
  expect(vi.getTimerCount()).toBe(0);
  backend.changeState(failedFor(16));
  expect(vi.getTimerCount()).toBe(1);
  backend.changeState({ phase: { kind: "working" } });
  expect(await saidAfter(0)).toBeUndefined();
  expect(vi.getTimerCount()).toBe(0);
  backend.changeState(failedFor(16));
  stop();
  expect(vi.getTimerCount()).toBe(0);
});
