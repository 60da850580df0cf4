import { fireEvent, render, screen, waitFor } from "@testing-library/svelte";
import { expect, it } from "vitest";
import { FakeBackend } from "../../tests/fake-backend";
import App from "../App.svelte";
import { Workspace, workspaceContext } from "../workspace.svelte";

it("the webview's own menu comes up only on text that is typed or selected", async () => {
  const workspace = new Workspace(new FakeBackend({ nChunks: 50, startQuery: "internet" }));
  render(App, { context: workspaceContext(workspace) });
  await waitFor(() => expect(document.documentElement.dataset.ready).toBe("true"));
  /** Whether the menu is shown: nothing handled the event. */
  const comesUp = (element: Element) => fireEvent.contextMenu(element);
  const row = document.querySelector("[role='row'][data-chunk] .path");
  const [heading, other] = document.querySelectorAll(".rail h3");
  const slider = document.querySelector("input[type='range']");
  if (row === null || heading === undefined || other === undefined || slider === null)
    throw new Error("no row, no headings, no slider");
  // A row has a menu of ours.
  expect(await comesUp(row)).toBe(false);
  expect(await comesUp(slider)).toBe(false);
  expect(await comesUp(document.body)).toBe(false);
  expect(await comesUp(screen.getByRole("searchbox", { name: "Question" }))).toBe(true);
  expect(await comesUp(heading)).toBe(false);
  document.getSelection()?.selectAllChildren(heading);
  expect(await comesUp(heading)).toBe(true);
  expect(await comesUp(other)).toBe(false);
});
