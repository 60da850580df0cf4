// Zoom by keys and in Settings: the requests of the page to the window, and what is stored.
import { cleanup, render, screen, waitFor } from "@testing-library/svelte";
import { afterEach, expect, it } from "vitest";
import { FakeBackend } from "../../tests/fake-backend";
import { setupUser } from "../../tests/user";
import App from "../App.svelte";
import { Workspace, workspaceContext } from "../workspace.svelte";

afterEach(() => localStorage.clear());

async function open() {
  cleanup();
  delete document.documentElement.dataset.ready;
  const backend = new FakeBackend({ nChunks: 5 });
  const workspace = new Workspace(backend);
  render(App, { context: workspaceContext(workspace) });
  await waitFor(() => expect(document.documentElement.dataset.ready).toBe("true"));
  const asked = () => backend.calls.filter(({ name }) => name === "zoom").map(({ args }) => args[0]);
  return { workspace, asked, user: setupUser() };
}

it("goes by steps between its bounds, is kept, and goes back", async () => {
  const { workspace, asked, user } = await open();
  expect(asked()).toEqual([]);
  await user.keyboard("{Control>}+={/Control}");
  expect(asked()).toEqual([1.1, 1.25]);
  await user.keyboard("{Control>}-{/Control}");
  workspace.show("settings");
  expect(await screen.findByText("110 %")).toBeInTheDocument();
  await user.click(screen.getByRole("button", { name: "Zoom in" }));
  expect(screen.getByText("125 %")).toBeInTheDocument();

  const later = await open();
  expect(later.asked()).toEqual([1.25]);
  await user.keyboard("{Control>}0{/Control}");
  expect(later.workspace.zoom.factor).toBe(1);
  for (let at = 0; at < 20; at++) later.workspace.zoom.step(-1);
  expect([later.workspace.zoom.factor, later.workspace.zoom.isLeast]).toEqual([0.5, true]);
  for (let at = 0; at < 20; at++) later.workspace.zoom.step(1);
  expect([later.workspace.zoom.factor, later.workspace.zoom.isMost]).toEqual([3, true]);
});

it("takes no factor from a store that holds nonsense", async () => {
  localStorage.setItem("memlens.zoom", "9000");
  const { workspace, asked } = await open();
  expect(workspace.zoom.factor).toBe(1);
  expect(asked()).toEqual([]);
});
