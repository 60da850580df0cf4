// The card of past questions in Settings.
import { render, screen, waitFor, within } from "@testing-library/svelte";
import { expect, test } from "vitest";
import { violations } from "../../tests/axe";
import { FakeBackend, type FakeOptions } from "../../tests/fake-backend";
import { setupUser } from "../../tests/user";
import App from "../App.svelte";
import { Workspace, workspaceContext } from "../workspace.svelte";

async function open(options: FakeOptions) {
  const backend = new FakeBackend(options);
  const workspace = new Workspace(backend);
  workspace.show("settings");
  const user = setupUser();
  const { container } = render(App, { context: workspaceContext(workspace) });
  const card = within(await screen.findByRole("region", { name: "Past questions" }));
  return { backend, workspace, user, container, card };
}

const changes = (backend: FakeBackend) =>
  backend.calls.filter(({ name }) => name === "setRecall").map(({ args }) => args[0]);

test("logs are named before they are read, and nothing is set until then", async () => {
  const { user, card, container } = await open({ past: "unread" });
  expect(await card.findByText("~/.clerk/sessions.db")).toBeInTheDocument();
  expect(card.getByText(/Memlens has not read them/)).toBeInTheDocument();
  expect(card.queryByRole("checkbox")).toBeNull();
  expect(await violations(container)).toEqual([]);
  await user.click(card.getByRole("button", { name: "Read past questions" }));
  expect(await card.findByText(/Memlens keeps 10 past questions of these logs/)).toBeInTheDocument();
  expect(card.getByText(/line 812 is torn/)).toBeInTheDocument();
  expect(await violations(container)).toEqual([]);
});

test("the time that questions are kept is a whole number of days", async () => {
  const { backend, user, card } = await open({ past: "read" });
  const days = await card.findByRole("spinbutton", { name: /Keep for/ });
  expect(days).toHaveValue(365);
  await user.clear(days);
  await user.type(days, "1.5{Enter}");
  await user.tab();
  expect(days).toHaveValue(365);
  expect(changes(backend)).toEqual([]);
  await user.clear(days);
  await user.type(days, "30");
  await user.tab();
  expect(changes(backend)).toEqual([{ keepDays: 30 }]);
});

test("the check on save is switched off", async () => {
  const { backend, user, card } = await open({ past: "read" });
  const check = await card.findByRole("checkbox", { name: /Check past questions when a note is saved/ });
  expect(check).toBeChecked();
  await user.click(check);
  expect(changes(backend)).toEqual([{ isAlarmOn: false }]);
});

test("forgetting asks first, says what goes and what stays, and empties the view", async () => {
  const { backend, user, card } = await open({ past: "replayed" });
  await user.click(await card.findByRole("button", { name: "Forget past questions…" }));
  const dialog = within(await screen.findByRole("alertdialog", { name: "Forget past questions?" }));
  expect(dialog.getByText(/Your agents’ logs stay/)).toBeInTheDocument();
  expect(dialog.getByText(/forgets 10 past questions/)).toBeInTheDocument();
  expect(backend.nCalls("forgetRecall")).toBe(0);
  await user.click(dialog.getByRole("button", { name: "Forget" }));
  expect(await card.findByText(/Memlens has not read them/)).toBeInTheDocument();
  await user.click(screen.getByRole("button", { name: "Past questions" }));
  expect(await screen.findByRole("heading", { name: "What did your agents ask?" })).toBeInTheDocument();
});

test("forgetting names the query sets that lose copies of past questions", async () => {
  const { backend, user, card } = await open({ past: "replayed" });
  backend.past.copies = [
    { set: "Mine", n_queries: 3, n_kept: 2 },
    { set: "All of them", n_queries: 1, n_kept: 0 },
  ];
  await user.click(card.getByRole("button", { name: "Look again" }));
  await user.click(await card.findByRole("button", { name: "Forget past questions…" }));
  const dialog = within(await screen.findByRole("alertdialog", { name: "Forget past questions?" }));
  expect(dialog.getByText("Mine").closest("li")).toHaveTextContent("Mine: 3 queries, 2 stay");
  expect(dialog.getByText("All of them").closest("li")).toHaveTextContent("1 query, and the set with them");
});

test("while another process writes, nothing can be changed", async () => {
  const { card } = await open({ past: "read", readOnly: "memlens index (process 4711) is writing" });
  expect(await card.findByRole("checkbox")).toBeDisabled();
  for (const name of ["Read now", "Forget past questions…"])
    expect(card.getByRole("button", { name })).toBeDisabled();
});

test("an import that fails says why", async () => {
  const { backend, user, card } = await open({ past: "read" });
  backend.failing = { importRecall: { code: "error", message: "cannot read ~/.clerk/sessions.db: locked" } };
  await user.click(await card.findByRole("button", { name: "Read now" }));
  expect(await card.findByRole("alert")).toHaveTextContent("Cannot read ~/.clerk/sessions.db: locked.");
  await waitFor(() => expect(card.getByRole("button", { name: "Read now" })).toBeEnabled());
});
