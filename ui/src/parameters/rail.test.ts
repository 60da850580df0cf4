// The rail as the user meets it: one switch for each stage, the few parameters that most turn, the rest when asked for.
import { fireEvent, render, screen, waitFor, within } from "@testing-library/svelte";
import { describe, expect, it } from "vitest";
import { FakeBackend } from "../../tests/fake-backend";
import { setupUser } from "../../tests/user";
import App from "../App.svelte";
import { DEFAULTS, PARAMETERS, STAGES } from "../api/parameters";
import { Workspace, workspaceContext } from "../workspace.svelte";
import { isStageOn, withStage } from "./stage-switch";
import { OWN } from "./pipeline";
import { parameterOf } from "./rules";

async function open() {
  const backend = new FakeBackend({ nChunks: 60, startQuery: "the internet is down at home" });
  const workspace = new Workspace(backend);
  const user = setupUser();
  render(App, { context: workspaceContext(workspace) });
  await waitFor(() => expect(document.documentElement.dataset.ready).toBe("true"));
  return { workspace, user };
}

const rail = () => screen.getByRole("complementary", { name: "Parameters" });
const group = (name: string) => within(rail()).getByRole("group", { name });
const toggle = (name: string) => within(rail()).getByRole("switch", { name: `${name} stage` });
const offLine = () => within(rail()).getByRole("button", { name: /\d off/ });
const nameOf = (element: HTMLElement) => element.querySelector("h3")?.textContent;
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
    await user.click(offLine());
    const expected = PARAMETERS.filter(
      ({ id, phase, stage }) =>
        stage !== null && phase !== "index" && id !== "hook" && STAGES.every((one) => one.switch !== id),
    ).map(({ id }) => id);
    await waitFor(() => expect(shown().toSorted()).toEqual(expected.toSorted()));
    expect(localStorage.getItem("memlens.advanced")).toBe("true");
    await user.click(within(rail()).getByRole("button", { name: "Hide advanced" }));
    expect(shown()).not.toContain("rerank_timeout_ms");
  });

  it("folds the stages that are off into one line, and remembers that it was opened", async () => {
    const { user } = await open();
    const line = within(rail()).getByRole("button", { name: /7 off/ });
    expect(line).toHaveAttribute("aria-expanded", "false");
    expect(line).toHaveTextContent("Rerank, Corroboration, Feedback, Decay, Diversity, Hook, Budget");
    expect(within(rail()).queryByRole("group", { name: "Decay" })).toBeNull();
    await user.click(line);
    expect(within(rail()).getAllByRole("group").map(nameOf)).toEqual(STAGES.map(({ label }) => label));
    expect(line).toHaveAttribute("aria-expanded", "true");
    expect(localStorage.getItem("memlens.rail-off-stages")).toBe("true");
    await user.click(line);
    expect(within(rail()).queryByRole("group", { name: "Decay" })).toBeNull();
    expect(localStorage.getItem("memlens.rail-off-stages")).toBeNull();
  });

  it("folds and unfolds no stage because it was switched, and names what is on in the fold", async () => {
    const { workspace, user } = await open();
    const before = shown();
    await user.click(toggle("Threshold"));
    workspace.parameters.set("half_life_days", 30);
    await waitFor(() => expect(offLine()).toHaveTextContent("7 off, 1 on"));
    expect(offLine()).toHaveTextContent("Decay (on)");
    expect(shown()).toEqual(before);
    await user.click(offLine());
    expect(shown(group("Decay"))).toEqual(["half_life_days"]);
    await user.click(offLine());
    expect(shown(group("Decay"))).toEqual(["half_life_days"]);
    expect(within(rail()).queryByRole("group", { name: "Threshold" })).toBeNull();
  });

  it("shows at its foot the help of the control under the pointer, else of the one with the focus", async () => {
    const { user } = await open();
    const help = screen.getByRole("region", { name: "Help" });
    const label = (id: string) => document.querySelector<HTMLElement>(`label[for="field-${id}"]`);
    expect(help).toHaveTextContent(/^Point at a control/);
    document.getElementById("field-max_results")?.focus();
    await waitFor(() => expect(help).toHaveTextContent(/^Max results *default 10 rows/));
    await user.hover(label("min_score") as HTMLElement);
    await fireEvent.pointerMove(label("min_score") as HTMLElement);
    expect(help).toHaveTextContent(/^Min score *default 0\.10/);
    await fireEvent.pointerLeave(rail().querySelector(".rail-body") as HTMLElement);
    expect(help).toHaveTextContent(/^Max results/);
  });

  it("keeps the help of the control that is dragged", async () => {
    await open();
    const help = screen.getByRole("region", { name: "Help" });
    const at = (id: string) =>
      document.querySelector(`[data-parameter="${id}"] input[type="range"]`) as Element;
    await fireEvent.pointerMove(at("min_score"));
    await fireEvent.pointerDown(at("min_score"));
    await fireEvent.pointerMove(at("fusion_k"));
    expect(help).toHaveTextContent(/^Min score/);
    await fireEvent.pointerUp(window);
    await fireEvent.pointerMove(at("fusion_k"));
    expect(help).toHaveTextContent(/^k *default 60/);
  });

  it("describes every control to a screen reader, in use or not", async () => {
    const { workspace, user } = await open();
    await user.click(within(rail()).getByRole("button", { name: /^Advanced/ }));
    await user.click(offLine());
    const boxes = rail().querySelectorAll<HTMLElement>(
      "[data-parameter] input:not([type=radio]), [role=radiogroup]",
    );
    expect(boxes.length).toBeGreaterThanOrEqual(50);
    for (const box of boxes) {
      const id = box.closest<HTMLElement>("[data-parameter]")?.dataset["parameter"];
      const { sentence } = parameterOf(workspace.parameters.pipeline, id ?? "");
      expect(box).toHaveAccessibleDescription(expect.stringContaining(sentence));
      expect(box).toHaveAccessibleDescription(/ Default .+\.$/);
    }
  });

  it("opens one stage's own, by the stage's name", async () => {
    const { user } = await open();
    await user.click(within(group("Vector")).getByRole("button", { name: /2 more/ }));
    expect(shown(group("Vector"))).toEqual(["vector_depth", "vector_unit"]);
    expect(shown(group("BM25"))).toEqual([]);
  });

  it("says which values do nothing since their stage is off", async () => {
    const { workspace, user } = await open();
    await user.click(offLine());
    const said = "Near-duplicates collapse: no effect while this stage is off.";
    expect(toggle("Corroboration")).not.toHaveAccessibleDescription(expect.stringContaining(said));
    workspace.parameters.replace({ ...DEFAULTS, near_duplicates: "collapse" });
    await waitFor(() =>
      expect(toggle("Corroboration")).toHaveAccessibleDescription(expect.stringContaining(said)),
    );
    await fireEvent.pointerMove(within(group("Corroboration")).getByRole("heading"));
    expect(screen.getByRole("region", { name: "Help" })).toHaveTextContent(said);
    workspace.parameters.replace({ ...DEFAULTS, near_duplicates: "collapse", corroboration_on: true });
    await waitFor(() =>
      expect(toggle("Corroboration")).not.toHaveAccessibleDescription(expect.stringContaining(said)),
    );
  });

  it("counts the changed parameters that a stage hides, and keeps them in sight once it is opened", async () => {
    const { workspace, user } = await open();
    workspace.parameters.set("vector_depth", 200);
    const fold = await within(group("Vector")).findByRole("button", { name: /2 more, 1 changed/ });
    expect(shown(group("Vector"))).toEqual([]);
    await user.click(fold);
    await user.click(fold);
    expect(shown(group("Vector"))).toEqual(["vector_depth"]);
    await user.click(within(rail()).getByRole("button", { name: "Reset all" }));
    expect(shown(group("Vector"))).toEqual(["vector_depth"]);
  });

  it("has one switch for each stage, which is on where the stage acts", async () => {
    const { user } = await open();
    await user.click(offLine());
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
    await user.click(offLine());
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
    await user.click(offLine());
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
    await user.click(offLine());
    await user.click(toggle("Hook"));
    expect(workspace.parameters.changed).toEqual([]);
    const help = within(screen.getByRole("region", { name: "Help" }));
    expect(help.getByRole("status")).toHaveTextContent("No hook command is set.");
    await user.click(help.getByRole("button", { name: "Settings" }));
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
