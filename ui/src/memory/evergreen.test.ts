// What the user keeps from decay, marked in the tree.
import { render, screen, waitFor, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { describe, expect, test } from "vitest";
import { LibraryBackend } from "../../tests/fake/library";
import { layOut } from "../../tests/layout";
import { setupUser } from "../../tests/user";
import App from "../App.svelte";
import { Workspace, workspaceContext } from "../workspace.svelte";

layOut();

async function open(
  prepare: (backend: LibraryBackend) => void = () => {},
  backend: LibraryBackend = new LibraryBackend(),
) {
  prepare(backend);
  const workspace = new Workspace(backend);
  workspace.show("memory");
  const user = setupUser();
  render(App, { context: workspaceContext(workspace) });
  await screen.findByRole("treeitem", { name: /^people/ });
  return { backend, workspace, user };
}

const item = (name: RegExp) => screen.getByRole("treeitem", { name });

describe("evergreen", () => {
  test("a folder is marked by a key, with all that lies in it, and marked no longer by the same", async () => {
    const { backend, user } = await open();
    screen.getByRole("tree").focus();
    await user.keyboard("{ArrowDown}");
    await user.keyboard("{Control>}e{/Control}");
    await waitFor(() => expect(item(/^people, .*does not decay$/)).toBeInTheDocument());
    expect(item(/^signe-profile\.md, .*does not decay$/).querySelector("svg")).not.toBeNull();
    expect(item(/^home-server\.md/)).not.toHaveAccessibleName(/decay/);
    expect(backend.calls.findLast(({ name }) => name === "setEvergreen")?.args).toEqual([
      "notes",
      "people",
      true,
    ]);
    await user.keyboard("{Control>}e{/Control}");
    await waitFor(() => expect(item(/^people/)).not.toHaveAccessibleName(/decay/));
  });

  test("a note is marked from the menu of its row, and the present search ranks by it at once", async () => {
    const { backend, workspace, user } = await open();
    await workspace.search.searchNow("internet at home");
    const nRanked = backend.nCalls("rank");
    await user.pointer({ keys: "[MouseRight]", target: item(/^signe-profile/) });
    const menu = await screen.findByRole("menu");
    expect(within(menu).getByRole("menuitemcheckbox")).toHaveAttribute("aria-checked", "false");
    await user.click(within(menu).getByRole("menuitemcheckbox"));
    await waitFor(() => expect(item(/^signe-profile\.md, .*does not decay$/)).toBeInTheDocument());
    await waitFor(() => expect(backend.nCalls("rank")).toBe(nRanked + 1));
  });

  test("the menu of a note stays with it, and goes when the note does", async () => {
    const { backend, user } = await open();
    await user.pointer({ keys: "[MouseRight]", target: item(/^signe-profile/) });
    expect(await screen.findByRole("menu", { name: "signe-profile.md" })).toBeInTheDocument();
    backend.delete("notes", "people/health-and-food.md");
    // The tree is read once a second at most.
    const soon = { timeout: 4_000 };
    const other = () => screen.queryByRole("treeitem", { name: /^health/, hidden: true });
    await waitFor(() => expect(other()).toBeNull(), soon);
    expect(screen.getByRole("menu", { name: "signe-profile.md" })).toBeInTheDocument();
    backend.delete("notes", "people/signe-profile.md");
    await waitFor(() => expect(screen.queryByRole("menu")).toBeNull(), soon);
  });

  test("a row that the search for names hides is not marked, nor another for it", async () => {
    const { backend, user } = await open();
    screen.getByRole("tree").focus();
    await user.keyboard("{ArrowDown}");
    await user.type(screen.getByRole("searchbox", { name: "Find a note by its name" }), "home-server");
    await waitFor(() => expect(screen.queryByRole("treeitem", { name: /^people/ })).toBeNull());
    await user.keyboard("{Control>}e{/Control}");
    expect(backend.nCalls("setEvergreen")).toBe(0);
  });

  test("what cannot be marked stays as it is, and why is said", async () => {
    const { backend, user } = await open();
    backend.failing.setEvergreen = {
      code: "error",
      message: "cannot change the library: process 7 writes to it",
    };
    screen.getByRole("tree").focus();
    await user.keyboard("{Control>}e{/Control}");
    expect(await screen.findByText(/process 7 writes to it/)).toBeInTheDocument();
    expect(item(/^memory/)).not.toHaveAccessibleName(/decay/);
  });
});

test("the tree names its active row only while that is drawn", async () => {
  const files = Array.from({ length: 900 }, (_, at) => ({ folder: "notes", path: `people/${at}.md` }));
  await open(undefined, new LibraryBackend({ files }));
  const tree = screen.getByRole("tree");
  expect(document.getElementById(tree.getAttribute("aria-activedescendant") ?? "")).toBe(item(/^memory/));
  await userEvent.click(item(/^people/));
  tree.scrollTo({ top: 9_000 });
  await waitFor(() => expect(tree).not.toHaveAttribute("aria-activedescendant"));
  tree.scrollTo({ top: 0 });
  await waitFor(() => expect(tree).toHaveAttribute("aria-activedescendant"));
});
