// Columns that are put away, and panes whose edges are dragged: both stay so.
import { cleanup, fireEvent, render, screen, waitFor, within } from "@testing-library/svelte";
import { afterEach, describe, expect, it } from "vitest";
import { FakeBackend } from "../../tests/fake-backend";
import { setupUser } from "../../tests/user";
import App from "../App.svelte";
import { Workspace, workspaceContext } from "../workspace.svelte";

afterEach(() => localStorage.clear());

async function open() {
  cleanup();
  delete document.documentElement.dataset.ready;
  const workspace = new Workspace(new FakeBackend({ nChunks: 20, startQuery: "what comes first" }));
  const { container } = render(App, { context: workspaceContext(workspace) });
  await waitFor(() => expect(document.documentElement.dataset.ready).toBe("true"));
  return { workspace, container, user: setupUser() };
}

/** Without layout a menu is never placed, and so counts as hidden. */
async function choice(name: string): Promise<HTMLElement> {
  const menu = within(await screen.findByRole("menu", { hidden: true }));
  const item = menu.getByText(name).closest<HTMLElement>("[role='menuitemcheckbox']");
  if (item === null) throw new Error(`no choice ${name}`);
  return item;
}

const heads = () => screen.getAllByRole("columnheader").map((head) => head.textContent.trim());

describe("the columns", () => {
  it("are put away and brought back by their menu, and stay so", async () => {
    const { user } = await open();
    expect(heads().some((head) => head.startsWith("RRF"))).toBe(true);
    await user.click(screen.getByRole("button", { name: "Columns" }));
    await user.click(await choice("RRF"));
    expect(heads().some((head) => head.startsWith("RRF"))).toBe(false);
    // Cells follow their heads.
    const row = screen.getAllByRole("row").find((one) => one.hasAttribute("data-chunk"));
    expect(row?.querySelector("[data-column='rrf']")).toBeNull();
    expect(row?.querySelectorAll("[data-column='vector'], [data-column='bm25']")).toHaveLength(2);

    const { user: later } = await open();
    expect(heads().some((head) => head.startsWith("RRF"))).toBe(false);
    await later.click(screen.getByRole("button", { name: "Columns, 1 not shown" }));
    await later.click(await choice("RRF"));
    expect(heads().some((head) => head.startsWith("RRF"))).toBe(true);
  });
});

describe("an edge", () => {
  it("is moved by keys within its bounds, stays, and goes back by a double click", async () => {
    const { user } = await open();
    const view = () => document.querySelector<HTMLElement>(".search");
    Object.defineProperty(view(), "clientWidth", { value: 1_000, configurable: true });
    const edge = screen.getByRole("separator", { name: "Width of the parameters" });
    edge.focus();
    await user.keyboard("{End}");
    expect(view()?.style.getPropertyValue("--rail")).toBe("300px");
    expect(edge).toHaveAttribute("aria-valuenow", "300");
    await user.keyboard("{Home}");
    expect(view()?.style.getPropertyValue("--rail")).toBe("208px");

    await open();
    expect(view()?.style.getPropertyValue("--rail")).toBe("208px");
    await fireEvent.dblClick(screen.getByRole("separator", { name: "Width of the parameters" }));
    expect(view()?.style.getPropertyValue("--rail")).toBe("");
  });

  it("takes no size from a store that holds nonsense", async () => {
    localStorage.setItem("memlens.panes", '{"rail":"wide","side":-3}');
    localStorage.setItem("memlens.hidden-columns", '{"rrf":1}');
    const { container } = await open();
    expect(container.querySelector<HTMLElement>(".search")?.style.getPropertyValue("--side")).toBe("");
    expect(within(screen.getByRole("grid")).getByRole("columnheader", { name: /^RRF/ })).toBeInTheDocument();
  });
});
