// The Settings view as the user sees it: folders, colours, and the question before a folder is removed.
import { render, screen, waitFor, within } from "@testing-library/svelte";
import { describe, expect, test } from "vitest";
import { violations } from "../../tests/axe";
import { LibraryBackend, type LibraryOptions } from "../../tests/fake/library";
import { chooseOption } from "../../tests/choose-option";
import { setupUser } from "../../tests/user";
import App from "../App.svelte";
import { Workspace, workspaceContext } from "../workspace.svelte";

async function open(options: LibraryOptions = {}) {
  const backend = new LibraryBackend(options);
  const workspace = new Workspace(backend);
  workspace.show("settings");
  const user = setupUser();
  const { container } = render(App, { context: workspaceContext(workspace) });
  await waitFor(() => expect(document.documentElement.dataset["ready"]).toBe("true"));
  return { backend, workspace, user, container };
}

describe("removing a folder", () => {
  test("asks first, says that notes are not touched and what is forgotten", async () => {
    const { backend, user } = await open();
    await user.click(screen.getByRole("button", { name: "Remove logs" }));
    const dialog = within(await screen.findByRole("alertdialog", { name: "Remove “logs” from Memlens?" }));
    expect(dialog.getByText(/Your notes are not touched/)).toBeInTheDocument();
    expect(dialog.getByText(/forgets its 4 files and 4 chunks:/)).toBeInTheDocument();
    expect(backend.nCalls("removeFolder")).toBe(0);
    await user.click(dialog.getByRole("button", { name: "Remove" }));
    await waitFor(() => expect(screen.queryByRole("button", { name: "Remove logs" })).toBeNull());
    expect(backend.calls.find((call) => call.name === "removeFolder")?.args).toEqual(["logs"]);
    expect(screen.getByRole("button", { name: "Remove memory" })).toBeInTheDocument();
  });

  test.each(["Cancel", "Escape"])("%s keeps it", async (way) => {
    const { backend, user } = await open();
    await user.click(screen.getByRole("button", { name: "Remove logs" }));
    const dialog = await screen.findByRole("alertdialog");
    if (way === "Escape") await user.keyboard("{Escape}");
    else await user.click(within(dialog).getByRole("button", { name: "Cancel" }));
    await waitFor(() => expect(screen.queryByRole("alertdialog")).toBeNull());
    expect(backend.nCalls("removeFolder")).toBe(0);
    expect(screen.getByRole("button", { name: "Remove logs" })).toBeInTheDocument();
  });

  test("has the safe answer under the finger", async () => {
    const { backend, user } = await open();
    await user.click(screen.getByRole("button", { name: "Remove logs" }));
    const dialog = await screen.findByRole("alertdialog");
    await waitFor(() => expect(within(dialog).getByRole("button", { name: "Cancel" })).toHaveFocus());
    await user.keyboard("{Enter}");
    expect(backend.nCalls("removeFolder")).toBe(0);
  });

  test("that fails says why beside the folder", async () => {
    const { backend, user } = await open();
    backend.failing.removeFolder = { code: "store", message: "cannot remove logs: the library is locked" };
    await user.click(screen.getByRole("button", { name: "Remove logs" }));
    await user.click(within(await screen.findByRole("alertdialog")).getByRole("button", { name: "Remove" }));
    expect(await screen.findByRole("alert")).toHaveTextContent("Cannot remove logs: the library is locked.");
    expect(screen.getByRole("button", { name: "Remove logs" })).toBeEnabled();
  });
});

describe("folders", () => {
  test("show name, path, state, reason and counts", async () => {
    await open();
    const [item] = screen.getAllByRole("listitem").filter((one) => within(one).queryByText("logs") !== null);
    for (const words of [
      "/mnt/nas/agents/logs",
      "polling",
      /Checked every 30 s because/,
      "4 files, 4 chunks",
    ])
      expect(within(item as HTMLElement).getByText(words)).toBeInTheDocument();
  });

  test("are paused and resumed", async () => {
    const { backend, user } = await open();
    await user.click(screen.getByRole("button", { name: "Pause memory" }));
    await user.click(await screen.findByRole("button", { name: "Resume memory" }));
    await screen.findByRole("button", { name: "Pause memory" });
    expect(backend.calls.filter((call) => call.name === "pauseFolder").map((call) => call.args)).toEqual([
      ["notes", true],
      ["notes", false],
    ]);
  });

  test("that moved are located, and no others offer it", async () => {
    const { backend, user } = await open();
    expect(screen.queryByRole("button", { name: "Locate memory" })).toBeNull();
    await user.click(screen.getByRole("button", { name: "Locate old-agent" }));
    await screen.findByText("/home/robin/more-notes");
    expect(backend.calls.find(({ name }) => name === "moveFolder")?.args).toEqual([
      ...["old", "/home/robin/more-notes"],
    ]);
    expect(screen.queryByRole("button", { name: /^Locate/ })).toBeNull();
  });

  test("are added by path", async () => {
    const { user } = await open();
    await user.type(screen.getByRole("textbox", { name: "or type its path" }), "/home/robin/more{Enter}");
    expect(await screen.findByRole("button", { name: "Remove more" })).toBeInTheDocument();
    expect(screen.getByRole("textbox", { name: "or type its path" })).toHaveValue("");
  });

  test("cannot be changed while another process writes, which is named", async () => {
    await open({ state: { read_only: "memlens index (process 4711) is writing" } });
    expect(screen.getByText(/process 4711/)).toBeInTheDocument();
    expect(screen.getByRole("button", { name: "Remove logs" })).toBeDisabled();
    expect(screen.getByRole("button", { name: "Pause logs" })).toBeDisabled();
    expect(screen.queryByRole("button", { name: "Choose a folder…" })).toBeNull();
  });
});

describe("what is stored", () => {
  test("is shown by size and part, and its folder is shown", async () => {
    const { backend, user } = await open();
    const row = async (name: string) => (await screen.findByRole("rowheader", { name })).closest("tr");
    expect(await row("Database")).toHaveTextContent("1.5 MB");
    expect(await row("BM25")).toHaveTextContent("220 kB");
    expect(await row("Vectors")).toHaveTextContent("180 kB");
    expect(screen.getByText("1.9 MB")).toBeInTheDocument();
    await user.click(screen.getByRole("button", { name: "Show" }));
    expect(backend.nCalls("showLibrary")).toBe(1);
  });

  test("is erased after a question that says what goes and what stays", async () => {
    const { backend, workspace, user } = await open();
    workspace.queries.remember("a question");
    await user.click(screen.getByRole("button", { name: "Erase all stored data…" }));
    const dialog = await screen.findByRole("alertdialog", { name: "Erase all stored data?" });
    for (const words of [
      /Your notes stay/,
      /list of 3 watched folders/,
      /saved presets/,
      /downloaded models and keys/,
      /This keeps/,
    ])
      expect(within(dialog).getByText(words)).toBeInTheDocument();
    expect(within(dialog).getByRole("button", { name: "Cancel" })).toHaveFocus();
    expect(await violations(dialog)).toEqual([]);
    expect(backend.nCalls("eraseAll")).toBe(0);
    await user.click(within(dialog).getByRole("button", { name: "Erase all" }));
    expect(await screen.findByText("No folders yet.")).toBeInTheDocument();
    expect(workspace.queries.queries).toEqual([]);
    expect(localStorage.getItem("memlens.queries")).toBeNull();
  });

  test("stays when the answer is no", async () => {
    const { backend, user } = await open();
    await user.click(screen.getByRole("button", { name: "Erase all stored data…" }));
    await user.click(within(await screen.findByRole("alertdialog")).getByRole("button", { name: "Cancel" }));
    await waitFor(() => expect(screen.queryByRole("alertdialog")).toBeNull());
    expect(backend.nCalls("eraseAll")).toBe(0);
  });

  test("says why it could not be erased", async () => {
    const { backend, user } = await open();
    backend.failing.eraseAll = { code: "store", message: "cannot erase the library: the disk is full" };
    await user.click(screen.getByRole("button", { name: "Erase all stored data…" }));
    await user.click(
      within(await screen.findByRole("alertdialog")).getByRole("button", { name: "Erase all" }),
    );
    expect(await screen.findByRole("alert")).toHaveTextContent("Cannot erase the library: the disk is full.");
    expect(screen.getByRole("button", { name: "Remove logs" })).toBeInTheDocument();
  });

  test("cannot be erased while another process writes", async () => {
    await open({ state: { read_only: "memlens index (process 4711) is writing" } });
    expect(screen.getByRole("button", { name: "Erase all stored data…" })).toBeDisabled();
  });
});

test("the colours are chosen at once", async () => {
  const { user } = await open();
  expect(screen.getByRole("radio", { name: "Match system" })).toBeChecked();
  await user.click(screen.getByRole("radio", { name: "Dark" }));
  expect(document.documentElement).toHaveAttribute("data-theme", "dark");
  expect(screen.getByRole("radio", { name: "Dark" })).toBeChecked();
});

test("model, data, version and keys are shown", async () => {
  await open();
  for (const words of [
    /nothing leaves it/,
    /Licence Apache-2\.0/,
    "/home/robin/.local/share/memlens",
    /Version 0\.1\.0/,
  ])
    expect(screen.getByText(words)).toBeInTheDocument();
  for (const place of ["Search", "Memory"])
    expect(screen.getByRole("heading", { name: place, level: 3 })).toBeInTheDocument();
});

test("an assistive tool finds nothing wrong, with and without the question", async () => {
  const { user, container } = await open();
  expect(await violations(container)).toEqual([]);
  await user.click(screen.getByRole("button", { name: "Remove logs" }));
  expect(await violations(await screen.findByRole("alertdialog"))).toEqual([]);
});

describe("what does not decay", () => {
  test("is listed where the rule changes, and can be taken off there", async () => {
    const { backend, user, container } = await open();
    const list = within(await screen.findByRole("region", { name: "Evergreen" }));
    expect(list.getByText(/Nothing marked yet\./)).toBeInTheDocument();
    await backend.setEvergreen("notes", "people", true);
    await backend.setEvergreen("logs", "", true);
    backend.changeState({ generation: 2 });
    await waitFor(() => expect(list.getAllByRole("listitem")).toHaveLength(2));
    expect(list.getByText("memory/")).toBeInTheDocument();
    expect(await violations(container)).toEqual([]);
    await user.click(list.getByRole("button", { name: "Let it decay: memory/people" }));
    await waitFor(() => expect(list.getAllByRole("listitem")).toHaveLength(1));
    expect(backend.calls.findLast(({ name }) => name === "setEvergreen")?.args).toEqual([
      "notes",
      "people",
      false,
    ]);
  });

  test("that cannot be changed says why and stays", async () => {
    const { backend, user } = await open();
    await backend.setEvergreen("notes", "people", true);
    backend.changeState({ generation: 2 });
    backend.failing.setEvergreen = { code: "store", message: "cannot mark people: the library is locked" };
    await user.click(await screen.findByRole("button", { name: "Let it decay: memory/people" }));
    expect(await screen.findByRole("alert")).toHaveTextContent("Cannot mark people: the library is locked.");
    expect(screen.getByRole("button", { name: "Let it decay: memory/people" })).toBeEnabled();
    // Another program marks something, and the list is read again.
    backend.failing = {};
    await backend.setEvergreen("logs", "", true);
    backend.changeState({ generation: 3 });
    await screen.findByRole("button", { name: "Let it decay: logs" });
    expect(screen.getByRole("alert")).toHaveTextContent("Cannot mark people: the library is locked.");
  });
});

describe("the editor", () => {
  test("is the system's until another is chosen, by which notes are opened at their line from then on", async () => {
    const { backend, workspace, user } = await open();
    const editor = screen.getByRole("combobox", { name: "Editor" });
    expect(editor).toHaveTextContent("System default (no line)");
    await chooseOption(user, editor, "Zed");
    await workspace.library.openInEditor("notes", "MEMORY.md", 12);
    expect(backend.calls.find(({ name }) => name === "openInEditor")?.args).toEqual([
      ...["notes", "MEMORY.md", 12, "zed"],
    ]);
    workspace.show("search");
    workspace.show("settings");
    expect(await screen.findByRole("combobox", { name: "Editor" })).toHaveTextContent("Zed");
  });
});

describe("the list of sections", () => {
  test("names every section that is shown, in its order, and leads to it", async () => {
    const { user } = await open();
    const nav = screen.getByRole("navigation", { name: "Sections of the settings" });
    const links = [...nav.querySelectorAll("a")];
    const headings = [...document.querySelectorAll(".sections h2")];
    expect(links.map((link) => link.getAttribute("href"))).toEqual(headings.map(({ id }) => `#${id}`));
    await user.click(within(nav).getByText("Appearance"));
    expect(document.activeElement).toHaveAttribute("id", "settings-theme");
    expect(within(nav).getByText("Appearance")).toHaveAttribute("aria-current", "true");
    expect(nav.querySelectorAll("[aria-current]")).toHaveLength(1);
    // What is chosen stays so where the page cannot scroll it to the top.
    document.querySelector(".sections")?.dispatchEvent(new Event("scroll"));
    expect(within(nav).getByText("Appearance")).toHaveAttribute("aria-current", "true");
  });

  test("leaves out a section that is not shown", async () => {
    await open({ folders: [] });
    const nav = screen.getByRole("navigation", { name: "Sections of the settings" });
    expect(within(nav).queryByText("Evergreen")).toBeNull();
    expect(document.getElementById("settings-evergreen")).toBeNull();
  });
});

test("what cannot be undone is marked as dangerous, on its button and in its question", async () => {
  const { user } = await open();
  const erase = screen.getByRole("button", { name: "Erase all stored data…" });
  expect(erase).toHaveClass("danger");
  await user.click(erase);
  const dialog = await screen.findByRole("alertdialog");
  expect(within(dialog).getByRole("button", { name: "Erase all" })).toHaveClass("danger");
});

describe("the second opinion", () => {
  const card = () => within(screen.getByRole("region", { name: "Second opinion" }));
  const field = () => card().getByRole("textbox", { name: "A folder with a model of your own" });

  test("is given by a folder, until it is removed", async () => {
    const { backend, user } = await open();
    expect(card().getByText("on what may contradict, off")).toBeVisible();
    expect(card().queryByRole("button", { name: "Remove" })).toBeNull();
    await user.type(field(), "/models/nli");
    await user.click(card().getByRole("button", { name: "Use it" }));
    const remove = await card().findByRole("button", { name: "Remove" });
    expect(backend.opinionFolder).toBe("/models/nli");
    expect(card().getByRole("button", { name: "Use it" })).toBeDisabled();
    await user.click(remove);
    await waitFor(() => expect(backend.opinionFolder).toBeNull());
    await waitFor(() => expect(field()).toHaveValue(""));
  });

  test("is not given by a folder that is refused, and the reason is shown", async () => {
    const { backend, user } = await open();
    const message = "cannot use cross-encoder file /models/x/config.json: `id2label` names 2 labels";
    backend.failing.chooseSecondOpinion = { code: "error", message };
    await user.type(field(), "/models/x{Enter}");
    expect(await card().findByRole("alert")).toHaveTextContent("names 2 labels");
    expect(field()).toHaveValue("/models/x");
    expect(card().queryByRole("button", { name: "Remove" })).toBeNull();
  });
});

describe("opposite words", () => {
  const card = () => within(screen.getByRole("region", { name: "Opposite words" }));
  const typed = (name: string) => card().getByRole("textbox", { name });

  test("are listed; a pair is added and removed", async () => {
    const { backend, user } = await open();
    await waitFor(() => expect(card().getAllByRole("listitem")).toHaveLength(2));
    expect(card().getByRole("checkbox", { name: "open | closed, shut" })).toBeChecked();
    const add = card().getByRole("button", { name: "Add the pair" });
    expect(add).toBeDisabled();
    await user.type(typed("Words"), "primed, topped up");
    expect(add).toBeDisabled();
    await user.type(typed("Opposite words"), "drained{Enter}");
    const remove = await card().findByRole("button", { name: "Remove primed, topped up | drained" });
    expect(backend.calls.find(({ name }) => name === "addOpposition")?.args).toEqual([
      ...["primed, topped up", "drained"],
    ]);
    expect(typed("Words")).toHaveValue("");
    expect(typed("Opposite words")).toHaveValue("");
    await user.click(remove);
    await waitFor(() => expect(card().getAllByRole("listitem")).toHaveLength(2));
  });

  test("of the standard list are switched off and on", async () => {
    const { user } = await open();
    const box = await card().findByRole("checkbox", { name: "allow, permit | forbid" });
    await user.click(box);
    await waitFor(() => expect(box).not.toBeChecked());
    expect(card().getByText(/, 1 off/)).toBeInTheDocument();
    await user.click(box);
    await waitFor(() => expect(card().queryByText(/, 1 off/)).toBeNull());
    expect(box).toBeChecked();
  });

  test("that are refused stay typed, and the reason is shown", async () => {
    const { backend, user } = await open();
    backend.failing.addOpposition = { code: "error", message: 'cannot add the pair: "open" is there twice' };
    backend.failing.switchOpposition = { code: "error", message: "cannot switch the pair off: no" };
    await user.type(typed("Words"), "open");
    await user.type(typed("Opposite words"), "open{Enter}");
    expect(await card().findByRole("alert")).toHaveTextContent('Cannot add the pair: "open" is there twice.');
    expect(typed("Opposite words")).toHaveValue("open");
    const box = card().getByRole("checkbox", { name: "open | closed, shut" });
    await user.click(box);
    await waitFor(() => expect(card().getByRole("alert")).toHaveTextContent("Cannot switch the pair off"));
    expect(box).toBeChecked();
  });

  test("cannot be changed while another process writes", async () => {
    await open({ state: { read_only: "memlens index (process 4711) is writing" } });
    expect(await card().findByRole("checkbox", { name: "open | closed, shut" })).toBeDisabled();
    expect(card().queryByRole("button", { name: "Add the pair" })).toBeNull();
  });
});
