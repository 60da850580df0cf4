import { fireEvent, render, screen, waitFor } from "@testing-library/svelte";
import { expect, it } from "vitest";
import { FakeBackend } from "../../tests/fake-backend";
import App from "../App.svelte";
import { Workspace, workspaceContext } from "../workspace.svelte";

it("the webview's own menu comes up only on text that is typed or selected", async () => {
  const workspace = new Workspace(new FakeBackend({ nChunks: 50, startQuery: "internet" }));
  render(App, { context: workspaceContext(workspace) });
  await waitFor(() => expect(document.documentElement.dataset.ready).toBe("true"));
  /** Whether the menu comes up: nobody took the event. */
  const comesUp = (element: Element) => fireEvent.contextMenu(element);
  const [row, other] = document.querySelectorAll("[role='row'][data-chunk] .path");
  const slider = document.querySelector("input[type='range']");
  if (row === undefined || other === undefined || slider === null) throw new Error("no rows, no slider");
  expect(await comesUp(row)).toBe(false);
  expect(await comesUp(slider)).toBe(false);
  expect(await comesUp(document.body)).toBe(false);
  expect(await comesUp(screen.getByRole("searchbox", { name: "Question" }))).toBe(true);
  document.getSelection()?.selectAllChildren(row);
  expect(await comesUp(row)).toBe(true);
  expect(await comesUp(other)).toBe(false);
});
