// The window without folders: the three ways to add one, and the message if that fails.
import type { DragDropEvent } from "@tauri-apps/api/webview";
import { render, screen, waitFor } from "@testing-library/svelte";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { violations } from "../../tests/axe";
import { LibraryBackend } from "../../tests/fake/library";
import { setupUser } from "../../tests/user";
import App from "../App.svelte";
import { Workspace, workspaceContext } from "../workspace.svelte";

type Listener = (event: { payload: DragDropEvent }) => void;
const tauri = vi.hoisted(() => ({ isTauri: false, listeners: new Set<unknown>() }));
vi.mock("@tauri-apps/api/core", async (original) => ({
  ...(await original<object>()),
  isTauri: () => tauri.isTauri,
}));
vi.mock("@tauri-apps/api/webview", () => ({
  getCurrentWebview: () => ({
    onDragDropEvent: (listener: unknown) => {
      tauri.listeners.add(listener);
      return Promise.resolve(() => tauri.listeners.delete(listener));
    },
  }),
}));

beforeEach(() => {
  tauri.isTauri = true;
  tauri.listeners.clear();
});
afterEach(() => {
  tauri.isTauri = false;
});

function drag(payload: Partial<DragDropEvent> & { type: DragDropEvent["type"] }): void {
  for (const listener of tauri.listeners) (listener as Listener)({ payload: payload as DragDropEvent });
}

async function open() {
  const backend = new LibraryBackend({ hasFolders: false });
  const user = setupUser();
  const { container, unmount } = render(App, { context: workspaceContext(new Workspace(backend)) });
  await screen.findByRole("heading", { name: "Which folders hold your agent's memory?" });
  return { backend, user, container, unmount };
}

const path = () => screen.getByRole("textbox", { name: "or type its path" });
const isSettled = () => screen.queryByRole("heading", { name: /Which folders/ }) === null;

describe("a folder", () => {
  test("is chosen with the system's dialog", async () => {
    const { backend, user } = await open();
    await user.click(screen.getByRole("button", { name: "Choose a folder…" }));
    await waitFor(() => expect(isSettled()).toBe(true));
    expect(backend.calls.find((call) => call.name === "addFolder")?.args).toEqual(["/home/robin/more-notes"]);
  });

  test("is typed, blanks at its ends left out", async () => {
    const { backend, user } = await open();
    expect(screen.getByRole("button", { name: "Add" })).toBeDisabled();
    await user.type(path(), "  ~/notes {Enter}");
    await waitFor(() => expect(isSettled()).toBe(true));
    expect(backend.calls.find((call) => call.name === "addFolder")?.args).toEqual(["~/notes"]);
  });

  test("is dropped on the window, which shows that it would be taken", async () => {
    const { backend } = await open();
    drag({ type: "enter" });
    expect(await screen.findByText("drop to add it")).toBeInTheDocument();
    drag({ type: "leave" });
    expect(await screen.findByText("or drop one on this window")).toBeInTheDocument();
    drag({ type: "drop", paths: ["/a", "/b"] });
    await waitFor(() => expect(isSettled()).toBe(true));
    await waitFor(() =>
      expect(backend.calls.filter((call) => call.name === "addFolder").map((call) => call.args[0])).toEqual([
        "/a",
        "/b",
      ]),
    );
  });

  test("is not listened for once the view is gone, nor outside the app", async () => {
    const { unmount } = await open();
    expect(tauri.listeners.size).toBe(1);
    unmount();
    await waitFor(() => expect(tauri.listeners.size).toBe(0));
    tauri.isTauri = false;
    await open();
    expect(tauri.listeners.size).toBe(0);
  });
});

describe("a folder that cannot be added", () => {
  test.each([
    [
      "/nowhere",
      "cannot watch /nowhere: there is no such folder",
      "Cannot watch /nowhere: there is no such folder.",
    ],
    [
      "/notes/a.md",
      "cannot watch /notes/a.md: it is a file; add the folder it lies in",
      "Cannot watch /notes/a.md: it is a file; add the folder it lies in.",
    ],
    ["/empty", "the folder is empty", "/empty: The folder is empty."],
  ])("%s says why in place and keeps what was typed", async (typed, message, said) => {
    const { backend, user } = await open();
    backend.refused.set(typed, { code: "folder", message });
    await user.type(path(), `${typed}{Enter}`);
    expect(await screen.findByRole("alert")).toHaveTextContent(said);
    expect(path()).toHaveValue(typed);
    expect(path()).toBeInvalid();
    expect(path()).toHaveAccessibleDescription(expect.stringContaining(said));
    backend.refused.clear();
    await user.click(screen.getByRole("button", { name: "Add" }));
    await waitFor(() => expect(isSettled()).toBe(true));
  });

  test("does not keep the others out", async () => {
    const { backend } = await open();
    backend.refused.set("/bad", { code: "folder", message: "cannot watch /bad: permission denied" });
    drag({ type: "drop", paths: ["/bad", "/good"] });
    await waitFor(() => expect(isSettled()).toBe(true));
    expect(backend.calls.filter((call) => call.name === "addFolder").map((call) => call.args[0])).toEqual([
      "/bad",
      "/good",
    ]);
  });

  test("twice says so twice", async () => {
    const { backend } = await open();
    backend.refused.set("/bad", { code: "folder", message: "cannot watch /bad: permission denied" });
    drag({ type: "drop", paths: ["/bad", "/bad"] });
    expect(await screen.findAllByText("Cannot watch /bad: permission denied.")).toHaveLength(2);
  });

  test("is not said when the dialog was cancelled", async () => {
    const { backend, user } = await open();
    vi.spyOn(backend, "pickFolder").mockResolvedValue(null);
    await user.click(screen.getByRole("button", { name: "Choose a folder…" }));
    expect(screen.queryByRole("alert")).toBeNull();
    expect(backend.nCalls("addFolder")).toBe(0);
  });

  test("because the dialog does not open is said", async () => {
    const { backend, user } = await open();
    backend.failing.pickFolder = { code: "dialog", message: "cannot open a dialog: no portal" };
    await user.click(screen.getByRole("button", { name: "Choose a folder…" }));
    expect(await screen.findByRole("alert")).toHaveTextContent("Cannot open a dialog: no portal.");
  });
});

test("it says what Memlens does and what comes after", async () => {
  await open();
  for (const words of ["Reads", "Never writes", "No network", "What you get"])
    expect(screen.getByText(words)).toBeInTheDocument();
});

test("an assistive tool finds nothing wrong, also with an error", async () => {
  const { backend, user, container } = await open();
  expect(await violations(container)).toEqual([]);
  backend.refused.set("/x", { code: "folder", message: "no" });
  await user.type(path(), "/x{Enter}");
  await screen.findByRole("alert");
  expect(await violations(container)).toEqual([]);
});
