// The state that the window restores when it is opened again.
import { cleanup, render, screen, waitFor } from "@testing-library/svelte";
import { describe, expect, it } from "vitest";
import { FakeBackend, type FakeOptions } from "../tests/fake-backend";
import { DEFAULTS } from "./api/parameters";
import type { LibraryState } from "./api/bindings";
import App from "./App.svelte";
import { Workspace, workspaceContext } from "./workspace.svelte";

const PRESET = { name: "Strict", params: { ...DEFAULTS, min_score: 0.5 }, notes: [], is_built_in: false };

/** Opens the window as at a start, with only its stored state. */
async function start(options: FakeOptions & { dataDir?: string } = {}) {
  cleanup();
  delete document.documentElement.dataset.ready;
  const backend = new FakeBackend({ nChunks: 20, presets: [PRESET], ...options });
  const { dataDir } = options;
  if (dataDir !== undefined) {
    const state = backend.state.bind(backend);
    backend.state = async (): Promise<LibraryState> => ({ ...(await state()), data_dir: dataDir });
  }
  const workspace = new Workspace(backend);
  render(App, { context: workspaceContext(workspace) });
  await waitFor(() => expect(document.documentElement.dataset.ready).toBe("true"));
  return workspace;
}

const folderOf = ({ library }: Workspace) => {
  const folder = library.state?.folders[0];
  if (folder === undefined) throw new Error("no folder");
  return folder;
};

describe("a window that is opened again", () => {
  it("goes on with sliders, preset, pin, scope and view", async () => {
    const before = await start();
    before.presets.choose(PRESET);
    before.parameters.set("vector_weight", 0.3);
    before.search.pinTo({ name: "Mine", params: { ...DEFAULTS, max_results: 7 } });
    const { id, name } = folderOf(before);
    before.search.scopeTo({ kind: "folder", folder: id, path: "", label: name });
    before.show("memory");

    await new Promise((rest) => setTimeout(rest));
    const after = await start();
    expect(after.parameters.current).toEqual({ ...PRESET.params, vector_weight: 0.3 });
    expect(after.parameters.canUndo).toBe(false);
    expect(after.presets.chosen).toEqual(PRESET);
    expect(after.presets.isChanged).toBe(true);
    expect(after.search.pin).toEqual({ name: "Mine", params: { ...DEFAULTS, max_results: 7 } });
    expect(after.search.scope).toEqual({ kind: "folder", folder: id, path: "", label: name });
    expect(after.view).toBe("memory");
  });

  it("leaves alone what was moved before the library was read", async () => {
    const before = await start();
    before.parameters.set("min_score", 0.4);
    await new Promise((rest) => setTimeout(rest));
    cleanup();
    const workspace = new Workspace(new FakeBackend({ nChunks: 20, presets: [PRESET] }));
    workspace.parameters.set("max_results", 7);
    delete document.documentElement.dataset.ready;
    render(App, { context: workspaceContext(workspace) });
    await waitFor(() => expect(document.documentElement.dataset.ready).toBe("true"));
    expect(workspace.parameters.current).toEqual({ ...DEFAULTS, max_results: 7 });
    expect(workspace.parameters.canUndo).toBe(true);
  });

  it("keeps a drag when it ends", async () => {
    const before = await start();
    before.parameters.preview("vector_weight", 0.3);
    await new Promise((rest) => setTimeout(rest));
    expect((await start()).parameters.current).toEqual(DEFAULTS);
  });

  it("shows the answer of a question that it was started with", async () => {
    (await start()).show("memory");
    await new Promise((rest) => setTimeout(rest));
    expect((await start({ startQuery: "internet" })).view).toBe("search");
    expect(screen.getByRole("searchbox", { name: "Question" })).toHaveValue("internet");
  });

  it("keeps libraries apart", async () => {
    (await start({ dataDir: "/one" })).parameters.set("vector_weight", 0.3);
    await new Promise((rest) => setTimeout(rest));
    expect((await start({ dataDir: "/two" })).parameters.current).toEqual(DEFAULTS);
    expect((await start({ dataDir: "/one" })).parameters.current.vector_weight).toBe(0.3);
  });
});

describe("what was kept and is damaged", () => {
  const key = async () => `memlens.session ${(await start()).library.state?.data_dir ?? ""}`;

  it.each([
    "{",
    "null",
    "[]",
    JSON.stringify({ values: null, preset: 3, pins: "x", scope: [], view: "nowhere", pipeline: {} }),
    JSON.stringify({
      values: { memlens: { vector_weight: 7, fusion: "none such", max_results: 1.5, gone: 1 } },
      pins: { memlens: { name: 1, values: {} }, other: null },
      scope: { kind: "folder", folder: "99", path: "", label: "Gone" },
      preset: "no such preset",
      pipeline: "no such pipeline",
    }),
    JSON.stringify({ values: { memlens: { vector_weight: 0, text_weight: 0 } } }),
  ])("gives the defaults: %s", async (kept) => {
    localStorage.setItem(await key(), kept);
    const workspace = await start();
    expect(workspace.parameters.current).toEqual(DEFAULTS);
    expect(workspace.presets.chosen.name).toBe("Default");
    expect(workspace.search.pin).toEqual({ name: "Default", params: DEFAULTS });
    expect(workspace.search.scope).toBeNull();
    expect(workspace.view).toBe("search");
  });

  it("costs nothing of what is sound", async () => {
    const kept = {
      values: { memlens: { vector_weight: 0.3, max_results: "many" } },
      scope: 1,
      view: "memory",
    };
    localStorage.setItem(await key(), JSON.stringify(kept));
    const workspace = await start();
    expect(workspace.parameters.current).toEqual({ ...DEFAULTS, vector_weight: 0.3 });
    expect(workspace.view).toBe("memory");
  });
});
