// The Tune view as the user meets it: choosing a set, reading its metrics, moving sliders by evidence, keeping runs.
import { fireEvent, render, screen, waitFor, within } from "@testing-library/svelte";
import { expect, test } from "vitest";
import { violations } from "../../tests/axe";
import { CLERK } from "../../tests/fake/agent-pipeline";
import { PREPARING } from "../../tests/fake/tune";
import { FakeBackend, type FakeOptions } from "../../tests/fake-backend";
import { layOut } from "../../tests/layout";
import { setupUser } from "../../tests/user";
import type { Backend } from "../api/backend";
import { QUERIES_MIN, type SetWish } from "../api/bindings";
import App from "../App.svelte";
import { Workspace, workspaceContext } from "../workspace.svelte";

layOut();

async function open(options: FakeOptions = {}, arrange: (backend: FakeBackend) => void = () => undefined) {
  const backend = new FakeBackend({ nChunks: 60, pipelines: [CLERK], tune: "judged", ...options });
  arrange(backend);
  const workspace = new Workspace(backend);
  const user = setupUser();
  const { container } = render(App, { context: workspaceContext(workspace) });
  await waitFor(() => expect(document.documentElement.dataset["ready"]).toBe("true"));
  await user.click(screen.getByRole("button", { name: "Tune" }));
  return { backend, workspace, user, container };
}

type Opened = Awaited<ReturnType<typeof open>>;

const region = (name: string | RegExp) => screen.findByRole("region", { name });
const argsOf = (backend: FakeBackend, name: keyof Backend) =>
  backend.calls.filter((call) => call.name === name).map(({ args }) => args);
const lastWish = (backend: FakeBackend) => argsOf(backend, "measureSet").at(-1)?.[0] as SetWish;
const slider = (name: RegExp) => screen.findByRole("slider", { name });

// Without layout the menu thinks its anchor is off the screen and hides itself, and so has no names, only texts.
async function pick({ user }: Pick<Opened, "user">, button: string | RegExp, text: string) {
  await user.click(await screen.findByRole("button", { name: button }));
  const menu = await screen.findByRole("menu", { hidden: true });
  const item = within(menu).getByText(text).closest<HTMLElement>("[role^='menuitem']");
  if (item === null) throw new Error(`“${text}” is no item`);
  await user.click(item);
}
const pickSet = (opened: Opened, text: string) => pick(opened, /^Query set:/, text);

test("the judgments are measured first; a stored set shows what it holds", async () => {
  const opened = await open();
  await region("Metrics");
  expect(lastWish(opened.backend).set).toBe("judgments");
  expect(
    await screen.findByText("nDCG@10 of every query is the same as by the pinned settings."),
  ).toBeInTheDocument();
  await pickSet(opened, "agent-memory-57");
  expect(
    await screen.findByText("97 queries, 54 gold ranges, 3 not judged, 40 nonsense"),
  ).toBeInTheDocument();
  await waitFor(() => expect(lastWish(opened.backend).set).toBe("1"));
  expect(await violations(opened.container)).toEqual([]);
});

test("metrics stand beside the pinned ones, with what cannot be concluded and nonsense apart", async () => {
  const opened = await open();
  await pickSet(opened, "agent-memory-57");
  opened.workspace.parameters.set("fusion_k", 20);
  const metrics = within(await region("Metrics"));
  expect(
    await metrics.findByText(/this difference cannot be distinguished from chance\./),
  ).toBeInTheDocument();
  expect(metrics.getByText("Nothing returned").closest("tr")).toHaveTextContent("13/401/40▲ 12");
  const [ndcg] = metrics.getAllByText("nDCG@10");
  await waitFor(() =>
    expect(ndcg?.closest("tr")).toHaveTextContent(/nDCG@10\s*0\.\d{3}\s*0\.\d{3}\s*[▲▽] 0\.\d{3}/),
  );
  await opened.user.click(metrics.getByText("By category"));
  expect(metrics.getByText("vague")).toBeInTheDocument();
});

test("origins that are left out are not measured", async () => {
  const opened = await open();
  await region("Metrics");
  await opened.user.click(screen.getByRole("checkbox", { name: /observed 1/ }));
  await waitFor(() => expect(lastWish(opened.backend).without).toEqual(["observed"]));
  await opened.user.click(screen.getByRole("checkbox", { name: /observed/ }));
  await waitFor(() => expect(lastWish(opened.backend).without).toEqual([]));
});

test("each step of a drag is measured by live sliders alone, and the curves only once it is released", async () => {
  const { backend, workspace } = await open();
  await slider(/along k/);
  const nCurves = backend.nCalls("sensitivity");
  workspace.parameters.preview("fusion_k", 20);
  await waitFor(() => expect(lastWish(backend).ranking.values["fusion_k"]).toBe(20));
  workspace.parameters.preview("vector_unit", "chunk");
  workspace.parameters.preview("fusion_k", 21);
  await waitFor(() => expect(lastWish(backend).ranking.values["fusion_k"]).toBe(21));
  expect(lastWish(backend).ranking.values["vector_unit"]).toBe("windows");
  expect(backend.nCalls("sensitivity")).toBe(nCurves);
  workspace.parameters.commit();
  await waitFor(() => expect(lastWish(backend).ranking.values["vector_unit"]).toBe("chunk"));
  await waitFor(() => expect(backend.nCalls("sensitivity")).toBe(nCurves + 1));
});

test("a curve is walked by arrows, and Enter sets the slider; undo takes it back", async () => {
  const { workspace, user } = await open();
  const curve = await slider(/nDCG@10 along k/);
  expect(curve).toHaveAttribute("aria-valuetext", expect.stringContaining("present value"));
  curve.focus();
  await user.keyboard("{Home}{ArrowRight}{Enter}");
  expect(workspace.parameters.current.fusion_k).toBeGreaterThan(1);
  expect(workspace.parameters.current.fusion_k).toBeLessThan(60);
  await user.keyboard("{Control>}z{/Control}");
  expect(workspace.parameters.current.fusion_k).toBe(60);
});

test("sliders that are called the same are distinguished by their stage", async () => {
  await open();
  expect(await slider(/along Vector depth/)).toBeInTheDocument();
  expect(await slider(/along BM25 depth/)).toBeInTheDocument();
});

test("another metric is measured and drawn", async () => {
  const { backend, user } = await open();
  await pick({ user }, "Metric: nDCG@10", "MRR@10");
  await waitFor(() => expect(argsOf(backend, "measureSet").at(-1)?.[2]).toBe("mrr@10"));
  expect(await slider(/MRR@10 along k/)).toBeInTheDocument();
});

test("the calibrator's line is moved by keys, shows its figures, and sets min score", async () => {
  const opened = await open();
  const { workspace, user, container } = opened;
  await pickSet(opened, "agent-memory-57");
  const card = within(await region("Min score calibrator"));
  expect(await card.findByRole("columnheader", { name: "0.60 line" })).toBeInTheDocument();
  const line = await slider(/Line for Min score/);
  line.focus();
  await user.keyboard("{ArrowLeft}{ArrowLeft}");
  expect(card.getByRole("columnheader", { name: "0.58 line" })).toBeInTheDocument();
  expect(await violations(container)).toEqual([]);
  await user.click(card.getByRole("button", { name: "Set min score to 0.58" }));
  expect(workspace.parameters.current.min_score).toBe(0.58);
  await user.click(card.getByRole("button", { name: "Suggested: 0.60" }));
  expect(card.getByRole("button", { name: "Set min score to 0.60" })).toBeEnabled();
});

test("on fewer queries than a conclusion needs, no line is suggested, and the user's is at a risk that is said", async () => {
  const { workspace, user } = await open();
  const line = await slider(/Line for Min score/);
  const card = within(await region("Min score calibrator"));
  expect(
    card.getByText("No line is suggested: that needs 20 judged queries; this set has 12."),
  ).toBeInTheDocument();
  expect(card.queryByRole("button", { name: /Suggested/ })).toBeNull();
  // Metrics has Precision and Recall, which count otherwise.
  expect(card.queryByText(/^(Precision|Recall)$/)).toBeNull();
  expect(card.getByRole("row", { name: /Relevant rows kept \d+\/\d+ \d+\/\d+/ })).toBeInTheDocument();
  line.focus();
  await user.keyboard("{ArrowRight}");
  await user.click(card.getByRole("button", { name: /^Set min score to 0.46 anyway$/ }));
  expect(workspace.parameters.current.min_score).toBe(0.46);
});

test("an emulated agent is measured by its own parameters, and has no line to set", async () => {
  const { backend, workspace } = await open();
  await slider(/along k/);
  workspace.pipelines.choose("clerk@1.2");
  await waitFor(() => expect(lastWish(backend).ranking.pipeline).toBe("clerk@1.2"));
  expect(await slider(/along nearWeight/)).toBeInTheDocument();
  expect(await screen.findByText("Clerk 1.2 has no min score.")).toBeInTheDocument();
});

test("wins and losses lead to Search", async () => {
  const opened = await open();
  await pickSet(opened, "agent-memory-57");
  opened.workspace.parameters.set("half_life_days", 300);
  const list = await screen.findByRole("listbox", { name: /Queries that changed/ });
  await waitFor(() => expect(within(list).getAllByRole("option").length).toBeGreaterThan(3));
  list.focus();
  await opened.user.keyboard("{ArrowDown}");
  const first = within(list).getAllByRole("option")[0];
  expect(first).toHaveAttribute("aria-selected", "true");
  await opened.user.keyboard("{Enter}");
  expect(opened.workspace.view).toBe("search");
  await waitFor(() => expect(opened.backend.nCalls("search")).toBe(1));
  expect(first?.textContent).toContain(opened.workspace.search.typed);
});

test("auto-tune shows why nothing can be chosen, and a try can be used and undone", async () => {
  const { backend, workspace, user, container } = await open();
  const card = within(await region("Auto-tune"));
  await user.click(card.getByRole("button", { name: "Run" }));
  expect(
    await card.findByText(/Nothing is surely better\. Best try: fusion_k 35.*about 120 more judged queries/),
  ).toBeInTheDocument();
  expect(argsOf(backend, "autoTune")[0]?.[1]).toMatchObject({
    metric: "ndcg@10",
    folds: 5,
    parameters: null,
  });
  expect(card.getByText("Vector alone")).toBeInTheDocument();
  expect(await violations(container)).toEqual([]);
  await user.click(card.getByRole("button", { name: /^Use 1:/ }));
  expect(workspace.parameters.current.fusion_k).toBe(10);
  // Its figures compare with the settings of the run, and say so.
  expect(await card.findByText(/these figures compare with those of the run/)).toBeInTheDocument();
  workspace.parameters.undo();
  expect(workspace.parameters.current.fusion_k).toBe(60);
  await user.click(card.getByRole("button", { name: "Use anyway" }));
  expect(workspace.parameters.current.fusion_k).toBe(35);
});

test("what auto-tune found is of the set that is measured, and of its judgments as they are", async () => {
  const opened = await open();
  const card = within(await region("Auto-tune"));
  await slider(/along k/);
  await opened.user.click(card.getByRole("button", { name: "Run" }));
  expect(await card.findByText(/Nothing is surely better/)).toBeInTheDocument();
  await opened.user.click(screen.getByRole("checkbox", { name: /observed 1/ }));
  await waitFor(() => expect(card.queryByText(/Nothing is surely better/)).toBeNull());
  expect(card.getByText(/not those of the last run any more/)).toBeInTheDocument();
});

test("a set that cannot be measured leaves no figure, curve or histogram of another one", async () => {
  const opened = await open();
  await slider(/along k/);
  await slider(/Line for/);
  const message = "cannot measure by x: none of the 3 judged notes is in this library (a.md)";
  opened.backend.measureSet = () => Promise.reject({ code: "error", message });
  await pickSet(opened, "agent-memory-57");
  expect(await screen.findByText(/none of the 3 judged notes is in this library/)).toBeInTheDocument();
  expect(screen.queryByRole("region", { name: "Metrics" })).toBeNull();
  expect(screen.queryByRole("slider", { name: /along k/ })).toBeNull();
  expect(screen.queryByRole("slider", { name: /Line for/ })).toBeNull();
});

test("the minimum of judged queries is the engine's, before anything is judged too", async () => {
  await open({ tune: "none" });
  expect(
    await screen.findByText(new RegExp(`${QUERIES_MIN} judged questions are the minimum`)),
  ).toBeInTheDocument();
});

test("auto-tune takes its options, and is cancelled", async () => {
  const { backend, user } = await open();
  const card = within(await region("Auto-tune"));
  await slider(/Line for/);
  await user.click(card.getByRole("button", { name: "Options…" }));
  const dialog = within(await screen.findByRole("dialog"));
  await user.clear(dialog.getByLabelText("Seed"));
  await user.type(dialog.getByLabelText("Seed"), "7{Tab}");
  await user.clear(dialog.getByLabelText("Folds"));
  await user.type(dialog.getByLabelText("Folds"), "99{Tab}");
  expect(dialog.getByLabelText("Folds")).toHaveValue(5);
  expect(dialog.queryByRole("checkbox", { name: /^k / })).toBeNull();
  await user.click(dialog.getByRole("checkbox", { name: /^Vector weight/ }));
  await user.click(dialog.getByRole("checkbox", { name: /^Min score/ }));
  expect(await violations(document.body)).toEqual([]);
  await user.click(dialog.getByRole("button", { name: "Close" }));
  backend.tuneGate = new Promise(() => undefined);
  backend.progress({ job: "tune", progress: { what: "tuning", n_done: 30, n_all: 400 } });
  await user.click(card.getByRole("button", { name: "Run" }));
  expect(await card.findByText(/Trying settings: 30 of 400/)).toBeInTheDocument();
  const request = argsOf(backend, "autoTune")[0]?.[1] as { seed: number; parameters: string[] };
  expect(request.seed).toBe(7);
  expect(request.parameters).not.toContain("vector_weight");
  expect(request.parameters).toContain("min_score");
  expect(request.parameters).toContain("half_life_days");
  await user.click(card.getByRole("button", { name: "Cancel" }));
  expect(await card.findByRole("button", { name: "Run" })).toBeInTheDocument();
});

test("a run is saved, compared, used again, renamed and deleted", async () => {
  const { backend, workspace, user, container } = await open();
  await slider(/Line for/);
  const card = within(await region("Runs"));
  expect(card.getByText("stale")).toHaveAttribute("title", "Notes changed since: 3 of 12.");
  await user.click(card.getByRole("button", { name: "Save this run…" }));
  const naming = within(await screen.findByRole("dialog"));
  expect(naming.getByLabelText("Name")).toHaveValue("Default");
  await user.type(naming.getByLabelText("Name"), " today");
  await user.click(naming.getByRole("button", { name: "Save" }));
  expect(await card.findByRole("button", { name: "Default today" })).toBeInTheDocument();
  await user.click(card.getByRole("checkbox", { name: "Compare Default, in spring" }));
  await user.click(card.getByRole("checkbox", { name: "Compare Keywords first" }));
  await user.click(card.getByRole("button", { name: "Compare two" }));
  const both = within(await screen.findByRole("dialog"));
  expect(both.getByText("Default, in spring → Keywords first")).toBeInTheDocument();
  expect(argsOf(backend, "compareRuns")[0]).toEqual(["r1", "r2"]);
  await user.click(both.getByRole("button", { name: "Close" }));
  expect(await violations(container)).toEqual([]);
  await pick({ user }, "More for Default, in spring", "Use these settings");
  await waitFor(() => expect(workspace.parameters.current.fusion_k).toBe(20));
  await pick({ user }, "More for Default, in spring", "Delete…");
  await user.click(within(await screen.findByRole("alertdialog")).getByRole("button", { name: "Delete" }));
  await waitFor(() => expect(card.queryByText("Default, in spring")).toBeNull());
});

test("where nothing is judged, the view says what to do first", async () => {
  const { user, container, workspace } = await open({ tune: "none" });
  expect(await screen.findByRole("heading", { name: "Nothing to measure yet" })).toBeInTheDocument();
  expect(await violations(container)).toEqual([]);
  await user.click(screen.getByRole("button", { name: "Import a file…" }));
  expect(await screen.findByText("Imported 20 queries.")).toBeInTheDocument();
  expect(screen.getByText("18 of 20 places are in the notes (90 %).", { exact: false })).toBeInTheDocument();
  await user.click(screen.getByText("2 lines left out"));
  expect(screen.getByText("queries.jsonl:7: is no JSON.")).toBeInTheDocument();
  expect(await region("Metrics")).toBeInTheDocument();
  workspace.show("search");
});

test("where nothing is judged, questions worth judging lead to Search", async () => {
  const { user, workspace, backend } = await open({ tune: "none" });
  const [question] = await backend.suggestedQuestions();
  if (question === undefined) throw new Error("a question is suggested");
  await user.click(await screen.findByRole("button", { name: new RegExp(question.question) }));
  expect(workspace.view).toBe("search");
  await waitFor(() => expect(workspace.search.typed).toBe(question.question));
});

test("the set of past questions is there without being made", async () => {
  const opened = await open({ tune: "past" });
  await pickSet(opened, "Judgments");
  await opened.user.click(await screen.findByRole("button", { name: "Use the set of past questions" }));
  expect(await region("Metrics")).toBeInTheDocument();
  expect(opened.backend.nCalls("newQuerySet")).toBe(0);
});

test("a set without a judged query leads to its queries", async () => {
  const opened = await open({ tune: "unjudged" });
  await pickSet(opened, "From my history");
  expect(await screen.findByRole("heading", { name: "None of the 8 queries is judged" })).toBeInTheDocument();
  expect(opened.backend.nCalls("measureSet")).toBe(0);
  await opened.user.click(screen.getByRole("button", { name: "Open the queries" }));
  expect(await screen.findByRole("listbox", { name: "Queries" })).toBeInTheDocument();
});

test("queries are added, edited, marked as nonsense and removed", async () => {
  const opened = await open();
  const { user, backend } = opened;
  await pickSet(opened, "agent-memory-57");
  await pickSet(opened, "Edit its queries…");
  const dialog = within(await screen.findByRole("dialog"));
  await user.click(await dialog.findByText("things getting too hot"));
  expect(dialog.getByText("moved to 12–14")).toBeInTheDocument();
  expect(await violations(document.body)).toEqual([]);
  await user.type(dialog.getByLabelText("Place of an answer"), "no place{Enter}");
  expect(dialog.getByText(/A place is a note's path/)).toBeInTheDocument();
  await user.clear(dialog.getByLabelText("Place of an answer"));
  await user.type(dialog.getByLabelText("Place of an answer"), "people/anna.md:3-9{Enter}");
  await user.click(dialog.getByRole("button", { name: "Save" }));
  await waitFor(() => expect(backend.nCalls("saveQuery")).toBe(1));
  expect(argsOf(backend, "saveQuery")[0]?.[1]).toMatchObject({
    id: "a04",
    relevant: [{ start_line: 8 }, { path: "people/anna.md", start_line: 3, end_line: 9 }],
  });
  await user.click(dialog.getByRole("button", { name: "Add a query" }));
  await user.type(dialog.getByLabelText("Question"), "moon cheese tax");
  await user.click(dialog.getByRole("checkbox", { name: "Nothing should be found" }));
  await user.click(dialog.getByRole("button", { name: "Add the query" }));
  await waitFor(() =>
    expect(argsOf(backend, "saveQuery")[1]?.[1]).toMatchObject({
      id: null,
      query: "moon cheese tax",
      relevant: [],
    }),
  );
  await user.click(await dialog.findByRole("button", { name: "Remove the query" }));
  await user.click(within(await screen.findByRole("alertdialog")).getByRole("button", { name: "Remove" }));
  await waitFor(() => expect(backend.nCalls("removeQueries")).toBe(1));
});

test("the live set is shown and cannot be edited", async () => {
  const opened = await open();
  await pickSet(opened, "Show its queries…");
  const dialog = within(await screen.findByRole("dialog"));
  await opened.user.click(await dialog.findByText("owning up to mistakes"));
  expect(dialog.getByLabelText("Question")).toHaveAttribute("readonly");
  expect(dialog.queryByRole("button", { name: "Add a query" })).toBeNull();
  expect(dialog.queryByRole("button", { name: "Save" })).toBeNull();
});

test("a set is made, renamed, exported and deleted when asked", async () => {
  const opened = await open();
  const { user, backend } = opened;
  await region("Metrics");
  await pickSet(opened, "New set…");
  let dialog = within(await screen.findByRole("dialog"));
  expect(dialog.getByRole("radio", { name: /From your search history/ })).toBeDisabled();
  await user.type(dialog.getByLabelText("Name"), "Mine");
  await user.click(dialog.getByRole("radio", { name: /From your judgments/ }));
  await user.click(dialog.getByRole("button", { name: "Make the set" }));
  expect(await screen.findByRole("button", { name: "Query set: Mine" })).toBeInTheDocument();
  await pickSet(opened, "Rename…");
  dialog = within(await screen.findByRole("dialog"));
  await user.clear(dialog.getByLabelText("Name"));
  await user.type(dialog.getByLabelText("Name"), "Ours{Enter}");
  expect(await screen.findByRole("button", { name: "Query set: Ours" })).toBeInTheDocument();
  await pickSet(opened, "Export as CSV…");
  expect(await screen.findByText(/Saved to \/home\/robin\/queries.csv/)).toBeInTheDocument();
  await pickSet(opened, "Delete…");
  const asked = within(await screen.findByRole("alertdialog"));
  expect(backend.nCalls("deleteQuerySet")).toBe(0);
  await user.click(asked.getByRole("button", { name: "Delete" }));
  expect(await screen.findByRole("button", { name: "Query set: Judgments" })).toBeInTheDocument();
});

test("a name that is taken offers to replace, to keep both, or to leave it", async () => {
  const opened = await open();
  const { user, backend, workspace } = opened;
  await region("Metrics");
  const saveAs = async (name: string) => {
    await pickSet(opened, "Save as…");
    const dialog = within(await screen.findByRole("dialog"));
    await user.clear(dialog.getByLabelText("Name"));
    await user.type(dialog.getByLabelText("Name"), `${name}{Enter}`);
    return within(await screen.findByRole("dialog", { name: "There is a query set of this name" }));
  };
  const names = () => workspace.tune.sets.all?.map(({ name }) => name);
  let asked = await saveAs("agent-memory-57");
  expect(asked.getByText(/another query set has it/)).toBeInTheDocument();
  expect(await violations(document.body)).toEqual([]);
  await user.click(asked.getByRole("button", { name: "Cancel" }));
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  expect(names()).toEqual(["Judgments", "agent-memory-57"]);
  asked = await saveAs("agent-memory-57");
  await user.click(asked.getByRole("button", { name: "Keep both" }));
  expect(await screen.findByRole("button", { name: "Query set: agent-memory-57 (2)" })).toBeInTheDocument();
  asked = await saveAs("agent-memory-57");
  await user.click(asked.getByRole("button", { name: "Replace" }));
  expect(await screen.findByRole("button", { name: "Query set: agent-memory-57" })).toBeInTheDocument();
  expect(names()).toEqual(["Judgments", "agent-memory-57", "agent-memory-57 (2)"]);
  expect(workspace.tune.sets.chosen?.n_queries).toBe(12);
  expect(argsOf(backend, "newQuerySet").map((args) => args[2])).toEqual([
    "refuse",
    "refuse",
    "keep_both",
    "refuse",
    "replace",
  ]);
});

test("an imported file whose name is taken is not chosen twice", async () => {
  const opened = await open();
  await region("Metrics");
  await pickSet(opened, "Import a file…");
  expect(await screen.findByText("Imported 20 queries.")).toBeInTheDocument();
  await pickSet(opened, "Import a file…");
  const asked = within(await screen.findByRole("dialog"));
  await opened.user.click(asked.getByRole("button", { name: "Replace" }));
  expect(await screen.findByText("Imported 20 queries.")).toBeInTheDocument();
  expect(argsOf(opened.backend, "importQuerySet")).toEqual([[null], [null], ["replace"]]);
});

test("sets are duplicated and merged", async () => {
  const opened = await open();
  const { user, backend } = opened;
  await region("Metrics");
  await pickSet(opened, "Duplicate");
  expect(await screen.findByRole("button", { name: "Query set: Judgments copy" })).toBeInTheDocument();
  await pickSet(opened, "Merge…");
  const dialog = within(await screen.findByRole("dialog", { name: "Merge query sets" }));
  expect(dialog.getByRole("button", { name: "Merge" })).toBeDisabled();
  await user.click(dialog.getByRole("checkbox", { name: /agent-memory-57/ }));
  expect(dialog.getByLabelText("Name")).toHaveValue("Judgments copy merged");
  await user.click(dialog.getByRole("button", { name: "Merge" }));
  expect(await screen.findByRole("button", { name: "Query set: Judgments copy merged" })).toBeInTheDocument();
  expect(argsOf(backend, "newQuerySet").at(-1)).toEqual([
    "Judgments copy merged",
    { kind: "merged", sets: ["m1", "1"] },
    "refuse",
  ]);
});

test("nonsense questions are offered where a set has none, and where no set has any", async () => {
  const opened = await open();
  const card = within(await region("Min score calibrator"));
  await opened.user.click(
    await card.findByRole("button", { name: "Copy the set with 40 nonsense questions" }),
  );
  expect(
    await screen.findByRole("button", { name: "Query set: Judgments and nonsense" }),
  ).toBeInTheDocument();
  expect(opened.workspace.tune.sets.chosen?.n_nonsense).toBe(40);
  await waitFor(() => expect(card.queryByRole("button", { name: /nonsense questions/ })).toBeNull());
});

test("without any set, 40 nonsense questions can be made at once", async () => {
  const { user, backend } = await open({ tune: "none" });
  await user.click(await screen.findByRole("button", { name: "Make 40 nonsense questions" }));
  expect(await screen.findByRole("button", { name: "Query set: Nonsense" })).toBeInTheDocument();
  expect(argsOf(backend, "newQuerySet")).toEqual([
    ["Nonsense", { kind: "nonsense", beside: null }, "refuse"],
  ]);
  // No metric is defined for them, so no slider is at its best.
  expect(
    await screen.findByText(/nDCG@10 needs judged queries.*only nonsense: 40 queries/),
  ).toBeInTheDocument();
  expect(screen.getByText("No query is judged, so none can win or lose.")).toBeInTheDocument();
  await slider(/Line for Min score/);
  expect(screen.queryByRole("slider", { name: /along/ })).toBeNull();
  expect(screen.queryByText("at its best")).toBeNull();
  expect(backend.nCalls("sensitivity")).toBe(0);
});

test("the calibrator is opened from the min score slider in Search", async () => {
  const { user, workspace } = await open();
  await user.click(screen.getByRole("button", { name: "Search" }));
  await user.click(await screen.findByRole("button", { name: "Calibrate min score" }));
  expect(workspace.view).toBe("tune");
  await waitFor(() => expect(screen.getByRole("heading", { name: "Min score calibrator" })).toHaveFocus());
  await waitFor(() => expect(workspace.tune.isCalibratorWished).toBe(false));
});

test("preparing a set shows how far it is, and can be stopped and gone on with", async () => {
  const { backend, user } = await open({}, (backend) => {
    backend.tuneGate = new Promise(() => undefined);
    backend.progress({ job: "tune", progress: PREPARING });
  });
  expect(await screen.findByText("Preparing the query set: 120 of 564")).toBeInTheDocument();
  await user.click(screen.getByRole("button", { name: "Stop" }));
  expect(await screen.findByText("Stopped.")).toBeInTheDocument();
  backend.tuneGate = null;
  backend.progress({ job: "tune", progress: null });
  await user.click(screen.getByRole("button", { name: "Measure" }));
  expect(await region("Metrics")).toBeInTheDocument();
});

test("an error is reported and asked again", async () => {
  const { backend, user } = await open({}, (backend) => {
    backend.failing = { measureSet: { code: "error", message: "cannot rank: no model" } };
  });
  expect(await screen.findByRole("alert")).toHaveTextContent("Cannot rank: no model.");
  backend.failing = {};
  await user.click(screen.getByRole("button", { name: "Try again" }));
  expect(await region("Metrics")).toBeInTheDocument();
  expect(screen.queryByRole("alert")).toBeNull();
});

test("fifty thousand queries are listed by few rows, and their curves wait to be asked for", async () => {
  const opened = await open({ tune: "huge" });
  const { backend, user } = opened;
  await region("Metrics");
  await slider(/Line for/);
  expect(backend.nCalls("sensitivity")).toBe(0);
  await user.click(screen.getByRole("button", { name: "Draw the curves" }));
  expect(await slider(/along k/)).toBeInTheDocument();
  await pickSet(opened, "Edit its queries…");
  const list = await screen.findByRole("listbox", { name: "Queries" });
  await waitFor(() => expect(within(list).getAllByRole("option").length).toBeGreaterThan(5));
  expect(within(list).getAllByRole("option").length).toBeLessThan(80);
  expect(within(list).getAllByRole("option")[0]).toHaveAttribute("aria-setsize", "50000");
  await fireEvent.input(screen.getByRole("searchbox", { name: "Find in the queries" }), {
    target: { value: "(4999)" },
  });
  await waitFor(() => expect(within(list).getAllByRole("option")[0]).toHaveAttribute("aria-setsize", "10"));
});

test("what was measured stays while another view is shown", async () => {
  const { backend, user } = await open();
  await slider(/Line for/);
  const n = backend.nCalls("measureSet");
  await user.click(screen.getByRole("button", { name: "Memory" }));
  await user.click(screen.getByRole("button", { name: "Tune" }));
  expect(screen.getByRole("region", { name: "Metrics" })).toBeInTheDocument();
  await waitFor(() => expect(backend.nCalls("querySets")).toBe(2));
  expect(backend.nCalls("measureSet")).toBe(n);
});
