// The Compare view as the user sees it: two sides, what moved, another question, a query set, an error.
import { render, screen, waitFor, within } from "@testing-library/svelte";
import type { UserEvent } from "@testing-library/user-event";
import { expect, test } from "vitest";
import { violations } from "../../tests/axe";
import { REORDERED } from "../../tests/fake/compare";
import { FakeBackend, type FakeOptions } from "../../tests/fake-backend";
import { setupUser } from "../../tests/user";
import App from "../App.svelte";
import { Workspace, workspaceContext } from "../workspace.svelte";

async function open(options: FakeOptions = {}, arrange: (backend: FakeBackend) => void = () => undefined) {
  const backend = new FakeBackend({
    ...{ nChunks: 60, startQuery: "relay quiet hours", tune: "judged", ...options },
  });
  arrange(backend);
  const workspace = new Workspace(backend);
  const user = setupUser();
  const { container } = render(App, { context: workspaceContext(workspace) });
  await waitFor(() => expect(document.documentElement.dataset["ready"]).toBe("true"));
  await user.click(screen.getByRole("button", { name: "Compare" }));
  return { backend, workspace, user, container };
}

const rankingsOf = (backend: FakeBackend) =>
  backend.calls.filter((call) => call.name === "compare").map((call) => call.args);

test("another program is compared with the parameters as they are, for the question that was asked", async () => {
  const { backend, container } = await open();
  await screen.findByRole("list", { name: "A: Shelf 1" });
  const b = within(screen.getByRole("list", { name: "B: Parameters as set now" }));
  expect(b.getAllByRole("button").length).toBeGreaterThan(5);
  const [query, a, own] = rankingsOf(backend)[0] ?? [];
  expect(query).toBe("relay quiet hours");
  expect(a).toEqual({ pipeline: "shelf@1", values: {} });
  expect(own).toMatchObject({ pipeline: "memlens", values: { min_score: 0.1 } });
  const changed = within(screen.getByRole("complementary", { name: "What changed" }));
  expect(changed.getByText("In both")).toBeInTheDocument();
  expect(changed.getByText(/Shelf 1, emulated over 12 notes/)).toBeInTheDocument();
  expect(changed.getByText(/Two programs are compared/)).toBeInTheDocument();
  expect(container.querySelectorAll(".rows path").length).toBeGreaterThan(4);
  expect(await violations(container)).toEqual([]);
});

test("sides are chosen and swapped, and presets show which parameters differ", async () => {
  const { backend, workspace, user } = await open();
  await screen.findByRole("list", { name: "A: Shelf 1" });
  await user.click(screen.getByRole("button", { name: "A: Shelf 1" }));
  await user.click(await screen.findByText("Default"));
  await screen.findByRole("list", { name: "A: Default" });
  expect(await screen.findByText("None: both sides are the same.")).toBeInTheDocument();
  workspace.parameters.replace({ ...workspace.parameters.current, max_results: 3 });
  const table = within(await screen.findByRole("table"));
  expect(table.getAllByRole("row")).toHaveLength(2);
  expect(table.getByText("3")).toBeInTheDocument();
  await user.click(screen.getByRole("button", { name: "Swap A and B" }));
  await screen.findByRole("list", { name: "B: Default" });
  await waitFor(() => {
    const [, a, b] = rankingsOf(backend).at(-1) ?? [];
    expect(a).toMatchObject({ values: { max_results: 3 } });
    expect(b).toMatchObject({ values: { max_results: 10 } });
  });
});

test("an emulated program is compared with changed notes when the user says so, Memlens's own by itself", async () => {
  const { backend, workspace, user, container } = await open();
  const noteChange = async () => {
    const generation = (workspace.library.generationAtRest ?? 0) + 1;
    backend.changeState({ generation });
    // Longer than typing rests.
    await new Promise((resolve) => setTimeout(resolve, 400));
  };
  const again = () => screen.queryByRole("button", { name: "Compare again" });
  await screen.findByRole("list", { name: "A: Shelf 1" });
  expect(again()).toBeNull();
  await noteChange();
  expect(rankingsOf(backend)).toHaveLength(1);
  const notice = screen.getByText("Notes have changed since this comparison.").closest('[role="status"]');
  expect(notice).toContainElement(again());
  expect(await violations(container)).toEqual([]);
  await user.click(again() as HTMLElement);
  await waitFor(() => expect(rankingsOf(backend)).toHaveLength(2));
  await waitFor(() => expect(again()).toBeNull());
  await user.click(screen.getByRole("button", { name: "A: Shelf 1" }));
  await user.click(await screen.findByText("Default"));
  await waitFor(() => expect(rankingsOf(backend)).toHaveLength(3));
  await noteChange();
  expect(rankingsOf(backend)).toHaveLength(4);
  expect(again()).toBeNull();
});

test("an error is reported and the next question is compared all the same", async () => {
  const { backend, user } = await open();
  await screen.findByRole("list", { name: "A: Shelf 1" });
  backend.failing = {
    compare: { code: "error", message: "cannot ask OpenClaw's keyword search: no memory" },
  };
  const box = screen.getByRole("searchbox", { name: "Question to compare" });
  await user.clear(box);
  await user.type(box, "soup");
  expect(await screen.findByRole("alert")).toHaveTextContent("no memory");
  backend.failing = {};
  await user.type(box, " stock");
  await screen.findByRole("list", { name: "A: Shelf 1" });
  expect(rankingsOf(backend).at(-1)?.[0]).toBe("soup stock");
});

test("a row is shown in Memory", async () => {
  const { workspace, user } = await open();
  const rows = within(await screen.findByRole("list", { name: "B: Parameters as set now" }));
  const [first] = rows.getAllByRole("button");
  if (first === undefined) throw new Error("there is a row");
  await user.click(first);
  expect(workspace.view).toBe("memory");
});

/** Picks an entry of the menu of query sets, which has no names without a layout. */
async function pickSet(user: UserEvent, text: string) {
  await user.click(await overSet().findByRole("button", { name: /^Query set:/ }));
  const menu = await screen.findByRole("menu", { hidden: true });
  const item = within(menu).getByText(text).closest<HTMLElement>("[role^='menuitem']");
  if (item === null) throw new Error(`“${text}” is no item`);
  await user.click(item);
  await waitFor(() => expect(screen.queryByRole("menu", { hidden: true })).toBeNull());
}

const setsAsked = (backend: FakeBackend) =>
  backend.calls.filter((call) => call.name === "compareQueries").map((call) => call.args[0]);

const overSet = () => within(screen.getByRole("region", { name: "Over a query set" }));
const cells = (row: HTMLElement) =>
  [...row.querySelectorAll("th, td")].map((cell) => cell.textContent.trim());

test("a query set is named, shown by category, and each of its queries compared as it was asked", async () => {
  const { backend, user, container } = await open();
  await screen.findByRole("list", { name: "A: Shelf 1" });
  await pickSet(user, "agent-memory-57");
  await user.click(await overSet().findByRole("button", { name: "Compare 54 queries" }));
  expect(await overSet().findByText("Over 3 queries")).toBeInTheDocument();
  const rows = overSet().getAllByRole("row");
  expect(rows.slice(1).map(cells)).toEqual([
    ["direct", "2", "0.625", "1.000", "+0.375", "1 / 1 / 0"],
    ["vague", "1", "0.500", "0.000", "−0.500", "0 / 0 / 1"],
    ["All", "3", "0.583", "0.667", "+0.083", "1 / 1 / 1"],
  ]);
  expect(overSet().getByText("Hit rate").nextElementSibling).toHaveTextContent("1.00 → 0.67");
  expect(screen.getByText("3 queries are not judged yet; left out.")).toBeInTheDocument();
  expect(overSet().getByText(/about 120 more judged queries would tell\./)).toBeInTheDocument();
  expect(setsAsked(backend)).toEqual(["1"]);
  const differing = within(screen.getByRole("region", { name: "Queries that differ most" }));
  const queries = differing.getAllByRole("button");
  expect(queries.map((one) => one.textContent.replaceAll(/\s+/g, " ").trim())).toEqual([
    "q1 relay quiet hours +0.75",
    "q2 who may open the door −0.50",
  ]);
  expect(overSet().getByText("Nothing found").closest("div")).toHaveTextContent("0 → 1 of 2");
  expect(await violations(container)).toEqual([]);
  await user.click(queries[1] as HTMLElement);
  await waitFor(() => {
    const [query, , , scope] = rankingsOf(backend).at(-1) ?? [];
    expect(query).toBe("who may open the door");
    expect(scope).toEqual({ folder: "1", path: "protocols" });
  });
  // Another question is one of all notes again.
  await user.type(screen.getByRole("searchbox", { name: "Question to compare" }), "s");
  await waitFor(() => expect(rankingsOf(backend).at(-1)?.[3]).toBeNull());
});

test("other sides are compared over the query set when the user says so", async () => {
  const { backend, user } = await open();
  await screen.findByRole("list", { name: "A: Shelf 1" });
  expect(backend.nCalls("compareQueries")).toBe(0);
  expect(overSet().queryByRole("table")).not.toBeInTheDocument();
  await user.click(await overSet().findByRole("button", { name: "Compare 12 queries" }));
  await overSet().findByRole("table");
  await user.click(screen.getByRole("button", { name: "A: Shelf 1" }));
  await user.click(await screen.findByText("Default"));
  await waitFor(() => expect(overSet().queryByRole("table")).not.toBeInTheDocument());
  expect(backend.nCalls("compareQueries")).toBe(1);
  await user.click(overSet().getByRole("button", { name: "Compare 12 queries" }));
  expect(await screen.findByText("None: nDCG@10 of every query is the same by both.")).toBeInTheDocument();
});

test("a comparison over a query set shows how far it is, and ends when it is cancelled", async () => {
  const { backend, user } = await open();
  await screen.findByRole("list", { name: "A: Shelf 1" });
  backend.compareGate = new Promise(() => undefined);
  backend.progress({ job: "compare", progress: { n_done: 1, n_all: 3 } });
  await user.click(await overSet().findByRole("button", { name: "Compare 12 queries" }));
  expect(await overSet().findByText(/Asking query 2 of 3/)).toBeInTheDocument();
  await user.click(overSet().getByRole("button", { name: "Cancel" }));
  expect(await overSet().findByRole("button", { name: "Compare 12 queries" })).toBeInTheDocument();
  backend.failing = {
    compareQueries: { code: "error", message: "cannot evaluate queries.jsonl: it has no judged queries" },
  };
  await user.click(overSet().getByRole("button", { name: "Compare 12 queries" }));
  expect(await overSet().findByRole("alert")).toHaveTextContent("it has no judged queries");
});

test("a set whose answers are unknown is not compared, and a file is one entry of the list", async () => {
  const { backend, user } = await open({ tune: "none" });
  await screen.findByRole("list", { name: "A: Shelf 1" });
  expect(await overSet().findByText(/None of its queries has a known answer/)).toBeInTheDocument();
  expect(overSet().queryByRole("button", { name: /^Compare/ })).toBeNull();
  await pickSet(user, "Import a file…");
  expect(await screen.findByText("Imported 20 queries.")).toBeInTheDocument();
  await user.click(await overSet().findByRole("button", { name: "Compare 20 queries" }));
  await overSet().findByRole("table");
  expect(setsAsked(backend)).toEqual(["m1"]);
});

test("a set that is deleted while it is chosen takes its figures with it", async () => {
  const { user } = await open();
  await screen.findByRole("list", { name: "A: Shelf 1" });
  await pickSet(user, "agent-memory-57");
  await user.click(await overSet().findByRole("button", { name: "Compare 54 queries" }));
  await overSet().findByRole("table");
  await pickSet(user, "Delete…");
  await user.click(within(await screen.findByRole("alertdialog")).getByRole("button", { name: "Delete" }));
  expect(await overSet().findByRole("button", { name: "Query set: Judgments" })).toBeInTheDocument();
  await waitFor(() => expect(overSet().queryByRole("table")).toBeNull());
});

test("a row whose place contradicts its score says which stage put it there", async () => {
  await open({ startQuery: REORDERED });
  const b = within(await screen.findByRole("list", { name: "B: Parameters as set now" }));
  expect(b.getAllByText(/put below lower scores by MMR/)).toHaveLength(1);
});

test("a comparison that embeds an agent's chunks shows how far it is, and can be cancelled", async () => {
  let finish: () => void = () => undefined;
  const { backend, user } = await open({}, (backend) => {
    backend.oneCompareGate = new Promise((resolve) => (finish = resolve));
    backend.progress({ job: "emulation", progress: { n_done: 40, n_all: 369 } });
  });
  expect(await screen.findByText(/Embedding the chunks as Shelf cuts them: 40 of 369/)).toBeInTheDocument();
  expect(screen.queryByText(/Type a question/)).toBeNull();
  await user.click(screen.getByRole("button", { name: "Cancel" }));
  expect(backend.calls.some(({ name, args }) => name === "stop" && args[0] === "emulation")).toBe(true);
  finish();
  expect(await screen.findByRole("list", { name: "A: Shelf 1" })).toBeInTheDocument();
});
