// The history of a note beside it.
import { render, screen, waitFor, within } from "@testing-library/svelte";
import { beforeEach, expect, test } from "vitest";
import { violations } from "../../tests/axe";
import { LibraryBackend } from "../../tests/fake/library";
import { setupUser } from "../../tests/user";
import type { NoteChanged, NoteHistory } from "../api/bindings";
import { DEFAULTS } from "../api/parameters";
import { Beside } from "./beside.svelte";
import HistorySection from "./HistorySection.svelte";

beforeEach(() => localStorage.clear());

const changed = (change: Partial<NoteChanged> = {}): NoteChanged => ({
  ...{ origin: { kind: "seen" }, at_ms: Date.UTC(2026, 10, 20, 9, 5), n_added: 1, n_removed: 2 },
  diff: "@@ line 3 @@\n-The pump runs at night.\n-At two.\n+The pump runs at noon.\n",
  lacks: null,
  ...change,
});

async function shown(history: Partial<NoteHistory>) {
  const backend = new LibraryBackend();
  backend.histories["a.md"] = history;
  const beside = new Beside(backend);
  const { container } = render(HistorySection, { beside });
  beside.show({ folder: "notes", path: "a.md" }, DEFAULTS);
  await waitFor(() => expect(beside.history).not.toBeNull());
  return { backend, beside, container, user: setupUser() };
}

const list = () => screen.findByRole("list", { name: "Changes of this note" });

test("a change opens to what it removed and added, and another closes it", async () => {
  const commit = {
    kind: "commit",
    id: "0a1b2c3d",
    subject: "Say when the pump runs",
    is_merge: false,
  } as const;
  const { user, container } = await shown({
    changes: [changed(), changed({ origin: commit, diff: "", lacks: "the note is too long to be compared" })],
    commits_end: "its clone is shallow",
  });
  const rows = within(await list()).getAllByRole("button");
  expect(rows.map((row) => row.textContent?.replace(/\s+/g, " ").trim())).toEqual([
    expect.stringMatching(/Seen by Memlens \+1 −2$/),
    expect.stringMatching(/Say when the pump runs$/),
  ]);
  await user.click(rows[0] as HTMLElement);
  const diff = screen.getByRole("region", { name: "What changed" });
  expect(within(diff).getByText("-The pump runs at night.")).toBeInTheDocument();
  expect(within(diff).getByText("+The pump runs at noon.")).toBeInTheDocument();
  expect(await violations(container)).toEqual([]);
  await user.click(rows[1] as HTMLElement);
  expect(screen.queryByRole("region", { name: "What changed" })).toBeNull();
  expect(screen.getByText("The note is too long to be compared.")).toBeInTheDocument();
  expect(screen.getByText("Older commits are not listed: its clone is shallow.")).toBeInTheDocument();
});

test("an opened change stays open while the history is read again", async () => {
  const { backend, beside, user } = await shown({ changes: [changed()] });
  await user.click(within(await list()).getByRole("button"));
  const before = beside.history;
  backend.histories["a.md"] = { changes: [changed({ at_ms: Date.UTC(2026, 10, 21) }), changed()] };
  beside.show({ folder: "notes", path: "a.md" }, DEFAULTS);
  await waitFor(() => expect(beside.history).not.toBe(before));
  expect(await screen.findByRole("region", { name: "What changed" })).toBeInTheDocument();
  const rows = within(await list()).getAllByRole("button");
  expect(rows.map((row) => row.getAttribute("aria-expanded"))).toEqual(["false", "true"]);
});

test("many changes are listed after a click", async () => {
  const { user } = await shown({ changes: Array.from({ length: 9 }, () => changed()) });
  expect(within(await list()).getAllByRole("button")).toHaveLength(5);
  await user.click(screen.getByRole("button", { name: "and 4 more" }));
  expect(within(await list()).getAllByRole("button")).toHaveLength(9);
});

test("a note without changes says since when they are saved, or that they are not", async () => {
  await shown({});
  expect(await screen.findByText(/Memlens saves the changes that it reads/)).toBeInTheDocument();
  await shown({ is_kept: false });
  expect(await screen.findByText(/Saving them is switched off in Settings/)).toBeInTheDocument();
});

test("nothing is read while the section is folded", async () => {
  const { backend, beside } = await shown({ changes: [changed()] });
  const n = () => backend.nCalls("noteHistory");
  expect(n()).toBe(1);
  beside.toggle("history");
  beside.show({ folder: "notes", path: "b.md" }, DEFAULTS);
  expect(n()).toBe(1);
  beside.toggle("history");
  await waitFor(() => expect(beside.history).not.toBeNull());
  expect(n()).toBe(2);
});
