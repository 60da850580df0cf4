// Rows chosen together, their menu, and what goes to the clipboard.
import { fireEvent, render, screen, waitFor, within } from "@testing-library/svelte";
import { describe, expect, it, vi } from "vitest";
import { FakeBackend } from "../../tests/fake-backend";
import { setupUser } from "../../tests/user";
import App from "../App.svelte";
import { openDocument } from "../open-document.svelte";
import { Workspace, workspaceContext } from "../workspace.svelte";
import { RowSelection } from "./row-selection.svelte";

async function open() {
  const backend = new FakeBackend({ nChunks: 20, startQuery: "what comes first" });
  const workspace = new Workspace(backend);
  const user = setupUser();
  render(App, { context: workspaceContext(workspace) });
  await waitFor(() => expect(document.documentElement.dataset.ready).toBe("true"));
  const rows = () => [...document.querySelectorAll<HTMLElement>("[data-chunk]")];
  const slots = rows().map((row) => Number(row.id.slice(4)));
  const chosen = () => rows().flatMap((row) => (row.matches(".chosen") ? [Number(row.id.slice(4))] : []));
  const menuOf = async (at: number) => {
    await user.pointer({ keys: "[MouseRight]", target: rows()[at] as HTMLElement });
    return within(await screen.findByRole("menu", { hidden: true }));
  };
  return { backend, workspace, user, rows, slots, chosen, menuOf };
}

const placeOf = ({ search }: Workspace, slot: number) => {
  const row = search.rowOf(slot);
  return `${row?.path}:${row?.start_line}-${row?.end_line}`;
};

describe("a row's menu", () => {
  it("copies place, text and JSON of the row under the pointer, and says so", async () => {
    const { user, menuOf, slots, workspace } = await open();
    await user.click((await menuOf(1)).getByText("Copy path and lines"));
    expect(await screen.findByText("Copied 1 path.")).toBeInTheDocument();
    expect(await navigator.clipboard.readText()).toBe(placeOf(workspace, slots[1] ?? -1));
    expect(workspace.search.openSlot).toBe(slots[1]);
    await user.click((await menuOf(2)).getByText("Copy text"));
    expect(await screen.findByText("Copied 1 text.")).toBeInTheDocument();
    expect(await navigator.clipboard.readText()).toBe(`text of ${slots[2]}`);
    await user.click((await menuOf(2)).getByText("Copy as JSON"));
    await waitFor(async () => expect(await navigator.clipboard.readText()).toBe(`[${slots[2]}]`));
  });

  it("shows the row in Memory, and asks Why not…? of a dropped one alone", async () => {
    const { user, menuOf, slots, workspace, rows } = await open();
    const whyNot = (await menuOf(0)).getByText(/Why not/).closest("[role='menuitem']");
    expect(whyNot).toHaveAttribute("aria-disabled", "true");
    expect(whyNot).toHaveTextContent("the row is kept");
    await user.keyboard("{Escape}");
    // Without layout only the first rows are drawn.
    workspace.parameters.set("max_results", 2);
    await waitFor(() => expect(rows().some((row) => row.matches(".gone"))).toBe(true));
    const dropped = rows().findIndex((row) => row.matches(".gone"));
    const asked = (await menuOf(dropped)).getByText(/Why not/).closest("[role='menuitem']");
    expect(asked).toHaveAttribute("aria-disabled", "false");
    await user.keyboard("{Escape}");
    const row = workspace.search.rowOf(slots[0] ?? -1);
    const ask = vi.spyOn(openDocument, "ask");
    await user.click((await menuOf(0)).getByText("Show in Memory"));
    expect(workspace.view).toBe("memory");
    expect(ask).toHaveBeenCalledWith(row?.folder, row?.path, row?.start_line);
  });

  it("says why a text cannot be copied", async () => {
    const { user, menuOf, backend } = await open();
    backend.rowsCopied = () => Promise.reject(new Error("the note has changed"));
    await user.click((await menuOf(0)).getByText("Copy text"));
    expect(await screen.findByText("Cannot copy: The note has changed.")).toBeInTheDocument();
  });

  it("gives and removes a thumb", async () => {
    const { user, menuOf, workspace, slots } = await open();
    await user.click((await menuOf(1)).getByText("Thumb up"));
    await waitFor(() => expect(workspace.feedback.thumbOf(slots[1] ?? -1)).toBe("up"));
    await user.click((await menuOf(1)).getByText("Remove the thumb up"));
    await waitFor(() => expect(workspace.feedback.thumbOf(slots[1] ?? -1)).toBeNull());
  });

  it("searches from here: in the note, in its folder, with its passage", async () => {
    const { user, menuOf, workspace, slots, backend } = await open();
    const { folder, path } = workspace.search.rowOf(slots[0] ?? -1) ?? { folder: "", path: "" };
    const passage = workspace.search.snippetOf(slots[0] ?? -1)?.text ?? "";
    expect(passage).not.toBe("");
    const asked = () => backend.calls.filter(({ name }) => name === "search").at(-1)?.args;
    await user.click((await menuOf(0)).getByText("In this note"));
    await waitFor(() => expect(asked()?.[2]).toEqual({ folder, path }));
    expect(asked()?.[0]).toBe("what comes first");
    await waitFor(() => expect(workspace.search.isSearching).toBe(false));
    const again = (await menuOf(0)).getByText("In this note").closest("[role='menuitem']");
    expect(again).toHaveTextContent("searched now");
    await user.keyboard("{Escape}");
    await user.click((await menuOf(0)).getByText(/^In its folder/));
    const parent = path.slice(0, Math.max(0, path.lastIndexOf("/")));
    await waitFor(() => expect(asked()?.[2]).toEqual({ folder, path: parent }));
    await waitFor(() => expect(workspace.search.isSearching).toBe(false));
    await user.click((await menuOf(0)).getByText("For notes like this passage"));
    await waitFor(() => expect(workspace.search.typed).toBe(passage.replaceAll("…", " ").trim()));
  });

  it("shows the note in its folder, and says what failed", async () => {
    const { user, menuOf, workspace, slots, backend } = await open();
    const row = workspace.search.rowOf(slots[0] ?? -1);
    await user.click((await menuOf(0)).getByText("Show in folder"));
    await waitFor(() =>
      expect(backend.calls).toContainEqual({ name: "showInFolder", args: [row?.folder, row?.path] }),
    );
    backend.showInFolder = () => Promise.reject(new Error("no file manager answered"));
    await user.click((await menuOf(0)).getByText("Show in folder"));
    expect(await screen.findByText("No file manager answered.")).toBeInTheDocument();
  });

  it("opens by the Menu key, by Shift F10 and by the buttons for more", async () => {
    const { user, rows, slots, workspace } = await open();
    const menu = () => document.querySelector("[role='menu']");
    const closed = async () => {
      await user.keyboard("{Escape}");
      await waitFor(() => expect(menu()).toBeNull());
    };
    await user.click(rows()[1] as HTMLElement);
    for (const keys of ["{ContextMenu}", "{Shift>}{F10}{/Shift}"]) {
      await user.keyboard(keys);
      await waitFor(() => expect(menu()).not.toBeNull());
      await closed();
    }
    await user.click(rows()[2]?.querySelector("[aria-label^='Menu of']") as HTMLElement);
    await waitFor(() => expect(menu()).not.toBeNull());
    expect(workspace.search.openSlot).toBe(slots[2]);
    await closed();
    await user.click(await screen.findByLabelText("Menu of the row"));
    await waitFor(() => expect(menu()).not.toBeNull());
  });

  it("is no menu over the table's head", async () => {
    await open();
    await fireEvent.contextMenu(screen.getAllByRole("columnheader")[0] as HTMLElement);
    expect(screen.queryByRole("menu", { hidden: true })).toBeNull();
  });
});

describe("several rows", () => {
  it("are chosen by Ctrl, Shift and the arrows, copied together, and let go by Escape or a click", async () => {
    const { user, slots, chosen, rows, workspace, menuOf } = await open();
    await user.click(rows()[0] as HTMLElement);
    expect(chosen()).toEqual([]);
    await user.keyboard("{Control>}");
    await user.click(rows()[2] as HTMLElement);
    await user.keyboard("{/Control}");
    expect(chosen()).toEqual([slots[0], slots[2]]);
    await user.keyboard("{Control>}c{/Control}");
    expect(await screen.findByText("Copied 2 paths.")).toBeInTheDocument();
    expect(await navigator.clipboard.readText()).toBe(
      [slots[0], slots[2]].map((slot) => placeOf(workspace, slot ?? -1)).join("\n"),
    );
    const menu = await menuOf(2);
    expect(menu.getByText("Copy 2 rows as JSON")).toBeInTheDocument();
    expect(menu.queryByText("Show in Memory")).toBeNull();
    await user.keyboard("{Escape}");
    screen.getByRole("grid").focus();
    await user.keyboard("{Escape}");
    expect(chosen()).toEqual([]);

    await user.click(rows()[1] as HTMLElement);
    await user.keyboard("{Shift>}{ArrowDown}{ArrowDown}{/Shift}");
    expect(chosen()).toEqual(slots.slice(1, 4));
    await user.keyboard("{Shift>}{ArrowUp}{/Shift}");
    expect(chosen()).toEqual(slots.slice(1, 3));
    await user.click(rows()[3] as HTMLElement);
    expect(chosen()).toEqual([]);
  });

  it("of one answer are none of the next", async () => {
    const { user, chosen, rows, workspace } = await open();
    await user.keyboard("{Shift>}");
    await user.click(rows()[2] as HTMLElement);
    await user.keyboard("{/Shift}");
    expect(chosen().length).toBeGreaterThan(1);
    await workspace.search.searchNow("something else");
    await waitFor(() => expect(chosen()).toEqual([]));
  });
});

it("a choice goes one way and back without losing where it began", () => {
  const selection = new RowSelection();
  const order = [4, 2, 9, 7];
  selection.extendTo(9, 2, order);
  expect(selection.among(order)).toEqual([2, 9]);
  selection.extendTo(4, 9, order);
  expect(selection.among(order)).toEqual([4, 2]);
  selection.toggle(7, 4);
  expect(selection.among(order)).toEqual([4, 2, 7]);
  selection.toggle(2, 7);
  expect(selection.among(order)).toEqual([4, 7]);
});

describe("whose memory a row is of", () => {
  it("is shown in every row of an agent, unless all rows are of one", async () => {
    const { backend, workspace, rows } = await open();
    const agent = { id: "openclaw", name: "OpenClaw" };
    const folders = workspace.library.state?.folders ?? [];
    const marks = () => rows().map((row) => row.querySelector(".whose")?.textContent ?? null);
    const expected = () =>
      rows().map((row) => {
        const slot = Number(row.id.slice(4));
        return workspace.search.rowOf(slot)?.folder === "notes" ? "OpenClaw" : null;
      });
    backend.changeState({
      folders: folders.map((one) => (one.id === "notes" ? { ...one, agent } : one)),
    });
    await waitFor(() => expect(marks()).toContain("OpenClaw"));
    expect(marks()).toEqual(expected());
    expect(marks()).toContain(null);
    // Every folder that holds a row.
    const [first] = folders;
    if (first === undefined) throw new Error("there are folders");
    backend.changeState({
      folders: [...folders, { ...first, id: "agents" }].map((one) => ({ ...one, agent })),
    });
    await waitFor(() => expect(marks()).not.toContain("OpenClaw"));
  });
});
