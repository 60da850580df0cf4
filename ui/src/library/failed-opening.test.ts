// A library that cannot be opened: only the button has it tried once more.
import { render, screen, waitFor } from "@testing-library/svelte";
import { expect, test } from "vitest";
import { LibraryBackend } from "../../tests/fake/library";
import { setupUser } from "../../tests/user";
import App from "../App.svelte";
import { Workspace, workspaceContext } from "../workspace.svelte";

test("a library that cannot be opened is tried again by the button alone", async () => {
  const backend = new LibraryBackend();
  const user = setupUser();
  backend.failing = { state: { code: "store", message: "the library is damaged" } };
  render(App, { context: workspaceContext(new Workspace(backend)) });
  expect(await screen.findByRole("alert")).toHaveTextContent("The library is damaged.");
  for (const name of ["Search", "Memory", "Settings"])
    expect(screen.getByRole("button", { name })).toBeDisabled();
  expect(backend.nCalls("openAgain")).toBe(0);
  backend.failing.openAgain = { code: "store", message: "the library is still damaged" };
  await user.click(screen.getByRole("button", { name: "Try again" }));
  await waitFor(() => expect(screen.getByRole("alert")).toHaveTextContent("The library is still damaged."));
  expect(backend.nCalls("openAgain")).toBe(1);
});
