// The menu of a row of the tree: what it offers, what it does, and how it opens.
import { render, screen, waitFor, within } from "@testing-library/svelte";
import { describe, expect, it } from "vitest";
import { violations } from "../../tests/axe";
import { LibraryBackend } from "../../tests/fake/library";
import { layOut } from "../../tests/layout";
import { setupUser } from "../../tests/user";
import App from "../App.svelte";
import { Workspace, workspaceContext } from "../workspace.svelte";

layOut();

async function open() {
  const backend = new LibraryBackend();
  const workspace = new Workspace(backend);
  workspace.show("memory");
  const user = setupUser();
  render(App, { context: workspaceContext(workspace) });
  await screen.findByRole("treeitem", { name: /^people/ });
  const menuOf = async (name: RegExp) => {
    await user.pointer({ keys: "[MouseRight]", target: screen.getByRole("treeitem", { name }) });
    return within(await screen.findByRole("menu"));
  };
  const root = () => workspace.library.state?.folders.find(({ id }) => id === "notes")?.path ?? "";
  return { backend, workspace, user, menuOf, root };
}

const SIGNE = "people/signe-profile.md";

describe("the menu of a note", () => {
  it("copies its path, shows it in its folder and opens it in the editor", async () => {
    const { backend, user, menuOf, root } = await open();
    await user.click((await menuOf(/^signe-profile/)).getByText("Copy path"));
    expect(await screen.findByText("Copied the path.")).toBeInTheDocument();
    expect(await navigator.clipboard.readText()).toBe(`${root()}/${SIGNE}`);
    await user.click((await menuOf(/^signe-profile/)).getByText("Show in folder"));
    await waitFor(() =>
      expect(backend.calls).toContainEqual({ name: "showInFolder", args: ["notes", SIGNE] }),
    );
    await user.click((await menuOf(/^signe-profile/)).getByText("Open in editor"));
    await waitFor(() =>
      expect(backend.calls.find(({ name }) => name === "openInEditor")?.args.slice(0, 3)).toEqual([
        "notes",
        SIGNE,
        null,
      ]),
    );
  });

  it("says what failed, beside the tree", async () => {
    const { backend, user, menuOf } = await open();
    backend.showInFolder = () => Promise.reject(new Error("no file manager answered"));
    await user.click((await menuOf(/^signe-profile/)).getByText("Show in folder"));
    expect(await screen.findByText("No file manager answered.")).toBeInTheDocument();
    await user.click(screen.getByRole("button", { name: "Close" }));
    expect(screen.queryByText("No file manager answered.")).toBeNull();
  });
});

describe("the menu of a folder", () => {
  it("leads to a question that is asked in it", async () => {
    const { backend, workspace, user, menuOf } = await open();
    await user.click((await menuOf(/^people/)).getByText("Search here"));
    // No question is typed: the box takes the focus.
    await waitFor(() => expect(document.activeElement).toHaveAttribute("id", "query"));
    expect(workspace.search.scope).toEqual({
      kind: "folder",
      folder: "notes",
      path: "people",
      label: "people",
    });
    await user.keyboard("internet{Enter}");
    await waitFor(() =>
      expect(backend.calls.findLast(({ name }) => name === "search")?.args[2]).toEqual({
        folder: "notes",
        path: "people",
      }),
    );
    // Where it is asked is shown, and can be left.
    await user.click(await screen.findByLabelText("Search in: people"));
    // By selector: a query by role computes the styles of the whole window each time.
    const everywhere = () => document.querySelector("[role='menuitemradio']");
    await waitFor(() => expect(everywhere()).toHaveTextContent("All folders"));
    await user.click(everywhere() ?? document.body);
    await waitFor(() => expect(workspace.search.scope).toBeNull());
  });

  it("lists what is impossible with its reason", async () => {
    const { menuOf } = await open();
    const menu = await menuOf(/^people/);
    const edit = menu.getByText("Open in editor").closest("[role='menuitem']");
    expect(edit).toHaveAttribute("aria-disabled", "true");
    expect(edit).toHaveTextContent("only for notes");
    expect(menu.getByText("Collapse")).toBeInTheDocument();
    expect(await violations(document.body)).toEqual([]);
  });
});

it("the menu opens by the Menu key, Shift F10 and the button for more", async () => {
  const { user, workspace } = await open();
  const menu = () => document.querySelector("[role='menu']");
  screen.getByRole("tree").focus();
  await user.keyboard("{ArrowDown}");
  for (const keys of ["{ContextMenu}", "{Shift>}{F10}{/Shift}"]) {
    await user.keyboard(keys);
    await waitFor(() => expect(menu()).toHaveAccessibleName("people"));
    await user.keyboard("{Escape}");
    await waitFor(() => expect(menu()).toBeNull());
  }
  await user.click(screen.getByLabelText("Menu of signe-profile.md"));
  await waitFor(() => expect(menu()).toHaveAccessibleName("signe-profile.md"));
  // The row is not pressed: no note was opened.
  expect(workspace.memory.openId).toBeNull();
});
