// Settings > What Memlens stores: whether what notes said before is saved.
import { render, screen, waitFor, within } from "@testing-library/svelte";
import { expect, test } from "vitest";
import { violations } from "../../tests/axe";
import { LibraryBackend } from "../../tests/fake/library";
import { setupUser } from "../../tests/user";
import { HistoryKeeping } from "./history-keeping.svelte";
import HistorySetting from "./HistorySetting.svelte";

async function open(isReadOnly = false) {
  const backend = new LibraryBackend();
  const history = new HistoryKeeping(backend);
  const { container } = render(HistorySetting, { history, isReadOnly });
  await history.read();
  const box = await screen.findByRole("checkbox", { name: /^Save what notes said before/ });
  return { backend, history, box, container, user: setupUser() };
}

test("it is switched off after a question that names what is deleted", async () => {
  const { backend, box, user, container } = await open();
  expect(box).toBeChecked();
  expect(screen.getByText(/12 kB of at most 67 MB/)).toBeInTheDocument();
  expect(await violations(container)).toEqual([]);
  await user.click(box);
  const dialog = () => screen.findByRole("alertdialog", { name: "Delete what notes said before?" });
  await user.click(within(await dialog()).getByRole("button", { name: "Cancel" }));
  await waitFor(() => expect(screen.queryByRole("alertdialog")).toBeNull());
  expect(box).toBeChecked();
  expect(backend.nCalls("keepHistory")).toBe(0);
  await user.click(box);
  await user.click(within(await dialog()).getByRole("button", { name: "Delete" }));
  await waitFor(() => expect(box).not.toBeChecked());
  expect(screen.getByText(/0 B of at most 67 MB/)).toBeInTheDocument();
  await user.click(box);
  await waitFor(() => expect(box).toBeChecked());
  expect(backend.calls.filter(({ name }) => name === "keepHistory").map(({ args }) => args)).toEqual([
    [false],
    [true],
  ]);
});

test("it cannot be changed while another process writes", async () => {
  const { box } = await open(true);
  expect(box).toBeDisabled();
});

test("a change that failed says why, and the box shows what is so", async () => {
  const { backend, box, user } = await open();
  backend.failing.keepHistory = { code: "error", message: "the disk is full" };
  await user.click(box);
  await user.click(within(await screen.findByRole("alertdialog")).getByRole("button", { name: "Delete" }));
  expect(await screen.findByText("The disk is full.")).toBeInTheDocument();
  expect(box).toBeChecked();
});
