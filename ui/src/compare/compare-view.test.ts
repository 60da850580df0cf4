// The Compare view as a person meets it: two sides, what moved, another question, an error.
import { render, screen, waitFor, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import { violations } from "../../tests/axe";
import { FakeBackend } from "../../tests/fake-backend";
import App from "../App.svelte";
import { Workspace, workspaceContext } from "../workspace.svelte";

async function open() {
  const backend = new FakeBackend({ nChunks: 60, startQuery: "relay quiet hours" });
  const workspace = new Workspace(backend);
  const user = userEvent.setup();
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

test("sides are chosen and swapped, and presets tell which parameters differ", async () => {
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

test("an error is told and the next question is compared all the same", async () => {
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
