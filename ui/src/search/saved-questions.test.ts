// Saved questions as the user meets them: the star in the box, the list while nothing is typed.
import { render, screen, waitFor, within } from "@testing-library/svelte";
import { describe, expect, it } from "vitest";
import { FakeBackend } from "../../tests/fake-backend";
import { setupUser } from "../../tests/user";
import App from "../App.svelte";
import { Workspace, workspaceContext } from "../workspace.svelte";

const QUERY = "the internet is down at home";

async function open(saved: string[] = [], startQuery: string | null = QUERY) {
  const backend = new FakeBackend({ nChunks: 40, startQuery });
  backend.savedList = saved;
  const workspace = new Workspace(backend);
  const user = setupUser();
  render(App, { context: workspaceContext(workspace) });
  await waitFor(() => expect(document.documentElement.dataset.ready).toBe("true"));
  return { backend, workspace, user };
}

const star = () => screen.getByRole("button", { name: "Save the question" });

describe("a saved question", () => {
  it("is saved by the star in the box, and forgotten by it", async () => {
    const { backend, user } = await open();
    expect(star()).toHaveAttribute("aria-pressed", "false");
    await user.click(star());
    expect(backend.savedList).toEqual([QUERY]);
    expect(star()).toHaveAttribute("aria-pressed", "true");
    await user.click(star());
    expect(backend.savedList).toEqual([]);
    expect(star()).toHaveAttribute("aria-pressed", "false");
  });

  it("is listed while nothing is typed, asked by a click, and forgotten there", async () => {
    const { backend, workspace, user } = await open(["where is the fuse box", "who knows the code"], null);
    const heading = screen.getByRole("heading", { name: "Saved questions" });
    const list = within(heading.nextElementSibling as HTMLElement);
    await user.click(list.getByRole("button", { name: "Forget “who knows the code”" }));
    expect(backend.savedList).toEqual(["where is the fuse box"]);
    await user.click(list.getByRole("button", { name: "where is the fuse box" }));
    await waitFor(() => expect(workspace.search.answer?.query).toBe("where is the fuse box"));
    expect(star()).toHaveAttribute("aria-pressed", "true");
  });

  it("that cannot be saved says why, and the star stays as it was", async () => {
    const { backend, user } = await open();
    backend.failing.saveQuestion = { code: "locked", message: "another process writes to the library" };
    await user.click(star());
    expect(await screen.findByText(/Another process writes to the library/)).toBeInTheDocument();
    expect(star()).toHaveAttribute("aria-pressed", "false");
  });
});
