// Back and forward lead through the views and what they show, in the order in which the user saw them.
import { fireEvent, render, screen, waitFor } from "@testing-library/svelte";
import { beforeEach, expect, test } from "vitest";
import { FakeBackend } from "../tests/fake-backend";
import { layOut } from "../tests/layout";
import { setupUser } from "../tests/user";
import App from "./App.svelte";
import { viewOf } from "./view-history";
import { Workspace, workspaceContext } from "./workspace.svelte";

layOut();
beforeEach(() => history.replaceState(null, "", "#"));

async function open(startQuery: string | null) {
  const backend = new FakeBackend({ nChunks: 60, startQuery });
  const workspace = new Workspace(backend);
  const user = setupUser();
  render(App, { context: workspaceContext(workspace) });
  await waitFor(() => expect(document.documentElement.dataset["ready"]).toBe("true"));
  const go = (key: "ArrowLeft" | "ArrowRight") => fireEvent.keyDown(document.body, { key, altKey: true });
  return { backend, workspace, user, go };
}

test("back from a result's note is the search, and forward the note", async () => {
  const { workspace, user, go } = await open("relay quiet hours");
  const [row] = document.querySelectorAll<HTMLElement>("[data-chunk] .path");
  if (row === undefined) throw new Error("there are rows");
  await user.click(row);
  const slot = workspace.search.openSlot;
  await user.keyboard("m");
  await screen.findByRole("article", { name: "Note" });
  await go("ArrowLeft");
  await waitFor(() => expect(workspace.view).toBe("search"));
  expect(workspace.search.openSlot).toBe(slot);
  await go("ArrowRight");
  await screen.findByRole("article", { name: "Note" });
});

test("back from the contradictions is the list that they were opened from, and Escape closes them", async () => {
  const { user, workspace, go } = await open(null);
  await user.click(screen.getByRole("button", { name: "Memory" }));
  await user.click(await screen.findByRole("button", { name: "All notes" }));
  const toContradictions = () => user.click(screen.getByRole("button", { name: "Contradictions…" }));
  await toContradictions();
  await screen.findByRole("article", { name: "Contradictions" });
  await go("ArrowLeft");
  await screen.findByRole("article", { name: "Overview" });
  expect(workspace.overview.place.kind).toBe("list");
  await toContradictions();
  await screen.findByRole("article", { name: "Contradictions" });
  await fireEvent.keyDown(document.body, { key: "Escape" });
  await screen.findByRole("article", { name: "Overview" });
  expect(workspace.overview.place.kind).toBe("list");
});

test("an address that names no view is that of Search", () => {
  expect(viewOf("")).toBe("search");
  expect(viewOf("#view=nowhere")).toBe("search");
  expect(viewOf("#view=tune")).toBe("tune");
  expect(viewOf("#memory=contradictions")).toBe("memory");
});
