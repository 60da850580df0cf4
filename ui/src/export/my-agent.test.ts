// The watched agent's ranking first: chosen once its memory is ready, one key to Memlens's and back, and its config changed from any trace.
import { render, screen, waitFor, within } from "@testing-library/svelte";
import { afterEach, describe, expect, it } from "vitest";
import { CLERK } from "../../tests/fake/agent-pipeline";
import { FakeBackend, type FakeOptions } from "../../tests/fake-backend";
import { setupUser } from "../../tests/user";
import App from "../App.svelte";
import type { PipelineInfo } from "../api/bindings";
import { Workspace, workspaceContext } from "../workspace.svelte";

const QUERY = "the internet is down at home";
const MINE: PipelineInfo = {
  ...CLERK,
  is_own: true,
  yours: {
    path: "~/.clerk/clerk.json",
    label: "Clerk 1.2 (yours)",
    values: { "clerk.min_score": 0.35 },
    version_assumed: null,
    problems: [],
  },
};
const OTHER: PipelineInfo = { ...CLERK, id: "clerk@1.1", label: "Clerk 1.1" };

afterEach(() => localStorage.clear());

async function open(options: FakeOptions = {}, prepare: (backend: FakeBackend) => void = () => undefined) {
  const backend = new FakeBackend({ nChunks: 90, pipelines: [OTHER, MINE], ...options });
  const { folders } = await backend.state();
  const agent = { id: "clerk", name: "Clerk" };
  backend.changeState({ folders: folders.map((folder) => ({ ...folder, agent })) });
  prepare(backend);
  delete document.documentElement.dataset["ready"];
  const workspace = new Workspace(backend);
  const user = setupUser();
  const { container, unmount } = render(App, { context: workspaceContext(workspace) });
  await waitFor(() => expect(document.documentElement.dataset["ready"]).toBe("true"));
  return { backend, workspace, user, container, unmount };
}

const preset = () => screen.getByRole("button", { name: /^Preset: / });

function gate() {
  let settle: () => void = () => undefined;
  const promise = new Promise<void>((resolve) => (settle = resolve));
  return { promise, settle };
}

describe("the watched agent's ranking", () => {
  it("is chosen at first, once its memory is ready", async () => {
    const { promise, settle } = gate();
    const { backend, workspace } = await open({}, (fake) => (fake.memoryGate = promise));
    expect(await screen.findByText(/^Memlens’s ranking answers until the memory of Clerk 1.2/)).toBeVisible();
    expect(preset()).toHaveAccessibleName("Preset: Memlens: Default");
    expect(backend.calls.find(({ name }) => name === "prepareMemory")?.args).toEqual([
      { pipeline: "clerk@1.2", values: expect.objectContaining({ "clerk.min_score": 0.35 }) as unknown },
    ]);
    settle();
    await waitFor(() => expect(preset()).toHaveAccessibleName("Preset: Clerk 1.2 (yours)"));
    expect(screen.queryByText(/ranking answers until/)).toBeNull();
    expect(workspace.search.pin.name).toBe("Yours");
    expect(workspace.pipelines.isUsers).toBe(false);
  });

  it("is offered, and moves no row, where an answer is shown", async () => {
    const { promise, settle } = gate();
    const { workspace, user } = await open({ startQuery: QUERY }, (fake) => (fake.memoryGate = promise));
    await screen.findByText(/ranking answers until the memory of Clerk/);
    settle();
    await screen.findByText("The memory of Clerk 1.2 (yours) is ready.", { exact: false });
    expect(workspace.search.rankedBy?.pipeline).toBe("memlens");
    await user.click(screen.getByRole("button", { name: "Show its ranking R" }));
    await waitFor(() => expect(workspace.search.rankedBy?.pipeline).toBe("clerk@1.2"));
    expect(screen.queryByText(/is ready/)).toBeNull();
  });

  it("is not chosen over what the user chose, now or before", async () => {
    const { promise, settle } = gate();
    const first = await open({}, (fake) => (fake.memoryGate = promise));
    first.workspace.pipelines.chooseOwn();
    settle();
    await waitFor(() => expect(screen.queryByText(/ranking answers until/)).toBeNull());
    expect(preset()).toHaveAccessibleName("Preset: Memlens: Default");
    await waitFor(() => expect(JSON.stringify(localStorage)).toContain('isChosen\\":true'));
    first.unmount();
    const second = await open();
    expect(second.workspace.pipelines.isUsers).toBe(true);
    expect(second.backend.nCalls("prepareMemory")).toBe(0);
  });

  it("is not chosen while vectors are missing, or where it cannot be made", async () => {
    const { workspace, backend } = await open({}, (fake) => (fake.isMemoryWhole = false));
    await waitFor(() => expect(backend.nCalls("prepareMemory")).toBe(1));
    await waitFor(() => expect(workspace.whose.awaited).toBeNull());
    expect(preset()).toHaveAccessibleName("Preset: Memlens: Default");
  });

  it("waits until all is indexed", async () => {
    const { backend } = await open({
      indexing: { n_done: 1, n_total: 9, share: 0.1, file: null, seconds_left: null },
    });
    expect(backend.nCalls("prepareMemory")).toBe(0);
    backend.changeState({ indexing: null });
    await waitFor(() => expect(preset()).toHaveAccessibleName("Preset: Clerk 1.2 (yours)"));
  });

  it("is named without “yours” where no config says how it ranks", async () => {
    await open({ pipelines: [OTHER, { ...MINE, yours: null }] });
    await waitFor(() => expect(preset()).toHaveAccessibleName("Preset: Clerk 1.2"));
  });

  it("has no part in a window without such an agent", async () => {
    const { backend, workspace } = await open({ pipelines: [{ ...MINE, is_own: false }] });
    expect(workspace.whose.mine).toBeNull();
    expect(backend.nCalls("prepareMemory")).toBe(0);
    expect(preset()).toHaveAccessibleName("Preset: Default");
    expect(screen.queryByRole("button", { name: "Apply…" })).toBeNull();
  });

  it("and Memlens's change places at one key", async () => {
    const { user } = await open();
    await waitFor(() => expect(preset()).toHaveAccessibleName("Preset: Clerk 1.2 (yours)"));
    (document.activeElement as HTMLElement).blur();
    await user.keyboard("r");
    expect(preset()).toHaveAccessibleName("Preset: Memlens: Default");
    await user.keyboard("R");
    expect(preset()).toHaveAccessibleName("Preset: Clerk 1.2 (yours)");
  });

  it("is the first of the menu, and Memlens's the second", async () => {
    const { user } = await open();
    await user.click(preset());
    const menu = await screen.findByRole("menu", { hidden: true });
    const heads = Array.from(menu.querySelectorAll(".menu-head"), ({ textContent }) => textContent.trim());
    expect(heads).toEqual([
      expect.stringMatching(/^Your agent/) as unknown,
      expect.stringMatching(/^Memlens’s own/) as unknown,
      expect.stringMatching(/^Other agents/) as unknown,
    ]);
    const first = within(menu).getAllByRole("menuitem", { hidden: true })[0];
    expect(first).toHaveTextContent("Clerk 1.2 (yours)");
  });
});

describe("Apply to my agent", () => {
  async function openApplying(options: FakeOptions = {}) {
    const opened = await open({ tune: "judged", ...options });
    await waitFor(() => expect(preset()).toHaveAccessibleName("Preset: Clerk 1.2 (yours)"));
    opened.workspace.pipelines.chosen.set("clerk.min_score", 0.5);
    await opened.user.click(screen.getByRole("button", { name: "Apply…" }));
    const dialog = await screen.findByRole("dialog", { name: "Apply to Clerk 1.2 (yours)" });
    return { ...opened, dialog };
  }

  it("shows the change, measures it in the agent's own ranking, writes it, and undoes it", async () => {
    const { backend, user, dialog } = await openApplying();
    const changes = await within(dialog).findByRole("region", { name: "What changes in the config" });
    expect(changes).toHaveTextContent("- minScore: 0.35,+ minScore: 0.5,");
    const table = await within(dialog).findByRole("table", { name: "Before and after" });
    const measured = backend.calls.findLast(({ name }) => name === "measureSet");
    const by = (least: number) => ({ pipeline: "clerk@1.2", values: { "clerk.min_score": least } });
    expect(measured?.args.slice(0, 2)).toEqual([
      { set: "judgments", without: [], ranking: by(0.5) },
      by(0.35),
    ]);
    const figures = within(table)
      .getAllByRole("row")
      .map(({ textContent }) => textContent);
    await user.click(within(dialog).getByRole("button", { name: "Write…" }));
    expect(await within(dialog).findByText(/^Written:/)).toHaveTextContent("nothing in it is refused");
    // The figures stay, of before and after what was written.
    expect(
      within(dialog)
        .getAllByRole("row")
        .map(({ textContent }) => textContent),
    ).toEqual(figures);
    expect(within(dialog).getByRole("button", { name: "Write…" })).toBeDisabled();
    await user.click(within(dialog).getByRole("button", { name: "Undo…" }));
    expect(await within(dialog).findByText(/^Put back:/)).toBeInTheDocument();
    expect(within(dialog).queryByRole("button", { name: "Undo…" })).toBeNull();
  });

  it("measures on another set of the list, or on a file that is one entry of it", async () => {
    const { backend, user, dialog } = await openApplying();
    const chosen = (name: string) => within(dialog).findByRole("button", { name: `Query set: ${name}` });
    const open = async (name: string) => {
      await user.click(await chosen(name));
      return screen.findByRole("menu", { hidden: true });
    };
    const pick = async (from: string, entry: string) => {
      const item = within(await open(from))
        .getByText(entry)
        .closest("[role^='menuitem']");
      await user.click(item as HTMLElement);
    };
    const lastSet = () => {
      const asked = backend.calls.findLast(({ name }) => name === "measureSet")?.args[0];
      return (asked as { set: string }).set;
    };
    await pick("Judgments", "agent-memory-57");
    await waitFor(() => expect(lastSet()).toBe("1"));
    await pick("agent-memory-57", "Import a file…");
    await waitFor(() => expect(lastSet()).toBe("m1"));
    expect(await within(dialog).findByText("Imported", { exact: false })).toBeVisible();
    // A file of that name again: the user decides, once.
    await pick("locomo", "Import a file…");
    const taken = await screen.findByRole("dialog", { name: "There is a query set of this name" });
    await user.click(within(taken).getByRole("button", { name: "Keep both" }));
    await waitFor(() => expect(lastSet()).toBe("m2"));
    expect(await chosen("locomo (2)")).toBeVisible();
    // What can be done with a set elsewhere can be done here.
    const menu = await open("locomo (2)");
    // The menu is in the dialog: what is behind the dialog is not reached.
    expect(dialog).toContainElement(menu);
    for (const name of ["Save as…", "Duplicate", "Merge…", "Export as CSV…", "Rename…", "Delete…"]) {
      expect(menu).toHaveTextContent(name);
    }
  });

  it("says what the agent refuses of what was written", async () => {
    const { backend, user, dialog } = await openApplying();
    backend.exportWrite = () =>
      Promise.resolve({ path: "a", backup: "b", n_backups: 1, problems: ["it switches the search off"] });
    await user.click(await within(dialog).findByRole("button", { name: "Write…" }));
    expect(await within(dialog).findByText("It switches the search off.")).toBeInTheDocument();
    expect(dialog).not.toHaveTextContent("nothing in it is refused");
  });

  it("keeps the way back where the user does not agree to undo", async () => {
    const { backend, user, dialog } = await openApplying();
    await user.click(await within(dialog).findByRole("button", { name: "Write…" }));
    backend.exportUndo = () => Promise.resolve(null);
    await user.click(await within(dialog).findByRole("button", { name: "Undo…" }));
    await waitFor(() => expect(within(dialog).getByRole("button", { name: "Undo…" })).toBeEnabled());
  });

  it("says how to get something to measure by, and that nothing is to be applied", async () => {
    const { workspace, user } = await open();
    await waitFor(() => expect(preset()).toHaveAccessibleName("Preset: Clerk 1.2 (yours)"));
    await user.click(screen.getByRole("button", { name: "Apply…" }));
    const dialog = await screen.findByRole("dialog");
    expect(await within(dialog).findByText(/holds these settings already/)).toBeInTheDocument();
    expect(within(dialog).getByRole("button", { name: "Write…" })).toBeDisabled();
    expect(await within(dialog).findByText(/^No question with a known answer/)).toBeInTheDocument();
    expect(workspace.applying.measured).toBeNull();
  });

  it("of Memlens's ranking says what has no exact setting there", async () => {
    const { user, workspace } = await open({ tune: "judged" });
    workspace.pipelines.chooseOwn();
    await user.click(screen.getByRole("button", { name: "Apply…" }));
    const dialog = await screen.findByRole("dialog");
    expect(await within(dialog).findByText(/2 parameters of 3/)).toHaveTextContent(
      "have no exact setting there",
    );
  });
});
