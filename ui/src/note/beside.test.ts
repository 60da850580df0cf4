// What is beside a note: links from it and to it.
import { render, screen, waitFor, within } from "@testing-library/svelte";
import { beforeEach, expect, test, vi } from "vitest";
import { violations } from "../../tests/axe";
import { LibraryBackend } from "../../tests/fake/library";
import { layOut } from "../../tests/layout";
import { setupUser } from "../../tests/user";
import type { LinkRow, LinksOfNote } from "../api/bindings";
import { Beside } from "./beside.svelte";
import LinkSections from "./LinkSections.svelte";

layOut();
beforeEach(() => localStorage.clear());

const link = (words: string, change: Partial<LinkRow> = {}): LinkRow => ({
  words,
  address: words,
  line: 7,
  place: { folder: "notes", path: `${words}.md`, name: `${words}.md`, line: null },
  problem: null,
  n_alike: 0,
  ...change,
});

async function shown(links: Partial<LinksOfNote>) {
  const backend = new LibraryBackend();
  backend.links["a.md"] = links;
  const beside = new Beside(backend);
  const [onShow, onLine] = [vi.fn(), vi.fn()];
  const { container } = render(LinkSections, { beside, onShow, onLine });
  beside.show({ folder: "notes", path: "a.md" });
  await waitFor(() => expect(beside.links).not.toBeNull());
  return { backend, beside, onShow, onLine, container, user: setupUser() };
}

const list = (name: string) => screen.getByRole("list", { name });

test("a note without links says so in one sentence each", async () => {
  const { container } = await shown({});
  expect(await screen.findByText("It has no links to other notes.")).toBeInTheDocument();
  expect(screen.getByText("No other note links to it.")).toBeInTheDocument();
  expect(await violations(container)).toEqual([]);
});

test("links open their note at the line, and say why they lead nowhere", async () => {
  const { onShow, onLine, user } = await shown({
    from: [
      link("relay", { place: { folder: "notes", path: "b/relay.md", name: "b/relay.md", line: 5 } }),
      link("gone", { place: null, problem: "no note has this name" }),
      link("plan", { n_alike: 2 }),
    ],
    n_from: 3,
    n_broken: 1,
    n_within: 2,
    n_outside: 1,
  });
  const from = within(await screen.findByRole("list", { name: "Links from it" }));
  await user.click(from.getByRole("button", { name: "Open b/relay.md:5" }));
  expect(onShow).toHaveBeenCalledWith({ folder: "notes", path: "b/relay.md", name: "b/relay.md", line: 5 });
  const [first] = from.getAllByRole("button", { name: "Line 7 of this note" });
  if (first === undefined) throw new Error("each has its line");
  await user.click(first);
  expect(onLine).toHaveBeenCalledWith(7);
  expect(from.getByText("gone: no note has this name")).toBeInTheDocument();
  expect(from.getByText("1 of 3")).toBeInTheDocument();
  expect(screen.getByText("1 link of these leads to no note.")).toBeInTheDocument();
  expect(screen.getByText(/^Also 2 links within this note, and 1 link to web pages/)).toBeInTheDocument();
});

test("of ten thousand links the first are drawn, and all when they are asked for", async () => {
  const many = Array.from({ length: 10_000 }, (_, at) => link(`note-${at}`));
  const { backend, beside, user } = await shown({ from: many.slice(0, 200), n_from: 10_000 });
  expect(await screen.findByRole("button", { name: "Links from it 10,000" })).toBeInTheDocument();
  expect(within(list("Links from it")).getAllByRole("listitem")).toHaveLength(5);
  backend.links["a.md"] = { from: many, n_from: 10_000 };
  await user.click(screen.getByRole("button", { name: "and 9,995 more" }));
  await waitFor(() => expect(beside.links?.from).toHaveLength(10_000));
  expect(backend.calls.filter(({ name }) => name === "noteLinks").at(-1)?.args).toEqual([
    "notes",
    "a.md",
    true,
  ]);
  const drawn = within(list("Links from it")).getAllByRole("listitem");
  expect(drawn.length).toBeLessThan(100);
  expect(drawn[0]).toHaveAttribute("aria-setsize", "10000");
});

test("is asked again until the links of all notes were read", async () => {
  const backend = new LibraryBackend();
  backend.links["a.md"] = { n_unread: 3 };
  const beside = new Beside(backend);
  const asked = vi.spyOn(backend, "noteLinks");
  asked.mockImplementationOnce((...args) => {
    const answer = LibraryBackend.prototype.noteLinks.apply(backend, args);
    backend.links["a.md"] = { n_to: 4 };
    return answer;
  });
  beside.show({ folder: "notes", path: "a.md" });
  await waitFor(() => expect(beside.links?.n_to).toBe(4));
  expect(asked).toHaveBeenCalledTimes(2);
});

test("another note's links are gone at once, and an error is in their place", async () => {
  const { backend, beside } = await shown({ from: [link("relay")], n_from: 1 });
  expect(await screen.findByRole("button", { name: "Open relay.md" })).toBeInTheDocument();
  backend.failing.noteLinks = { code: "error", message: "cannot read it" };
  beside.show({ folder: "notes", path: "b.md" });
  await waitFor(() => expect(screen.queryByRole("button", { name: "Open relay.md" })).toBeNull());
  expect(await screen.findAllByText("Cannot read it.")).toHaveLength(2);
});

test("a section that was folded stays so", async () => {
  const { beside, user } = await shown({});
  const heading = await screen.findByRole("button", { name: "Links to it 0" });
  expect(heading).toHaveAttribute("aria-expanded", "true");
  await user.click(heading);
  expect(heading).toHaveAttribute("aria-expanded", "false");
  expect(screen.getByText("No other note links to it.")).not.toBeVisible();
  expect(beside.isOpen("links-to")).toBe(false);
  expect(new Beside(new LibraryBackend()).isOpen("links-to")).toBe(false);
  await user.click(heading);
  expect(localStorage.length).toBe(0);
});
