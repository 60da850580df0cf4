// The overview as the user meets it: cards with figures, the lists behind them, and the address.
import { render, screen, waitFor, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test } from "vitest";
import { violations } from "../../tests/axe";
import { FakeBackend } from "../../tests/fake-backend";
import { layOut } from "../../tests/layout";
import App from "../App.svelte";
import { Workspace, workspaceContext } from "../workspace.svelte";

layOut();
beforeEach(() => history.replaceState(null, "", "#"));

async function open(prepare: (backend: FakeBackend) => void = () => {}) {
  const backend = new FakeBackend();
  prepare(backend);
  const workspace = new Workspace(backend);
  workspace.show("memory");
  const user = userEvent.setup();
  const { container } = render(App, { context: workspaceContext(workspace) });
  await screen.findByRole("article", { name: "Overview" });
  return { backend, workspace, user, container };
}

const card = (name: string) => screen.findByRole("group", { name });
const options = () => within(screen.getByRole("listbox", { name: "Notes" })).getAllByRole("option");

test("a card shows its figure and opens the list of as many notes", async () => {
  const { user, container } = await open();
  const largest = await card("Largest");
  expect(largest).toHaveTextContent("5 notes");
  expect(await violations(container)).toEqual([]);
  await user.click(within(largest).getByRole("button", { name: "Show all 5: Largest" }));
  await waitFor(() => expect(options()).toHaveLength(5));
  expect(options()[0]).toHaveAttribute("aria-setsize", "5");
  expect(location.hash).toBe("#memory=list&card=largest");
  expect(await violations(container)).toEqual([]);
});

test("a figure that is not known gives its reason and opens nothing", async () => {
  await open();
  const found = await card("Never found by a past question");
  expect(found).toHaveTextContent("not known");
  expect(found).toHaveTextContent("No past question was imported.");
  expect(within(found).queryByRole("button")).toBeNull();
});

test("figures that need a comparison start it", async () => {
  let settle: () => void = () => {};
  const { backend } = await open((backend) => {
    backend.driftGate = new Promise((resolve) => (settle = resolve));
  });
  const said = await card("Said more than once");
  await waitFor(() => expect(said).toHaveTextContent("comparing the notes…"));
  expect(within(said).queryByRole("button")).toBeNull();
  settle();
  await waitFor(() => expect(said).toHaveTextContent("2 statements"));
  expect(backend.nCalls("driftNow")).toBe(1);
});

test("a comparison that was stopped is not started again, except by the user", async () => {
  const { backend, workspace, user } = await open((backend) => {
    backend.driftGate = new Promise(() => {});
  });
  const said = await card("Said more than once");
  await waitFor(() => expect(said).toHaveTextContent("comparing the notes…"));
  workspace.contradictions.stop();
  await waitFor(() => expect(said).toHaveTextContent("not compared yet"));
  backend.driftGate = null;
  await user.click(within(said).getByRole("button", { name: "Compare now: Said more than once" }));
  await waitFor(() => expect(said).toHaveTextContent("2 statements"));
  expect(backend.nCalls("driftNow")).toBe(2);
});

test("a card of more than the window lists does not offer to show all", async () => {
  await open((backend) => (backend.nSaidAgain = 700));
  const said = await card("Said more than once");
  await waitFor(() => expect(said).toHaveTextContent("700 statements"));
  expect(within(said).getByRole("button")).toHaveTextContent("Show the first 500");
});

test("filters are chips and are in the address, and back undoes them", async () => {
  const { user } = await open();
  await user.click(await screen.findByRole("button", { name: "All notes" }));
  await waitFor(() => expect(options()).toHaveLength(5));
  await user.click(screen.getByRole("checkbox", { name: "Has a problem" }));
  await waitFor(() => expect(options()).toHaveLength(1));
  expect(location.hash).toBe("#memory=list&problem=1");
  await user.click(screen.getByRole("button", { name: "Remove the filter Has a problem" }));
  await waitFor(() => expect(options()).toHaveLength(5));
  expect(location.hash).toBe("#memory=list");
  history.back();
  await waitFor(() => expect(options()).toHaveLength(1));
});
