// What is beside a note: links from it and to it.
import { render, screen, waitFor, within } from "@testing-library/svelte";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { violations } from "../../tests/axe";
import { LibraryBackend } from "../../tests/fake/library";
import { layOut } from "../../tests/layout";
import { setupUser } from "../../tests/user";
import type { LinkRow, LinksOfNote, NoteQuestion, Said } from "../api/bindings";
import { DEFAULTS } from "../api/parameters";
import AlikeSection from "./AlikeSection.svelte";
import { Beside } from "./beside.svelte";
import LinkSections from "./LinkSections.svelte";
import QuestionsSection from "./QuestionsSection.svelte";
import SaidSection from "./SaidSection.svelte";

layOut();
beforeEach(() => localStorage.clear());

const A = { folder: "notes", path: "a.md" };
const PARAMS = DEFAULTS;

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
  beside.show(A, PARAMS);
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
  expect(from.getByText("no note has this name: gone")).toBeInTheDocument();
  expect(from.getByText("1 of 3")).toBeInTheDocument();
  expect(screen.getByText("1 of these leads to no note.")).toBeInTheDocument();
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
  beside.show(A, PARAMS);
  await waitFor(() => expect(beside.links?.n_to).toBe(4));
  expect(asked).toHaveBeenCalledTimes(2);
});

test("another note's links are gone at once, and an error is in their place", async () => {
  const { backend, beside } = await shown({ from: [link("relay")], n_from: 1 });
  expect(await screen.findByRole("button", { name: "Open relay.md" })).toBeInTheDocument();
  backend.failing.noteLinks = { code: "error", message: "cannot read it" };
  beside.show({ folder: "notes", path: "b.md" }, PARAMS);
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

const said = (path: string, line: number): Said => ({
  folder: "notes",
  path,
  line,
  end_line: line,
  text: "The boat is lifted out.",
  source: "notes",
  distance: 0,
  measure: "words",
});

const question = (id: string, change: Partial<NoteQuestion> = {}): NoteQuestion => ({
  id,
  agent_name: "Clerk",
  at_ms: null,
  is_opening: false,
  question: `question ${id}`,
  rank: null,
  is_opened: false,
  is_cited: false,
  is_missed: false,
  is_lost: false,
  ...change,
});

test("the notes most like it have their cosine and lines, and lead to both chunks", async () => {
  const backend = new LibraryBackend();
  backend.alike["a.md"] = {
    notes: [
      {
        folder: "notes",
        path: "b.md",
        name: "b.md",
        cosine: 0.87654,
        own: { start_line: 3, end_line: 3, heading: "" },
        other: { start_line: 5, end_line: 9, heading: "" },
      },
    ],
    n_chunks: 90,
    n_compared: 64,
  };
  const beside = new Beside(backend);
  const [onShow, onLine, user] = [vi.fn(), vi.fn(), setupUser()];
  const { container } = render(AlikeSection, { beside, onShow, onLine });
  beside.show(A, PARAMS);
  await user.click(await screen.findByRole("button", { name: "Open b.md:5, cosine 0.877" }));
  expect(onShow).toHaveBeenCalledWith({ folder: "notes", path: "b.md", line: 5 });
  await user.click(screen.getByRole("button", { name: "line 3 of this note" }));
  expect(onLine).toHaveBeenCalledWith(3);
  expect(screen.getByText(/64 of its 90 chunks were compared/)).toBeInTheDocument();
  expect(await violations(container)).toEqual([]);
});

test("what is said elsewhere leads to both places, and is not nothing before it was compared", async () => {
  const backend = new LibraryBackend();
  const beside = new Beside(backend);
  const [onShow, onLine, user] = [vi.fn(), vi.fn(), setupUser()];
  render(SaidSection, { beside, onShow, onLine });
  beside.show(A, PARAMS);
  expect(await screen.findByText("Statements were not compared yet.")).toBeInTheDocument();
  backend.said["a.md"] = {
    statements: [
      { own: said("a.md", 2), other: said("b.md", 4), n_others: 3, n_notes: 2 },
      { own: said("a.md", 6), other: null, n_others: 1, n_notes: 0 },
    ],
    n: 2,
    is_stale: true,
  };
  beside.show(A, PARAMS);
  await user.click(await screen.findByRole("button", { name: "Open b.md:4" }));
  expect(onShow).toHaveBeenCalledWith(said("b.md", 4));
  await user.click(screen.getByRole("button", { name: "line 6: The boat is lifted out." }));
  expect(onLine).toHaveBeenCalledWith(6);
  expect(screen.getByText("×4")).toBeInTheDocument();
  expect(screen.getByText("and 1 more note")).toBeInTheDocument();
  expect(screen.getByText("in this note alone")).toBeInTheDocument();
  expect(screen.getByText("Notes changed since the statements were compared.")).toBeInTheDocument();
});

describe("past questions", () => {
  async function asked(change: Parameters<typeof Object.assign>[1]) {
    const backend = new LibraryBackend();
    backend.asked["a.md"] = change as object;
    const beside = new Beside(backend);
    const onAsked = vi.fn();
    render(QuestionsSection, { beside, onAsked });
    beside.show(A, PARAMS);
    await waitFor(() => expect(beside.questions).not.toBeNull());
    return { onAsked, user: setupUser() };
  }

  test("say what became of the note, and lead to their view", async () => {
    const { onAsked, user } = await asked({
      questions: [
        question("1", { rank: 2, is_opened: true, is_lost: true }),
        question("2", { is_cited: true, is_missed: true }),
        question("3", { is_opening: true, is_opened: true, question: "" }),
      ],
      n: 3,
      n_past: 9,
      n_unclear: 1,
    });
    expect(await screen.findByText("Found at rank 2, opened, not found any more.")).toBeInTheDocument();
    expect(screen.getByText("Missed: cited, but not in the results.")).toBeInTheDocument();
    expect(screen.getByText("Opened without a question.")).toBeInTheDocument();
    expect(screen.getByText("1 other entry names a note that may be this one.")).toBeInTheDocument();
    await user.click(screen.getByRole("button", { name: /^question 2/ }));
    expect(onAsked).toHaveBeenCalledWith("2");
  });

  test.each([
    [{ n_past: 0, is_allowed: false }, /Memlens may not read their logs/],
    [{ n_past: 0, is_allowed: true }, "No past question was imported."],
    [{ n_past: 9 }, "No imported past question found, opened or cited it."],
  ])("that are none say why: %j", async (change, words) => {
    await asked(change);
    expect(await screen.findByText(words)).toBeInTheDocument();
  });
});

describe("the sections of a note", () => {
  test.each(["notesLike", "noteHistory", "noteDrift"] as const)(
    "are shown together once all are read: %s",
    async (last) => {
      const backend = new LibraryBackend();
      const beside = new Beside(backend);
      let answer = () => {};
      const read = backend[last].bind(backend) as (folder: string, path: string) => Promise<never>;
      vi.spyOn(backend, last).mockImplementationOnce(async (...args) => {
        await new Promise<void>((resolve) => (answer = resolve));
        return await read(...args);
      });
      beside.show(A, PARAMS);
      await waitFor(() => expect(beside.questions).not.toBeNull());
      expect(beside.isShown).toBe(false);
      answer();
      await waitFor(() => expect(beside.isShown).toBe(true));
      beside.show({ folder: "notes", path: "b.md" }, PARAMS);
      expect([beside.isShown, beside.links, beside.alike, beside.history]).toEqual([false, null, null, null]);
    },
  );

  test("do not wait for a history that is folded", async () => {
    const backend = new LibraryBackend();
    const beside = new Beside(backend);
    beside.toggle("history");
    beside.show(A, PARAMS);
    await waitFor(() => expect(beside.isShown).toBe(true));
    expect(backend.nCalls("noteHistory")).toBe(0);
  });

  test("do not wait long for the last of them", () => {
    vi.useFakeTimers();
    const backend = new LibraryBackend();
    vi.spyOn(backend, "notesLike").mockReturnValue(new Promise(() => {}));
    const beside = new Beside(backend);
    beside.show(A, PARAMS);
    vi.advanceTimersByTime(399);
    expect(beside.isShown).toBe(false);
    vi.advanceTimersByTime(1);
    expect(beside.isShown).toBe(true);
    vi.useRealTimers();
  });
});
