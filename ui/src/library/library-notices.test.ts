// A notice of the library is shown in every view until it is closed or over, and comes back when it happens again.
import { render, screen, waitFor } from "@testing-library/svelte";
import { expect, test } from "vitest";
import { LibraryBackend } from "../../tests/fake/library";
import { setupUser } from "../../tests/user";
import App from "../App.svelte";
import { Workspace, workspaceContext } from "../workspace.svelte";

const FULL = "Indexing is paused, and tried again every 30 s: the disk is full";

async function open() {
  const backend = new LibraryBackend();
  const workspace = new Workspace(backend);
  render(App, { context: workspaceContext(workspace) });
  await waitFor(() => expect(document.documentElement.dataset["ready"]).toBe("true"));
  return { backend, workspace, user: setupUser() };
}

test("a notice stands in every view, once, and can be closed", async () => {
  const { backend, workspace, user } = await open();
  backend.changeState({ notices: [FULL] });
  for (const view of ["search", "memory", "export", "settings"] as const) {
    workspace.show(view);
    expect(await screen.findAllByText(`${FULL}.`)).toHaveLength(1);
  }
  workspace.show("search");
  await user.click(await screen.findByRole("button", { name: "Close" }));
  await waitFor(() => expect(screen.queryByText(`${FULL}.`)).toBeNull());
});

test("a closed notice comes back when the same happens again", async () => {
  const { backend, user } = await open();
  backend.changeState({ notices: [FULL] });
  await user.click(await screen.findByRole("button", { name: "Close" }));
  backend.changeState({ n_files: 3 });
  await waitFor(() => expect(screen.queryByText(`${FULL}.`)).toBeNull());
  backend.changeState({ notices: [] });
  backend.changeState({ notices: [FULL] });
  expect(await screen.findByText(`${FULL}.`)).toBeInTheDocument();
});

test("equal notices stand once, in every view", async () => {
  const { backend, workspace } = await open();
  backend.changeState({ notices: [FULL, FULL] });
  for (const view of ["search", "settings"] as const) {
    workspace.show(view);
    await waitFor(() =>
      expect(screen.getByRole("button", { current: "page" })).toHaveTextContent(
        view === "search" ? "Search" : "Settings",
      ),
    );
    expect(await screen.findAllByText(`${FULL}.`)).toHaveLength(1);
  }
});

test("what failed for want of a folder is reported no more once the folder is back", async () => {
  const { backend, workspace } = await open();
  backend.failing.openInEditor = { code: "file", message: "cannot open /media/stick/old-agent/a.md" };
  await workspace.library.openInEditor("old", "a.md", 1);
  expect(workspace.library.error).not.toBeNull();
  backend.changeState({ n_files: 3 });
  expect(workspace.library.error).not.toBeNull();
  const folders = (workspace.library.state?.folders ?? []).map((one) =>
    one.id === "old" ? { ...one, status: "watching" as const } : one,
  );
  backend.changeState({ folders });
  expect(workspace.library.error).toBeNull();
});
