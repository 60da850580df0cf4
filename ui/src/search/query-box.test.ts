// The question box with what agents asked under it.
import { render, screen, waitFor, within } from "@testing-library/svelte";
import { expect, test } from "vitest";
import { violations } from "../../tests/axe";
import { FakeBackend } from "../../tests/fake-backend";
import { setupUser } from "../../tests/user";
import App from "../App.svelte";
import { Workspace, workspaceContext } from "../workspace.svelte";

async function type(text: string) {
  const backend = new FakeBackend({ nChunks: 60, past: "read" });
  const workspace = new Workspace(backend);
  const user = setupUser();
  const { container } = render(App, { context: workspaceContext(workspace) });
  await waitFor(() => expect(document.documentElement.dataset["ready"]).toBe("true"));
  const box = screen.getByRole("searchbox", { name: "Question" });
  await user.type(box, text);
  return { backend, workspace, user, container, box };
}

const offered = () => screen.findByRole("listbox", { name: "Past questions of agents" });

test("past questions are offered under the box and chosen by keys; Escape closes the list alone", async () => {
  const { workspace, user, container, box } = await type("dead");
  const list = await offered();
  expect(await violations(container)).toEqual([]);
  await user.keyboard("{ArrowDown}{ArrowDown}");
  const option = within(list).getByRole("option", { name: "connection dead, what now" });
  expect(option).toHaveAttribute("aria-selected", "true");
  expect(box).toHaveAttribute("aria-activedescendant", option.id);
  await user.keyboard("{Enter}");
  expect(screen.queryByRole("listbox")).toBeNull();
  expect(box).toHaveValue("connection dead, what now");
  await waitFor(() => expect(workspace.search.answer?.query).toBe("connection dead, what now"));
  expect(workspace.queries.queries[0]).toBe("connection dead, what now");
  await user.clear(box);
  await user.type(box, "dead");
  await offered();
  await user.keyboard("{Escape}");
  expect(screen.queryByRole("listbox")).toBeNull();
  expect(box).toHaveFocus();
  expect(box).toHaveValue("dead");
});

test("a click chooses, and typing on asks what is typed", async () => {
  const { workspace, user, box } = await type("dead");
  await user.click(within(await offered()).getByText("wifi dead in the studio"));
  await waitFor(() => expect(workspace.search.answer?.query).toBe("wifi dead in the studio"));
  await user.clear(box);
  await user.type(box, "dead");
  await offered();
  await user.keyboard("{Enter}");
  await waitFor(() => expect(workspace.search.answer?.query).toBe("dead"));
});

test("the arrow up still walks through the questions that the user asked", async () => {
  const { user, box } = await type("relay{Enter}");
  await user.clear(box);
  await user.type(box, "dead");
  await offered();
  await user.keyboard("{ArrowUp}");
  expect(box).toHaveValue("relay");
  await user.keyboard("{ArrowDown}");
  expect(box).toHaveValue("dead");
});
