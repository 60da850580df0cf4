// The command palette as the user meets it: opened by keys, searched by letters, left by Escape or an action.
import { render, waitFor } from "@testing-library/svelte";
import type { UserEvent } from "@testing-library/user-event";
import { afterEach, describe, expect, it } from "vitest";
import { violations } from "../../tests/axe";
import { LibraryBackend, type LibraryOptions } from "../../tests/fake/library";
import { layOut } from "../../tests/layout";
import { setupUser } from "../../tests/user";
import App from "../App.svelte";
import { DEFAULTS } from "../api/parameters";
import { openDocument } from "../open-document.svelte";
import { Workspace, workspaceContext } from "../workspace.svelte";

layOut();
afterEach(() => void openDocument.take());

const STRICT = { name: "Strict", params: { ...DEFAULTS, min_score: 0.5 }, notes: [], is_built_in: false };
const LONG = `${"a very long name of a preset that says everything about itself ".repeat(4).trim()}`;

async function open(options: LibraryOptions = {}) {
  const backend = new LibraryBackend({ presets: [STRICT, { ...STRICT, name: LONG }], ...options });
  const workspace = new Workspace(backend);
  const { container } = render(App, { context: workspaceContext(workspace) });
  await waitFor(() => expect(document.documentElement.dataset.ready).toBe("true"));
  const user = setupUser();
  return { backend, workspace, user, container };
}

// By selector: a query by role computes the styles of the whole window each time.
const box = () => document.querySelector<HTMLInputElement>("[role='dialog'].palette [role='combobox']");
const isShown = () => box() !== null;
const lines = () => [...document.querySelectorAll<HTMLElement>(".palette [role='option']")];
const line = (text: RegExp) => lines().find((one) => text.test(one.textContent));
const active = () => document.getElementById(box()?.getAttribute("aria-activedescendant") ?? "");
const groups = () =>
  [...document.querySelectorAll(".palette [role='listbox'] [role='group']")].map(
    (group) => document.getElementById(group.getAttribute("aria-labelledby") ?? "")?.textContent,
  );
const tab = (label: string) => {
  const found = [...document.querySelectorAll<HTMLElement>(".tab")].find((one) => one.textContent === label);
  if (found === undefined) throw new Error(`no tab ${label}`);
  return found;
};

async function openPalette(user: UserEvent) {
  await user.keyboard("{Control>}{Shift>}p{/Shift}{/Control}");
  await waitFor(() => {
    expect(isShown()).toBe(true);
    expect(document.activeElement).toBe(box());
  });
}

async function type(user: UserEvent, text: string) {
  await openPalette(user);
  await user.keyboard(text);
}

/** Types a text, and waits until the first line is this one. */
async function seek(user: UserEvent, text: string, first: RegExp) {
  await type(user, text);
  await waitFor(() => expect(active()).toHaveTextContent(first));
}

async function closed() {
  await waitFor(() => expect(isShown()).toBe(false));
}

describe("opening", () => {
  it("by Ctrl Shift P, with the focus in its line; Escape gives the focus back", async () => {
    const { user } = await open();
    tab("Memory").focus();
    await openPalette(user);
    await user.keyboard("{Escape}");
    await closed();
    await waitFor(() => expect(document.activeElement).toBe(tab("Memory")));
    await openPalette(user);
    await user.keyboard("{Control>}{Shift>}p{/Shift}{/Control}");
    await closed();
  });

  it("by Ctrl K twice; once goes to the question", async () => {
    const { user } = await open();
    tab("Memory").focus();
    await user.keyboard("{Control>}k{/Control}");
    const question = document.getElementById("query");
    await waitFor(() => expect(document.activeElement).toBe(question));
    expect(isShown()).toBe(false);
    await user.keyboard("{Control>}k{/Control}");
    await waitFor(() => expect(isShown() && document.activeElement === box()).toBe(true));
    // In the palette it goes back to the question.
    await user.keyboard("{Control>}k{/Control}");
    await closed();
    await waitFor(() => expect(document.activeElement).toBe(question));
  });

  it("not by Ctrl K after a letter, nor over another dialog", async () => {
    const { user } = await open();
    await user.keyboard("{Control>}k{/Control}a{Control>}k{/Control}");
    expect(isShown()).toBe(false);
    await user.keyboard("{Escape}");
    tab("Memory").focus();
    await user.keyboard("f");
    await waitFor(() => expect(document.querySelector("[role='dialog']")).not.toBeNull());
    await user.keyboard("{Control>}{Shift>}p{/Shift}{/Control}");
    expect(isShown()).toBe(false);
    // Nor does a key change the view behind it.
    await user.keyboard("{Control>}5{/Control}");
    expect(document.querySelector(".tab[aria-current]")).toHaveTextContent("Search");
  });
});

describe("choosing", () => {
  it("a view, by letters or by its own key", async () => {
    const { user, workspace } = await open();
    await seek(user, "past que", /Past questions.*Ctrl 4/);
    await user.keyboard("{Enter}");
    await closed();
    await waitFor(() => expect(workspace.view).toBe("past"));
    await user.keyboard("{Control>}5{/Control}");
    expect(workspace.view).toBe("memory");
    expect(tab("Memory")).toHaveAttribute("title", "Ctrl 5");
  });

  it("a preset, which shows what it ranks", async () => {
    const { user, workspace } = await open();
    workspace.show("settings");
    await seek(user, "strict", /Strict/);
    await user.keyboard("{Enter}");
    await closed();
    await waitFor(() => expect(workspace.presets.name).toBe("Strict"));
    expect(workspace.parameters.current.min_score).toBe(0.5);
    expect(workspace.view).toBe("search");
  });

  it("a note, at a line", async () => {
    const { user, workspace } = await open();
    await seek(user, "homeserver:3", /home-server\.md:3/);
    await user.keyboard("{Enter}");
    await closed();
    await waitFor(() => expect(workspace.memory.openId).toContain("reference/home-server.md"));
    expect(workspace.view).toBe("memory");
  });

  it("the question box, which then has the focus", async () => {
    const { user, workspace } = await open();
    workspace.show("memory");
    await seek(user, "go to the question", /Go to the question/);
    await user.keyboard("{Enter}");
    await closed();
    await waitFor(() => expect(document.activeElement).toHaveAttribute("id", "query"));
  });

  it("another dialog, which opens once the palette is closed", async () => {
    const { user } = await open();
    await seek(user, "keyboard short", /Show the keyboard shortcuts/);
    await user.keyboard("{Enter}");
    await waitFor(() =>
      expect(document.querySelector("[role='dialog'] .dialog-title")).toHaveTextContent("Keyboard shortcuts"),
    );
    expect(isShown()).toBe(false);
  });
});

describe("the list", () => {
  it("begins with what was chosen last", async () => {
    const { user } = await open();
    await openPalette(user);
    expect(groups()).not.toContain("Recent");
    await user.keyboard("dark theme");
    await waitFor(() => expect(active()).toHaveTextContent("Use the dark theme"));
    await user.keyboard("{Enter}");
    await closed();
    await seek(user, "export", /Export/);
    await user.keyboard("{Enter}");
    await closed();
    await seek(user, "homeserver", /home-server\.md/);
    await user.keyboard("{Enter}");
    await closed();
    await openPalette(user);
    await waitFor(() => expect(groups()[0]).toBe("Recent"));
    // The theme is in use, so it cannot be chosen again.
    expect(lines()[0]).toHaveTextContent("home-server.md");
    expect(lines()[1]).toHaveTextContent("Export");
    expect(lines().filter((one) => one.textContent.trim().startsWith("Export"))).toHaveLength(1);
  });

  it("says why something is impossible, and does not do it", async () => {
    const { user, workspace } = await open({ readOnly: "another window writes" });
    await type(user, "copy the trace as markdown");
    await waitFor(() => expect(line(/Copy the trace as Markdown/)).toBeDefined());
    const copy = line(/Copy the trace as Markdown/) ?? document.body;
    expect(copy).toHaveAttribute("aria-disabled", "true");
    expect(copy).toHaveTextContent("no question is answered yet");
    await user.click(copy);
    expect(isShown()).toBe(true);
    await user.keyboard("{Control>}a{/Control}add a folder");
    await waitFor(() => expect(line(/Add a folder/)).toHaveTextContent("this window is read-only"));
    expect(workspace.adding.adding).toBeNull();
  });

  it("offers to ask what is not found", async () => {
    const { user, workspace, backend } = await open();
    await type(user, "xqzzy wfrk");
    await waitFor(() =>
      expect(document.querySelector(".palette [role='status']")).toHaveTextContent(
        "No action, view, preset, agent or note has these letters.",
      ),
    );
    expect(lines()).toHaveLength(1);
    await waitFor(() => expect(active()).toHaveTextContent("Search the notes for “xqzzy wfrk”"));
    await user.keyboard("{Enter}");
    await closed();
    await waitFor(() => expect(workspace.search.typed).toBe("xqzzy wfrk"));
    expect(backend.calls.some(({ name, args }) => name === "search" && args[0] === "xqzzy wfrk")).toBe(true);
  });

  it("forgets the recent ones when all is erased", async () => {
    const { user, workspace } = await open();
    await seek(user, "export", /Export/);
    await user.keyboard("{Enter}");
    await closed();
    workspace.forget();
    await openPalette(user);
    expect(groups()).not.toContain("Recent");
    expect(localStorage.getItem("memlens.palette")).toBeNull();
  });

  it("is walked by arrow keys, and read by an assistive tool", async () => {
    const { user } = await open();
    await openPalette(user);
    const first = active();
    expect(first).toHaveAttribute("aria-selected", "true");
    await user.keyboard("{ArrowDown}{ArrowDown}{ArrowUp}");
    await waitFor(() => expect(active()).toBe(lines()[1]));
    expect(lines()[0]).toBe(first);
    await user.keyboard("s");
    await waitFor(() => expect(active()).toBe(lines()[0]));
    for (const one of lines()) expect(one.textContent).not.toMatch(/\d\.\d{4,}/);
    const dialog = document.querySelector(".palette");
    if (dialog === null) throw new Error("the palette is open");
    expect(await violations(dialog)).toEqual([]);
  });
});
