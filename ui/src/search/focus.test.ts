// Where the keyboard is: at start, on coming back, from part to part.
import { render, screen, waitFor } from "@testing-library/svelte";
import { describe, expect, it } from "vitest";
import { FakeBackend } from "../../tests/fake-backend";
import { setupUser } from "../../tests/user";
import App from "../App.svelte";
import { Workspace, workspaceContext } from "../workspace.svelte";

const QUERY = "the internet is down at home";

async function open(startQuery: string | null = QUERY) {
  const workspace = new Workspace(new FakeBackend({ nChunks: 50, startQuery }));
  const user = setupUser();
  render(App, { context: workspaceContext(workspace) });
  await waitFor(() => expect(document.documentElement.dataset.ready).toBe("true"));
  return { workspace, user };
}

const question = () => screen.getByRole<HTMLInputElement>("searchbox", { name: "Question" });
const selected = () => {
  const { value, selectionStart, selectionEnd } = question();
  return value.slice(selectionStart ?? 0, selectionEnd ?? 0);
};

describe("the question", () => {
  it("has the keyboard at start", async () => {
    const { user } = await open(null);
    await user.keyboard("water");
    expect(question()).toHaveValue("water");
  });

  it("is selected where the user asks for it, and not when the view comes back", async () => {
    const { workspace, user } = await open();
    await user.keyboard("{Control>}k{/Control}");
    expect(selected()).toBe(QUERY);
    workspace.show("memory");
    await waitFor(() => expect(screen.queryByRole("searchbox", { name: "Question" })).toBeNull());
    workspace.show("search");
    await waitFor(() => expect(question()).toHaveFocus());
    expect(selected()).toBe("");
    await user.keyboard("?");
    expect(question()).toHaveValue(`${QUERY}?`);
    // From another view it is asked for again.
    workspace.show("memory");
    await waitFor(() => expect(screen.queryByRole("searchbox", { name: "Question" })).toBeNull());
    await user.keyboard("{Control>}k{/Control}");
    await waitFor(() => expect(question()).toHaveFocus());
    expect(selected()).toBe(`${QUERY}?`);
  });
});

describe("the parts of the window", () => {
  it("are gone through by F6, and back by Shift F6", async () => {
    const { user } = await open();
    const named = () => {
      const active = document.activeElement;
      const part = active?.closest("nav, [role='search'], [role='toolbar'], [role='grid'], aside, section");
      const heading = document.getElementById(part?.getAttribute("aria-labelledby") ?? "")?.textContent;
      return part?.getAttribute("aria-label")?.split(",")[0] ?? heading ?? part?.getAttribute("role");
    };
    question().focus();
    const seen: unknown[] = [];
    for (let at = 0; at < 7; at++) {
      await user.keyboard("{F6}");
      seen.push(named());
    }
    const parts = [
      ...["Stages", "How to read a row", "Trace", "Journey of the opened row", "Parameters"],
      ...["Views", "search"],
    ];
    expect(seen).toEqual(parts);
    await user.keyboard("{Shift>}{F6}{/Shift}");
    expect(named()).toBe("Views");
  });

  it("stand so that the rows come before the parameters for the Tab key", async () => {
    const { user } = await open();
    question().focus();
    let nTabs = 0;
    while (document.activeElement !== screen.getByRole("grid") && nTabs < 20) {
      await user.tab();
      nTabs++;
    }
    expect(screen.getByRole("grid")).toHaveFocus();
    expect(document.querySelectorAll("[role='row'][tabindex='0']")).toHaveLength(0);
  });
});

it("says that both lists are off, with the switch", async () => {
  const { workspace, user } = await open();
  workspace.parameters.set("vector_on", false);
  workspace.parameters.set("bm25_on", false);
  expect(await screen.findByRole("heading", { name: "Both lists are off" })).toBeInTheDocument();
  expect(screen.queryByText("Nothing passed")).toBeNull();
  await user.click(screen.getByRole("button", { name: "Switch on BM25" }));
  expect(workspace.parameters.current).toMatchObject({ vector_on: false, bm25_on: true });
  await waitFor(() => expect(screen.queryByText("Both lists are off")).toBeNull());
});
