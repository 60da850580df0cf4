// Rerank in the Search view as the user meets it: the choice, the column, the wait, the failure, the journey, the workbench.
import { render, screen, waitFor, within } from "@testing-library/svelte";
import { beforeEach, describe, expect, it } from "vitest";
import { violations } from "../../tests/axe";
import { FakeBackend, type FakeOptions } from "../../tests/fake-backend";
import { callsOf, HTTP_RERANKER } from "../../tests/fake/rerank";
import { setupUser } from "../../tests/user";
import App from "../App.svelte";
import type { Value } from "../api/bindings";
import type { ParamId } from "../api/parameters";
import { Workspace, workspaceContext } from "../workspace.svelte";

type Opened = FakeOptions & {
  set?: Partial<Record<ParamId, Value>>;
  failure?: string;
  isHeld?: boolean;
};

async function open({ set = {}, failure, isHeld, ...options }: Opened = {}) {
  const backend = new FakeBackend({ nChunks: 150, startQuery: "the internet is down at home", ...options });
  backend.rerankFailure = failure ?? null;
  if (isHeld === true) backend.rerankGate = new Promise(() => undefined);
  const workspace = new Workspace(backend);
  for (const [id, value] of Object.entries(set)) workspace.parameters.set(id as ParamId, value);
  const user = setupUser();
  const { container } = render(App, { context: workspaceContext(workspace) });
  await waitFor(() => expect(document.documentElement.dataset.ready).toBe("true"));
  return { backend, workspace, user, container };
}

const grid = () => screen.getByRole("grid");
const heads = () =>
  within(grid())
    .getAllByRole("columnheader")
    .map((head) => head.querySelector("b")?.textContent ?? head.textContent.trim());
const cells = (column: string) =>
  [...document.querySelectorAll<HTMLElement>(`[role="gridcell"][data-column="${column}"]`)].map((cell) =>
    cell.textContent.replaceAll(/\s+/g, " ").trim(),
  );
const option = (value: string) => {
  const found = document.querySelector<HTMLInputElement>(`[data-parameter="rerank"] input[value="${value}"]`);
  if (found === null) throw new Error(`no choice ${value}`);
  return found;
};
const stageSwitch = () => screen.getByRole("switch", { name: "Rerank stage" });
const scored = () => waitFor(() => expect(cells("rerank")[0]).toMatch(/^\d+(→\d+)? ?[−\d]/));

describe("the choice", () => {
  it("offers what needs no setting up, and says why the rest cannot be chosen", async () => {
    localStorage.setItem("memlens.rail-off-stages", "true");
    const { user, workspace } = await open();
    await user.click(stageSwitch());
    await waitFor(() => expect(option("http")).toBeDisabled());
    expect(option("model")).toBeDisabled();
    expect(option("late")).toBeEnabled();
    const group = within(screen.getByRole("group", { name: "Rerank" }));
    expect(group.getByText(/http: no provider is set up/)).toBeInTheDocument();
    await user.click(group.getByRole("button", { name: "Settings" }));
    expect(workspace.view).toBe("settings");
  });

  it("keeps what a preset chose, with the reason, although it could not be chosen now", async () => {
    await open({ set: { rerank: "http" }, failure: "no provider is set up" });
    await waitFor(() => expect(option("http")).toBeChecked());
    expect(option("http")).toBeEnabled();
    expect(
      within(screen.getByRole("group", { name: "Rerank" })).getByText(/http: no provider is set up/),
    ).toBeInTheDocument();
  });
});

describe("the cut on its scores", () => {
  beforeEach(() => localStorage.setItem("memlens.advanced", "true"));

  const slider = () => {
    const found = document.querySelector<HTMLInputElement>(
      '[data-parameter="rerank_threshold"] input[type="range"]',
    );
    if (found === null) throw new Error("no slider of the cut");
    return found;
  };

  it.each([
    ["late", {}, -1, 1],
    ["http", HTTP_RERANKER, 0, 1],
  ] as const)("has a slider from end to end of the scale of %s", async (rerank, rerankers, min, max) => {
    const { user, workspace } = await open({ set: { rerank }, rerankers });
    await scored();
    slider().focus();
    await user.keyboard("{End}");
    expect(workspace.parameters.current.rerank_threshold).toBe(max);
    await user.keyboard("{Home}");
    expect(workspace.parameters.current.rerank_threshold).toBe(min);
  });

  it("takes any number in its field, and shows it as beyond the slider's end", async () => {
    const { user, workspace } = await open({ set: { rerank: "late" } });
    await scored();
    const field = document.getElementById("field-rerank_threshold") as HTMLInputElement;
    await user.clear(field);
    await user.type(field, "7{Enter}");
    expect(workspace.parameters.current.rerank_threshold).toBe(7);
    expect(field).toHaveValue("7.00");
    expect(slider()).toHaveValue("1");
    expect(slider()).toHaveAttribute("aria-valuetext", "7.00, beyond the slider’s end");
    expect(field).toHaveAccessibleDescription(/The slider ends where scores do: late interaction/);
  });
});

describe("the column", () => {
  it("is there while the stage does something", async () => {
    localStorage.setItem("memlens.rail-off-stages", "true");
    const { user } = await open();
    expect(heads()).not.toContain("Rerank");
    await user.click(stageSwitch());
    await waitFor(() => expect(heads()).toContain("Rerank"));
    await user.click(stageSwitch());
    await waitFor(() => expect(heads()).not.toContain("Rerank"));
  });

  it("shows old and new rank with the score, and what was not sent", async () => {
    await open({ set: { rerank: "late", rerank_max_docs: 5 } });
    await scored();
    expect(cells("rerank").filter((text) => /\d\.\d{3}$/.test(text))).toHaveLength(5);
    expect(cells("rerank")).toContainEqual(expect.stringMatching(/^\d+ not sent$/));
    const [first] = document.querySelectorAll('[role="gridcell"][data-column="rerank"]');
    expect(first?.getAttribute("data-exact")).toMatch(/late interaction.*rank \d+ before, 1 after/);
  });

  it("counts in the table's columns", async () => {
    await open({ set: { rerank: "late", max_results: 2 } });
    await scored();
    const cut = grid().querySelector(".in-cut");
    expect(cut).toHaveAttribute("aria-colspan", String(heads().length));
  });

  it("sorts by the reranker's order", async () => {
    const { user, workspace } = await open({ set: { rerank: "late" } });
    await scored();
    await user.click(within(grid()).getByRole("button", { name: /^Rerank/ }));
    expect(workspace.search.sort).toBe("rerank");
    const cells = workspace.search.columns?.cells.find(({ key }) => key === "rerank");
    const ranks = workspace.search.lines.flatMap((line) =>
      line.kind === "row" ? [cells?.rank[line.slot] ?? Infinity] : [],
    );
    expect(ranks).toEqual(ranks.toSorted((a, b) => a - b));
  });
});

describe("while scores are asked for", () => {
  it("says whom and for how many, marks the rows, and can be cancelled by keyboard", async () => {
    const { user, container } = await open({
      set: { rerank: "http" },
      rerankers: HTTP_RERANKER,
      isHeld: true,
    });
    await screen.findByText("Asking api.cohere.com for 20 scores…");
    expect(cells("rerank").filter((text) => text.endsWith("pending"))).not.toHaveLength(0);
    expect(screen.getByRole("button", { name: /^Rerank ?asking for 20…/ })).toBeInTheDocument();
    expect(await violations(container)).toEqual([]);
    screen.getByRole("button", { name: "Cancel" }).focus();
    await user.keyboard("{Enter}");
    expect(await screen.findByText("Reranking failed, so you see the fused order.")).toBeVisible();
  });
});

describe("a failure", () => {
  it("gives the reason in the strip and a notice, with the ways out", async () => {
    const { backend, user, workspace, container } = await open({
      set: { rerank: "http" },
      rerankers: HTTP_RERANKER,
      failure: "api.cohere.com refused the key (401)",
    });
    const notice = (await screen.findByText(/so you see the fused order/)).closest(".note");
    expect(notice).toHaveTextContent("api.cohere.com refused the key (401).");
    expect(screen.getByRole("button", { name: /^Rerank ?fallback: api.cohere.com/ })).toBeInTheDocument();
    expect(await violations(container)).toEqual([]);
    const asked = backend.nCalls("rerank");
    await user.click(within(notice as HTMLElement).getByRole("button", { name: "Try again" }));
    await waitFor(() => expect(backend.nCalls("rerank")).toBe(asked + 1));
    backend.rerankFailure = null;
    await user.click(screen.getByRole("button", { name: "Use late interaction" }));
    expect(workspace.parameters.current.rerank).toBe("late");
    await waitFor(() => expect(screen.queryByText(/so you see the fused order/)).toBeNull());
  });
});

describe("the mark in the window's head", () => {
  it("names the host while a provider is on, in any view, and opens Settings", async () => {
    const { user, workspace } = await open({ rerankers: HTTP_RERANKER });
    workspace.show("memory");
    await user.click(await screen.findByRole("button", { name: "Reranker on: api.cohere.com (unused)" }));
    expect(workspace.view).toBe("settings");
    await workspace.rerankers.switchHttpOff();
    await waitFor(() =>
      expect(screen.queryByRole("button", { name: /sends note text|Reranker on/ })).toBeNull(),
    );
  });

  it("is not there before one is on", async () => {
    const { backend } = await open();
    await waitFor(() => expect(backend.nCalls("rerankSettings")).toBe(1));
    expect(screen.queryByRole("button", { name: /sends note text|Reranker on/ })).toBeNull();
  });
});

describe("the journey", () => {
  const section = async () => {
    const heading = await within(
      screen.getByRole("region", { name: "Journey of the opened row" }),
    ).findByRole("heading", { name: /^Rerank/ });
    return heading.closest("section") as HTMLElement;
  };

  it("shows rank, raw score and scale, and which words answered", async () => {
    const { user, workspace } = await open({ set: { rerank: "late" } });
    await scored();
    const words = within(await section());
    expect(words.getByText(/late interaction: mean/)).toBeInTheDocument();
    const group = within(await words.findByRole("group", { name: "Words of the question" }));
    const [chip] = group.getAllByRole("button");
    if (chip === undefined) throw new Error("no word of the question");
    expect(chip).toHaveAccessibleName(/: answered by /);
    chip.focus();
    await user.keyboard("{Enter}");
    expect(chip).toHaveAttribute("aria-pressed", "true");
    const text = workspace.search.journey?.text ?? "";
    expect((await section()).querySelector("p.text")?.textContent).toBe(text);
  });

  it("has the text as sent where its words are unknown", async () => {
    await open({ set: { rerank: "http", rerank_max_chars: 50 }, rerankers: HTTP_RERANKER });
    await scored();
    const words = within(await section());
    expect(await words.findByText(/^50 of \d+ characters$/)).toBeInTheDocument();
  });

  it("says of a row that was not sent that it was not", async () => {
    const { workspace } = await open({ set: { rerank: "late", rerank_max_docs: 3 } });
    await scored();
    const cells = workspace.search.columns?.cells.find(({ key }) => key === "rerank");
    const slot = cells?.state.indexOf("not_sent") ?? -1;
    workspace.search.open(slot);
    await waitFor(async () => expect(await section()).toHaveTextContent(/not sent: below/));
  });

  it("reads a row once, not again and again", async () => {
    const { backend } = await open({ set: { rerank: "late" } });
    await scored();
    await section();
    const nRead = () => backend.nCalls("rerankHeat");
    await waitFor(() => expect(nRead()).toBeGreaterThan(0));
    const before = nRead();
    for (let i = 0; i < 20; i++) await Promise.resolve();
    expect(nRead()).toBe(before);
  });
});

describe("the workbench", () => {
  it("measures the present setting by the user's own calls and draws them", async () => {
    await open({ set: { rerank: "late" }, rerankCalls: callsOf(40) });
    const group = within(screen.getByRole("region", { name: "What reranking costs" }));
    expect(await group.findByText("20 whole texts")).toBeInTheDocument();
    expect((await group.findByText("Latency")).nextElementSibling).toHaveTextContent(/^\d+ ms of \d+ calls$/);
    expect(group.getByRole("img", { name: /^Latency by number of texts. \d+ calls/ })).toBeInTheDocument();
  });

  it("says what a paid provider asks for, before the first call too", async () => {
    await open({ set: { rerank: "http" }, rerankers: HTTP_RERANKER });
    const group = within(screen.getByRole("region", { name: "What reranking costs" }));
    expect(await group.findByText("No calls at this setting yet.")).toBeInTheDocument();
    expect(group.getByText("$2.00 per 1,000 questions")).toBeInTheDocument();
  });

  it("says how many texts the last call held where none held so many as now", async () => {
    await open({ set: { rerank: "late", rerank_max_docs: 37 }, rerankCalls: callsOf(40) });
    const group = within(screen.getByRole("region", { name: "What reranking costs" }));
    expect(
      await group.findByText(/^No call with 37 texts yet: the last one asked for \d+ and took \d+ ms\.$/),
    ).toBeInTheDocument();
  });

  it("shows every text as it is cut", async () => {
    const { user } = await open({
      set: { rerank: "http", rerank_max_chars: 50, rerank_max_docs: 4 },
      rerankers: HTTP_RERANKER,
    });
    await scored();
    await user.click(screen.getByRole("button", { name: "Texts as sent…" }));
    const dialog = await screen.findByRole("dialog", { name: "Texts as sent" });
    const items = await within(dialog).findAllByRole("listitem");
    expect(items).toHaveLength(4);
    for (const item of items) expect(item).toHaveTextContent(/50 characters, cut/);
    expect(await violations(dialog)).toEqual([]);
  });

  it("is not there while nobody reranks", async () => {
    await open();
    expect(screen.queryByRole("button", { name: "Texts as sent…" })).toBeNull();
  });
});
