// The rail as a person meets it: one switch for each stage, the few parameters that most turn, the rest when asked for.
import { render, screen, waitFor, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { FakeBackend } from "../../tests/fake-backend";
import App from "../App.svelte";
import { DEFAULTS, PARAMETERS, STAGES } from "../api/parameters";
import { Workspace, workspaceContext } from "../workspace.svelte";
import { isStageOn, withStage } from "./stage-switch";
import { OWN } from "./pipeline";

async function open() {
  const backend = new FakeBackend({ nChunks: 60, startQuery: "the internet is down at home" });
  const workspace = new Workspace(backend);
  const user = userEvent.setup();
  render(App, { context: workspaceContext(workspace) });
  await waitFor(() => expect(document.documentElement.dataset.ready).toBe("true"));
  return { workspace, user };
}

const rail = () => screen.getByRole("complementary", { name: "Parameters" });
const group = (name: string) => within(rail()).getByRole("group", { name });
const toggle = (name: string) => within(rail()).getByRole("switch", { name: `${name} stage` });
const shown = (within_: HTMLElement = rail()) =>
  [...within_.querySelectorAll<HTMLElement>("[data-parameter]")].map((element) => element.dataset.parameter);

describe("the rail", () => {
  it("begins with what most people turn", async () => {
    await open();
    expect(shown()).toEqual([
      ...["fusion", "fusion_k", "vector_weight", "text_weight", "min_score", "max_results"],
    ]);
  });

  it("shows a control of every parameter when asked, and remembers that it was", async () => {
    const { workspace, user } = await open();
    workspace.parameters.replace(
      STAGES.reduce((values, stage) => withStage(OWN, values, stage, true), DEFAULTS),
    );
    await user.click(within(rail()).getByRole("button", { name: /^Advanced \(\d+\)/ }));
    const expected = PARAMETERS.filter(
      ({ id, phase, stage }) =>
        stage !== null && phase !== "index" && id !== "hook" && STAGES.every((one) => one.switch !== id),
    ).map(({ id }) => id);
    await waitFor(() => expect(shown().toSorted()).toEqual(expected.toSorted()));
    expect(localStorage.getItem("memlens.advanced")).toBe("true");
    await user.click(within(rail()).getByRole("button", { name: "Hide advanced" }));
    expect(shown()).not.toContain("rerank_timeout_ms");
  });

  it("opens one stage's own, by the stage's name", async () => {
    const { user } = await open();
    await user.click(within(group("Vector")).getByRole("button", { name: /2 more/ }));
    expect(shown(group("Vector"))).toEqual(["vector_depth", "vector_unit"]);
    expect(shown(group("BM25"))).toEqual([]);
  });

  it("says which values do nothing since their stage is off", async () => {
    const { workspace } = await open();
    expect(within(group("Corroboration")).queryByText(/no effect/)).toBeNull();
    workspace.parameters.replace({ ...DEFAULTS, near_duplicates: "collapse" });
    await waitFor(() =>
      expect(group("Corroboration")).toHaveTextContent(
        "Near-duplicates collapse: no effect while this stage is off.",
      ),
    );
    workspace.parameters.replace({ ...DEFAULTS, near_duplicates: "collapse", corroboration_on: true });
    await waitFor(() => expect(within(group("Corroboration")).queryByText(/no effect/)).toBeNull());
  });

  it("keeps an advanced parameter in sight while it is changed", async () => {
    const { workspace } = await open();
    workspace.parameters.set("vector_depth", 200);
    await waitFor(() => expect(shown(group("Vector"))).toEqual(["vector_depth"]));
  });

  it("has one switch for each stage, which is on where the stage acts", async () => {
    await open();
    for (const stage of STAGES)
      expect(toggle(stage.label)).toHaveAttribute("aria-checked", String(isStageOn(OWN, DEFAULTS, stage)));
  });

  it.each([
    ["Decay", "half_life_days", 30],
    ["Diversity", "mmr_lambda", 0.7],
    ["Budget", "budget_tokens", 2000],
    ["Rerank", "rerank", "late"],
  ] as const)("switches %s on with a value that does something, as one step", async (label, id, value) => {
    const { workspace, user } = await open();
    await user.click(toggle(label));
    expect(workspace.parameters.current[id]).toBe(value);
    expect(toggle(label)).toHaveAttribute("aria-checked", "true");
    expect(shown(group(label))).toContain(id);
    await user.click(toggle(label));
    expect(toggle(label)).toHaveAttribute("aria-checked", "false");
    workspace.parameters.undo();
    workspace.parameters.undo();
    expect(workspace.parameters.changed).toEqual([]);
  });

  it("keeps a slider that its stage needs short of off, which is the switch's", async () => {
    const { workspace, user } = await open();
    await user.click(toggle("Decay"));
    const slider = group("Decay").querySelector<HTMLInputElement>('input[type="range"]');
    slider?.focus();
    await user.keyboard("{Home}");
    expect(workspace.parameters.current.half_life_days).toBe(1);
    await user.click(toggle("Diversity"));
    group("Diversity").querySelector<HTMLInputElement>('input[type="range"]')?.focus();
    await user.keyboard("{End}");
    expect(workspace.parameters.current.mmr_lambda).toBe(0.99);
  });

  it("says why the hook cannot be switched on, and leads to Settings", async () => {
    const { workspace, user } = await open();
    await user.click(toggle("Hook"));
    expect(workspace.parameters.changed).toEqual([]);
    expect(within(group("Hook")).getByRole("status")).toHaveTextContent("No hook command is set.");
    await user.click(within(group("Hook")).getByRole("button", { name: "Settings" }));
    expect(workspace.view).toBe("settings");
  });

  it("has the preset named again by which the values are, however they came back to it", async () => {
    const { workspace } = await open();
    await workspace.presets.refresh();
    const [other] = workspace.presets.saved;
    if (other === undefined) throw new Error("no preset to choose");
    workspace.presets.choose(other);
    expect([workspace.presets.name, workspace.presets.isChanged]).toEqual([other.name, false]);
    workspace.parameters.undo();
    expect([workspace.presets.name, workspace.presets.isChanged]).toEqual(["Default", false]);
  });

  it("names the unit of a number", async () => {
    const { user } = await open();
    expect(within(group("Limit")).getByText("rows")).toBeInTheDocument();
    await user.click(within(group("Vector")).getByRole("button", { name: /2 more/ }));
    expect(within(group("Vector")).getByText("chunks")).toBeInTheDocument();
  });
});
