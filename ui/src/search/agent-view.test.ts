// An agent chosen where the preset is chosen: its stages, its parameters, nothing of ours, and the way back.
import { fireEvent, render, screen, waitFor, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import { violations } from "../../tests/axe";
import { CLERK } from "../../tests/fake/agent-pipeline";
import { FakeBackend, type FakeOptions } from "../../tests/fake-backend";
import { chooseOption } from "../../tests/choose-option";
import { setupUser } from "../../tests/user";
import App from "../App.svelte";
import type { Ranking } from "../api/bindings";
import { DEFAULTS, STAGES } from "../api/parameters";
import { Workspace, workspaceContext } from "../workspace.svelte";

const QUERY = "the internet is down at home";
const YOURS = {
  path: "~/.clerk/clerk.json",
  label: "Clerk 1.2 (yours)",
  values: { "clerk.min_score": 0.45 },
  version_assumed: null,
  problems: [],
};
const WITH_CONFIG = { ...CLERK, yours: YOURS };

async function open(options: FakeOptions = {}) {
  const backend = new FakeBackend({ nChunks: 90, startQuery: QUERY, pipelines: [CLERK], ...options });
  const workspace = new Workspace(backend);
  const user = setupUser();
  const { container } = render(App, { context: workspaceContext(workspace) });
  await waitFor(() => expect(document.documentElement.dataset["ready"]).toBe("true"));
  return { backend, workspace, user, container };
}

type Opened = Awaited<ReturnType<typeof open>>;

/** The button that opens the menu of presets and agents. */
const menuButton = () => screen.getByRole("button", { name: /^Preset: / });

// Without layout the menu thinks its anchor is off the screen and hides itself, and so has no names, only texts.
async function openMenu(user: Opened["user"]): Promise<HTMLElement> {
  await user.click(menuButton());
  return screen.findByRole("menu", { hidden: true });
}

const itemOf = (menu: HTMLElement, text: string) => {
  const found = within(menu).getByText(text).closest<HTMLElement>("[role='menuitem']");
  if (found === null) throw new Error(`“${text}” is no item`);
  return found;
};

async function choose({ user }: Pick<Opened, "user">, name: string) {
  await user.click(itemOf(await openMenu(user), name));
}

async function openWithClerk(options: FakeOptions = {}) {
  const opened = await open(options);
  await choose(opened, "Clerk 1.2");
  await waitFor(() => expect(opened.workspace.search.rankedBy?.pipeline).toBe(CLERK.id));
  return opened;
}

const rankingOf = (backend: FakeBackend, call: "search" | "rank" | "journey" | "whyNot") =>
  backend.calls.findLast(({ name }) => name === call)?.args[1] as Ranking;
const rail = () => screen.getByRole("complementary", { name: "Parameters" });
const slider = (id: string) => {
  const found = document.querySelector<HTMLInputElement>(`[data-parameter="${id}"] input[type="range"]`);
  if (found === null) throw new Error(`no slider for ${id}`);
  return found;
};
const rows = () =>
  within(screen.getByRole("grid"))
    .getAllByRole("row")
    .filter((row) => row.hasAttribute("data-chunk"));

describe("the menu", () => {
  it("has agents in a group of their own, and marks and names the one that is chosen", async () => {
    const { user } = await openWithClerk();
    expect(menuButton()).toHaveAccessibleName("Preset: Clerk 1.2");
    const menu = await openMenu(user);
    const [presets, agents] = within(menu).getAllByRole("group", { hidden: true });
    expect(agents).toHaveTextContent(/^Agents their own pipeline Clerk 1\.2 in use Read its config…$/);
    expect(presets).not.toHaveTextContent("in use");
  });

  it("offers no agent where none can be had", async () => {
    const { user } = await open({ pipelines: [] });
    expect(await openMenu(user)).not.toHaveTextContent("Agents");
  });

  it("goes back to our own pipeline with the parameters as they were, and keeps the agent's", async () => {
    const opened = await open();
    const { backend, workspace } = opened;
    workspace.parameters.set("max_results", 7);
    await choose(opened, "Clerk 1.2");
    workspace.pipelines.chosen.set("clerk.max_results", 3);
    await choose(opened, "Default");
    await waitFor(() => expect(workspace.search.rankedByOwn).toEqual({ ...DEFAULTS, max_results: 7 }));
    expect(rankingOf(backend, "search").pipeline).toBe("memlens");
    expect(menuButton()).toHaveAccessibleName("Preset: Default, changed since");
    await choose(opened, "Clerk 1.2");
    await waitFor(() => expect(rankingOf(backend, "search").values["clerk.max_results"]).toBe(3));
    expect(menuButton()).toHaveAccessibleName("Preset: Clerk 1.2, changed since");
    await choose(opened, "Short and strict");
    await waitFor(() => expect(workspace.search.rankedByOwn?.budget_tokens).toBe(600));
  });

  it("cannot save a preset of an agent, and says why", async () => {
    const { user } = await openWithClerk();
    const item = itemOf(await openMenu(user), "presets hold Memlens’s own settings");
    expect(item).toHaveTextContent(/^Save as…/);
    expect(item).toHaveAttribute("aria-disabled", "true");
  });
});

describe("the rail", () => {
  it("shows the agent's parameters under its stages, and says what is fixed", async () => {
    const { user } = await openWithClerk();
    expect(within(rail()).getByRole("heading", { level: 2 })).toHaveTextContent("Clerk 1.2");
    const badge = within(rail()).getByText("emulated · Clerk embeds with words-3: order is approximate");
    expect(badge).toHaveAttribute("title", "Our model stands in for words-3.");
    const groups = within(rail()).getAllByRole("group");
    expect(groups.map((group) => group.querySelector("h3")?.textContent)).toEqual(
      CLERK.stages.map(({ label }) => label).filter((label) => label !== "Spread"),
    );
    const shown = [...document.querySelectorAll<HTMLElement>("[data-parameter]")];
    // What is switched off shows no control.
    expect(shown.map((element) => element.dataset["parameter"])).toEqual([
      ...["clerk.near_weight", "clerk.min_score", "clerk.max_results"],
    ]);
    const age = within(rail()).getByRole("group", { name: "Age" });
    expect(age).toHaveTextContent("fixed in this version");
    expect(age.querySelector("p")).toBeNull();
    await user.click(within(age).getByRole("button", { name: /^Age/ }));
    expect(age.querySelector("p")).toHaveTextContent("Older notes count half; always on.");
  });

  it("ranks again while a slider of it moves, without another search, and takes the step back", async () => {
    const { backend, workspace, user } = await openWithClerk();
    const n = rows().length;
    const nSearches = backend.nCalls("search");
    await fireEvent.input(slider("clerk.max_results"), { target: { value: "0.04" } });
    await waitFor(() => expect(workspace.search.columns?.n_kept).toBe(3));
    expect(rankingOf(backend, "rank")).toMatchObject({
      pipeline: CLERK.id,
      values: { "clerk.max_results": 3 },
    });
    expect(backend.nCalls("search")).toBe(nSearches);
    await fireEvent.pointerUp(window);
    await user.click(within(rail()).getByRole("button", { name: "Undo" }));
    await waitFor(() => expect(workspace.search.columns?.n_kept).toBe(6));
    await user.click(within(rail()).getByRole("button", { name: "Redo" }));
    await waitFor(() => expect(workspace.search.columns?.n_kept).toBe(3));
    await user.click(within(rail()).getByRole("button", { name: "Reset all" }));
    await waitFor(() => expect(workspace.search.columns?.n_kept).toBe(6));
    expect(rows().length).toBe(n);
    // Our own parameters have no part in it.
    expect(workspace.parameters.current).toBe(DEFAULTS);
    expect(workspace.parameters.canUndo).toBe(false);
  });

  it("switches a stage on that the agent lets people switch", async () => {
    const { workspace, user } = await openWithClerk();
    await user.click(within(rail()).getByRole("button", { name: /1 off/ }));
    const toggle = within(rail()).getByRole("switch", { name: "Spread stage" });
    expect(toggle).toHaveAttribute("aria-checked", "false");
    expect(screen.queryByRole("columnheader", { name: /^Spread/ })).toBeNull();
    await user.click(toggle);
    await screen.findByRole("columnheader", { name: /^Spread/ });
    const first = workspace.search.columns?.order[0];
    const cell = document.querySelector(`#row-${first} [data-column="clerk.spread"]`);
    expect(cell).toHaveTextContent("2→1");
    const third = workspace.search.columns?.order[2];
    expect(document.querySelector(`#row-${third} [data-column="clerk.spread"]`)).toHaveTextContent(
      "Not changed by this stage",
    );
  });
});

describe("the trace", () => {
  it("has the agent's stages in strip, heads, chips and sort, and none of ours", async () => {
    const { user, workspace } = await openWithClerk();
    const strip = within(screen.getByRole("toolbar", { name: /^Stages/ }));
    await user.click(strip.getByRole("button", { name: /^1 off/ }));
    expect(strip.getAllByRole("button").map((cell) => cell.dataset["stage"])).toEqual([
      ...CLERK.stages.map(({ id }) => id),
      undefined,
    ]);
    const heads = screen.getAllByRole("columnheader").map((head) => head.textContent?.trim());
    const said = ["Meaningrank · score", "Wordsrank · score", "Mixrank · score", "Agechanged"];
    expect(heads).toEqual(["#", "Moved", "Chunk Columns ▾", ...said, expect.stringMatching(/^Final/)]);
    for (const { id } of STAGES) expect(document.querySelector(`[data-column="${id}"]`)).toBeNull();
    const slot = workspace.search.columns?.order[0] ?? -1;
    const cell = document.querySelector(`#row-${slot} [data-column="clerk.near"]`);
    expect(cell).toHaveTextContent(workspace.search.rowOf(slot)?.cosine?.toFixed(3) ?? "no cosine");
    // Without layout only the first rows are drawn.
    workspace.pipelines.chosen.set("clerk.max_results", 2);
    await waitFor(() => expect(workspace.search.columns?.n_kept).toBe(2));
    await user.click(screen.getByTitle("Show only what minScore dropped"));
    const dropped = rows().find((row) => row.classList.contains("gone"));
    expect(dropped).toHaveTextContent(/below minScore: 0\.\d+ < 0\.2/);
    await user.click(within(screen.getByRole("grid")).getByRole("button", { name: /^Words/ }));
    expect(screen.getByRole("grid")).toHaveAccessibleName("Trace, sorted by Words");
  });

  it("shows the opened row's way by the agent's stages, without thumbs", async () => {
    const { user, backend, container } = await openWithClerk();
    const side = within(screen.getByRole("region", { name: "Journey of the opened row" }));
    await waitFor(() => expect(side.getByText("as Clerk runs it, rank · score")).toBeInTheDocument());
    expect(rankingOf(backend, "journey").pipeline).toBe(CLERK.id);
    expect(side.getByText("Mix as Clerk has it")).toBeInTheDocument();
    expect(screen.queryByRole("button", { name: /^Thumb/ })).toBeNull();
    screen.getByRole("grid").focus();
    await user.keyboard("+");
    expect(backend.nCalls("vote")).toBe(0);
    await user.keyboard("?");
    expect(within(await screen.findByRole("dialog")).queryByText(/Thumb up or down/)).toBeNull();
    expect(await violations(container)).toEqual([]);
  });

  it("asks nobody outside, whatever our own parameters say", async () => {
    const opened = await open();
    opened.workspace.parameters.set("rerank", "late");
    await waitFor(() => expect(opened.backend.nCalls("rerank")).toBe(1));
    await choose(opened, "Clerk 1.2");
    await waitFor(() => expect(opened.workspace.search.rankedBy?.pipeline).toBe(CLERK.id));
    opened.workspace.pipelines.chosen.set("clerk.max_results", 2);
    await waitFor(() => expect(opened.workspace.search.columns?.n_kept).toBe(2));
    expect(opened.backend.nCalls("rerank")).toBe(1);
  });

  it("measures moves against the agent's own defaults, or what was pinned of it", async () => {
    const { workspace, user } = await openWithClerk();
    const { search } = workspace;
    const order = search.columns?.order ?? [];
    const [first] = order;
    await waitFor(() => expect(search.moveOf(first ?? -1)).toEqual({ kind: "same" }));
    workspace.pipelines.chosen.set("clerk.spread_on", true);
    await waitFor(() => expect(search.moveOf(first ?? -1)).toEqual({ kind: "down", by: 1 }));
    screen.getByRole("grid").focus();
    await user.keyboard("p");
    await waitFor(() => expect(search.moveOf(first ?? -1)).toEqual({ kind: "same" }));
    expect(search.pin.name).toBe("Default, spread.enabled on");
    workspace.pipelines.chooseOwn();
    expect(search.pin).toEqual({ name: "Default", params: DEFAULTS });
  });

  it("offers the agent's own changes where it kept nothing", async () => {
    const { workspace, user, backend } = await openWithClerk();
    workspace.pipelines.chosen.set("clerk.min_score", 1);
    const card = await screen.findByText("Nothing passed");
    expect(card.parentElement).toHaveTextContent(/minScore dropped the last/);
    await user.click(await screen.findByRole("button", { name: /^Apply: minScore 0\./ }));
    await waitFor(() => expect(workspace.search.columns?.n_kept).toBeGreaterThan(0));
    expect(rankingOf(backend, "rank").values["clerk.min_score"]).toBeLessThan(1);
  });
});

describe("why not", () => {
  it("sets the agent's parameters", async () => {
    const { workspace, backend } = await openWithClerk();
    const slot = workspace.search.columns?.order[6] ?? -1;
    const row = workspace.search.rowOf(slot);
    if (row === null) throw new Error("no row was dropped");
    workspace.whyNot.ask(row.folder, row.path, row.start_line, row.chunk);
    const apply = await screen.findByRole("button", { name: /^Apply: maxResults 7/ });
    expect(rankingOf(backend, "whyNot").pipeline).toBe(CLERK.id);
    await userEvent.click(apply);
    await waitFor(() => expect(workspace.search.rankOf(slot)).toBe(7));
    expect(workspace.parameters.current).toBe(DEFAULTS);
  });
});

describe("while its memory is embedded", () => {
  it("says how far it is, and follows it only so long; cancelling ends it", async () => {
    const opened = await open();
    const { backend, user } = opened;
    let release = (): void => undefined;
    backend.emulationGate = new Promise((resolve) => (release = resolve));
    backend.progress({ job: "emulation", progress: { n_done: 120, n_all: 4_000 } });
    await choose(opened, "Clerk 1.2");
    const line = await screen.findByText(/^Embedding the chunks as Clerk cuts them: 120 of 4,000/);
    expect(screen.queryByRole("grid")).toBeNull();
    await user.click(within(line).getByRole("button", { name: "Cancel" }));
    expect(backend.nStops("emulation")).toBe(1);
    expect(line).toHaveTextContent("Cancelling…");
    release();
    await screen.findByRole("grid");
    expect(screen.queryByText(/Embedding|Cancelling/)).toBeNull();
    await waitFor(() => expect(backend.nFollowing("emulation")).toBe(0));
  });

  it("is left for our own pipeline at once, and its late answer is thrown away", async () => {
    const opened = await open();
    const { backend, workspace } = opened;
    let release = (): void => undefined;
    backend.emulationGate = new Promise((resolve) => (release = resolve));
    await choose(opened, "Clerk 1.2");
    await waitFor(() => expect(screen.queryByRole("grid")).toBeNull());
    await choose(opened, "Default");
    await screen.findByRole("grid");
    expect(backend.nStops("emulation")).toBe(1);
    release();
    await vi.waitFor(() => expect(workspace.search.isSearching).toBe(false));
    expect(workspace.search.rankedBy?.pipeline).toBe("memlens");
  });
});

describe("export", () => {
  it("is off while an agent is chosen, and says why", async () => {
    const { workspace, user } = await openWithClerk();
    workspace.show("export");
    // The agent's own config comes first; Memlens's file says why it holds nothing of it.
    await screen.findByText("from the parameters of Clerk 1.2");
    await chooseOption(user, screen.getByRole("combobox", { name: "For" }), "Memlens");
    expect(await screen.findByText("Clerk 1.2 is chosen in Search.")).toBeInTheDocument();
    for (const name of ["Copy", "Save…"]) expect(screen.getByRole("button", { name })).toBeDisabled();
    workspace.pipelines.chooseOwn();
    await waitFor(() => expect(screen.getByRole("button", { name: "Copy" })).toBeEnabled());
    expect(screen.queryByText("Clerk 1.2 is chosen in Search.")).toBeNull();
  });
});

describe("its config", () => {
  it("is read key by key, and the sliders are set to it", async () => {
    const opened = await openWithClerk();
    await opened.user.click(itemOf(await openMenu(opened.user), "Read its config…"));
    const dialog = await screen.findByRole("dialog", { name: "Clerk’s config" });
    expect(dialog).toHaveTextContent("~/.clerk/clerk.json, written by 1.2.3; it is only read.");
    const keys = within(within(dialog).getByRole("table", { name: "Keys of the config" })).getAllByRole(
      "row",
    );
    expect(keys.slice(1).map((row) => [...row.children].map((cell) => cell.textContent).join(" "))).toEqual([
      "minScore 0.45 sets clerk.min_score",
      "rerank true ignored: no version that was checked reads it",
    ]);
    await opened.user.click(within(dialog).getByRole("button", { name: "Rank by it" }));
    await waitFor(() => expect(slider("clerk.min_score").value).toBe("0.45"));
    expect(opened.workspace.pipelines.chosen.canUndo).toBe(true);
  });

  it("is opened in the user's editor beside the ranking that it sets", async () => {
    const { user, backend } = await open({ pipelines: [WITH_CONFIG] });
    const menu = await openMenu(user);
    expect(itemOf(menu, "Clerk 1.2 (yours)")).toHaveTextContent("by your config");
    await user.click(itemOf(menu, "Open ~/.clerk/clerk.json"));
    expect(backend.calls.findLast(({ name }) => name === "openConfig")?.args).toEqual([
      CLERK.id,
      false,
      "system",
    ]);
  });

  it("that is not used is not called the source of the ranking", async () => {
    const refused = { ...YOURS, label: CLERK.label, values: {}, problems: ["it is refused"] };
    const { user } = await open({ pipelines: [{ ...CLERK, yours: refused }] });
    const menu = await openMenu(user);
    expect(itemOf(menu, "Clerk 1.2")).toHaveTextContent("its defaults");
    expect(itemOf(menu, "Open ~/.clerk/clerk.json")).toBeInTheDocument();
  });

  it("that no program opens offers to choose an editor", async () => {
    const { user, backend } = await open({ pipelines: [WITH_CONFIG] });
    backend.openConfig = () =>
      Promise.reject({ code: "no_editor", message: "cannot open /home/robin/clerk.json: no opener" });
    await user.click(itemOf(await openMenu(user), "Open ~/.clerk/clerk.json"));
    expect(await screen.findByText("Cannot open /home/robin/clerk.json: no opener.")).toBeInTheDocument();
    await user.click(screen.getByRole("button", { name: "Choose an editor" }));
    await waitFor(() => expect(screen.getByRole("combobox", { name: "Editor" })).toHaveFocus());
    expect(screen.queryByText(/no opener/)).toBeNull();
  });

  it("is opened from the dialog that shows its keys", async () => {
    const { user, backend } = await openWithClerk();
    await user.click(itemOf(await openMenu(user), "Read its config…"));
    const dialog = await screen.findByRole("dialog", { name: "Clerk’s config" });
    await user.click(await within(dialog).findByRole("button", { name: "Open in editor" }));
    expect(backend.calls.findLast(({ name }) => name === "openConfig")?.args).toEqual([
      CLERK.id,
      true,
      "system",
    ]);
    expect(dialog).toBeInTheDocument();
    backend.failing["openConfig"] = { code: "no_editor", message: "cannot open it: no opener" };
    await user.click(within(dialog).getByRole("button", { name: "Open in editor" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    expect(screen.getByText("Cannot open it: no opener.")).toBeInTheDocument();
  });

  it("that cannot be read says why, and ranks nothing", async () => {
    const opened = await openWithClerk();
    opened.backend.failing["agentConfig"] = { code: "error", message: "line 3: it ends too early" };
    await opened.user.click(itemOf(await openMenu(opened.user), "Read its config…"));
    const dialog = await screen.findByRole("dialog", { name: "Clerk’s config" });
    expect(await within(dialog).findByRole("alert")).toHaveTextContent("Line 3: it ends too early.");
    expect(within(dialog).getByRole("button", { name: "Rank by it" })).toBeDisabled();
  });
});
