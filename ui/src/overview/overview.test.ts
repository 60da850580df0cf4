// The overview as the user meets it: cards with figures, the lists behind them, and the address.
import { fireEvent, render, screen, waitFor, within } from "@testing-library/svelte";
import { beforeEach, expect, test } from "vitest";
import { violations } from "../../tests/axe";
import { chooseOption, openList } from "../../tests/choose-option";
import { FakeBackend } from "../../tests/fake-backend";
import { layOut } from "../../tests/layout";
import { setupUser } from "../../tests/user";
import App from "../App.svelte";
import { Workspace, workspaceContext } from "../workspace.svelte";
import { addressOf, ALL_NOTES, placeOf } from "./address";

layOut();
beforeEach(() => {
  history.replaceState(null, "", "#");
  localStorage.clear();
  localStorage.setItem("memlens.timeline", JSON.stringify({ unit: "month" }));
});

async function open(prepare: (backend: FakeBackend) => void = () => {}) {
  const backend = new FakeBackend();
  prepare(backend);
  const workspace = new Workspace(backend);
  workspace.show("memory");
  const user = setupUser();
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
  const summary = await screen.findByText(/^Not known: .*Found by no imported past question/);
  // Known figures come first.
  const last = screen.getAllByRole("group", { name: /./ }).at(-1);
  expect(last?.compareDocumentPosition(summary)).toBe(Node.DOCUMENT_POSITION_FOLLOWING);
  expect(summary.parentElement).toHaveTextContent("No past question was imported.");
  expect(screen.queryByRole("group", { name: "Found by no imported past question" })).toBeNull();
});

test("files that were not read are no notes, and lead to their list", async () => {
  const { user } = await open((backend) => {
    const overview = backend.overview.bind(backend);
    backend.overview = async (params, isSeen) => ({ ...(await overview(params, isSeen)), n_not_read: 3 });
  });
  await user.click(await screen.findByRole("button", { name: "3 files not read" }));
  expect(location.hash).toBe("#memory=list&card=problems");
});

test("hidden folders that hold notes are named, with how to include them", async () => {
  const sentence = "1 hidden folder with notes is not read: .notes";
  const reason = "hidden; the line !.notes in a file named .ignore beside it includes it";
  const { user, container } = await open((backend) => {
    const entry = { folder_name: "garden", path: ".notes", is_folder: true, reason };
    backend.hidden = { n_folders: 1, n_files: 0, sentence, entries: [entry] };
  });
  await user.click(await screen.findByText(sentence));
  expect(screen.getByText("garden/.notes")).toBeVisible();
  expect(screen.getByText(reason)).toBeVisible();
  expect(await violations(container)).toEqual([]);
});

test("nothing is said where nothing is hidden", async () => {
  const { backend } = await open();
  await card("Largest");
  await waitFor(() => expect(backend.nCalls("hiddenNotes")).toBe(1));
  expect(screen.queryByText(/hidden/)).toBeNull();
});

test("the rows stay, dimmed, while others are looked for", async () => {
  const { backend, user } = await open();
  await user.click(await screen.findByRole("button", { name: "All notes" }));
  await waitFor(() => expect(options().length).toBeGreaterThan(1));
  const n = options().length;
  const read = backend.notePage.bind(backend);
  let settle: () => void = () => {};
  const gate = new Promise<void>((resolve) => (settle = resolve));
  backend.notePage = async (query, first) => {
    await gate;
    return read(query, first);
  };
  await user.click(screen.getByRole("checkbox", { name: "Has a problem" }));
  expect(screen.getByText("Searching…")).toBeVisible();
  expect(screen.getByRole("listbox", { name: "Notes" })).toHaveAttribute("aria-busy", "true");
  expect(options()).toHaveLength(n);
  settle();
  await waitFor(() => expect(screen.queryByText("Searching…")).toBeNull());
  expect(options().length).toBeLessThan(n);
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

test("a figure that will be compared is never said to wait for the user", async () => {
  let settle: () => void = () => {};
  await open((backend) => {
    const drift = backend.drift.bind(backend);
    const gate = new Promise<void>((resolve) => (settle = resolve));
    backend.drift = async (...asked) => {
      await gate;
      return drift(...asked);
    };
  });
  const said = await card("Said more than once");
  expect(said).toHaveTextContent("comparing the notes…");
  expect(within(said).queryByRole("button")).toBeNull();
  settle();
  await waitFor(() => expect(said).toHaveTextContent("2 statements"));
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
  expect(options()[0]).toHaveTextContent("line 2: it is not JSON");
  await user.click(screen.getByRole("button", { name: "Remove the filter Has a problem" }));
  await waitFor(() => expect(options()).toHaveLength(5));
  expect(location.hash).toBe("#memory=list");
  history.back();
  await waitFor(() => expect(options()).toHaveLength(1));
});

test("a day is typed, and one that is not in the calendar is named and changes nothing", async () => {
  const { user } = await open();
  await user.click(await screen.findByRole("button", { name: "All notes" }));
  await waitFor(() => expect(options()).toHaveLength(5));
  const from = screen.getByRole("textbox", { name: "From" });
  expect(from).toHaveAttribute("placeholder", "YYYY-MM-DD");
  await user.type(from, "2026-02-30");
  await user.tab();
  expect(await screen.findByRole("alert")).toHaveTextContent(
    "From: “2026-02-30” is not a day. Write year, month and day, such as 2026-11-27.",
  );
  expect(from).toHaveAttribute("aria-invalid", "true");
  expect(location.hash).toBe("#memory=list");
  await user.clear(from);
  await user.type(from, "2026-02-28");
  await user.tab();
  await waitFor(() => expect(location.hash).toBe("#memory=list&from=2026-02-28"));
  expect(screen.queryByRole("alert")).toBeNull();
  await user.type(screen.getByRole("textbox", { name: "to" }), "2026-01-01");
  await user.tab();
  expect(await screen.findByRole("alert")).toHaveTextContent("the first day is after the last");
  await user.click(screen.getByRole("button", { name: "Remove the filter from 2026-02-28" }));
  await waitFor(() => expect(from).toHaveValue(""));
  expect(screen.queryByRole("alert")).toBeNull();
});

const bars = () => screen.findByRole("slider", { name: "Notes by month" });

test("the order and the unit of a bar are chosen from lists", async () => {
  const { user } = await open();
  const largest = await card("Largest");
  await user.click(within(largest).getByRole("button", { name: "Show all 5: Largest" }));
  await waitFor(() => expect(options()).toHaveLength(5));
  const order = screen.getByRole("combobox", { name: "Sort by" });
  expect(order).toHaveTextContent("As on the card");
  await chooseOption(user, order, "Title");
  await waitFor(() => expect(location.hash).toContain("sort=title"));
  expect(screen.getByRole("combobox", { name: "Sort by" })).toHaveAttribute("data-value", "title");
  const bar = screen.getByRole("combobox", { name: "A bar is" });
  // The usual order of all notes is one entry.
  await user.click(screen.getByRole("button", { name: /Overview/ }));
  await user.click(await screen.findByRole("button", { name: "All notes" }));
  const usual = await screen.findByRole("combobox", { name: "Sort by" });
  await waitFor(() => expect(usual).toHaveAttribute("data-value", "path"));
  const entries = within(await openList(user, usual)).getAllByText("Folder and path");
  expect(entries).toHaveLength(1);
  await user.keyboard("{Escape}");
  await chooseOption(user, screen.getByRole("combobox", { name: "A bar is" }), "Years");
  await waitFor(() => expect(bar).toHaveAttribute("data-value", "year"));
});

test("days are chosen on the timeline by keys, and back removes them", async () => {
  const { user, container } = await open();
  const chart = await bars();
  expect(chart).toHaveAccessibleDescription(/Enter lists its notes/);
  chart.focus();
  await user.keyboard("{Home}");
  expect(chart).toHaveAttribute(
    "aria-valuetext",
    expect.stringMatching(/^January 2024, .*: 1 note, 4 observations$/),
  );
  await user.keyboard("{Shift>}{ArrowRight}{/Shift}");
  expect(chart).toHaveAttribute(
    "aria-valuetext",
    expect.stringMatching(/^2024-01-01 to 2024-02-29 to choose/),
  );
  await user.keyboard("{Enter}");
  await waitFor(() => expect(options()).toHaveLength(1));
  expect(location.hash).toBe("#memory=list&from=2024-01-01&to=2024-02-29");
  // The chart is the same one, so that the keyboard goes on.
  expect(chart).toHaveFocus();
  expect(screen.getByRole("region", { name: "Timeline" })).toHaveTextContent(
    "from 2024-01-01 until 2024-02-29: 1 note, 4 observations",
  );
  expect(await violations(container)).toEqual([]);
  await user.keyboard("{Escape}");
  await waitFor(() => expect(options()).toHaveLength(5));
  history.back();
  await waitFor(() => expect(options()).toHaveLength(1));
  history.back();
  await card("Largest");
});

test("days are chosen on the timeline with the pointer", async () => {
  await open();
  const chart = await bars();
  // jsdom has no layout: every place is the first or the last bar.
  chart.setPointerCapture = () => {};
  await fireEvent.pointerDown(chart, { button: 0, clientX: 0, pointerId: 1 });
  await fireEvent.pointerMove(chart, { clientX: 10_000, pointerId: 1 });
  expect(location.hash).toBe("#memory=cards");
  await fireEvent.pointerUp(chart, { clientX: 10_000, pointerId: 1 });
  await waitFor(() => expect(options()).toHaveLength(2));
  expect(location.hash).toBe("#memory=list&from=2024-01-01&to=2026-02-28");
});

test.each(["Largest", "Oldest", "Files with problems"])(
  "the list behind %s has the focus, since the button that led to it is gone",
  async (name) => {
    const { user } = await open();
    const all = within(await card(name)).queryByRole("button", { name: /^Show / });
    if (all === null) throw new Error(`${name} has a list`);
    await user.click(all);
    await waitFor(() => expect(screen.getByRole("listbox", { name: "Notes" })).toHaveFocus());
  },
);

test("the list of what is said more than once has the focus on its first statement", async () => {
  const { user } = await open((backend) => void backend.aggregate({} as never, null));
  const said = await card("Said more than once");
  await user.click(within(said).getByRole("button", { name: /^Show / }));
  const dialog = await screen.findByRole("dialog", { name: "Said more than once" });
  await waitFor(() => expect(within(dialog).getAllByRole("listitem")[0]?.firstElementChild).toHaveFocus());
});

test("the timeline as a table leads to the notes of each row", async () => {
  const { user, container } = await open();
  await bars();
  await user.click(screen.getByRole("button", { name: "Table" }));
  const table = within(screen.getByRole("region", { name: "Timeline as a table" }));
  const names = table.getAllByRole("rowheader").map((header) => header.textContent);
  expect(names).toEqual([
    "February 2026, 2026-02-01 to 2026-02-28",
    "January 2024, 2024-01-01 to 2024-01-31",
  ]);
  expect(await violations(container)).toEqual([]);
  await user.click(table.getByRole("button", { name: /January 2024/ }));
  await waitFor(() => expect(options()).toHaveLength(1));
});

test("notes without a date are named beside the timeline and lead to their list", async () => {
  const { user } = await open();
  await bars();
  await user.click(screen.getByRole("button", { name: "3 notes without a date" }));
  await waitFor(() => expect(options()).toHaveLength(3));
  expect(location.hash).toBe("#memory=list&no_day=undated");
  await user.click(screen.getByRole("button", { name: "Remove the filter Without a date" }));
  await waitFor(() => expect(options()).toHaveLength(5));
});

test("a tag is found by its letters and is a chip", async () => {
  const { user, container } = await open();
  await user.click(await screen.findByRole("button", { name: "All notes" }));
  await user.click(screen.getByRole("button", { name: "Tags" }));
  const tags = within(screen.getByRole("group", { name: "Tags" }));
  await user.type(tags.getByRole("searchbox", { name: "Find a tag" }), "hou");
  expect(await violations(container)).toEqual([]);
  await user.click(await tags.findByRole("button", { name: "#house 1" }));
  await waitFor(() => expect(options()).toHaveLength(1));
  expect(location.hash).toBe("#memory=list&tag=house");
  await user.clear(tags.getByRole("searchbox", { name: "Find a tag" }));
  await user.type(tags.getByRole("searchbox", { name: "Find a tag" }), "nothing");
  await tags.findByText("No tag of these notes has these letters.");
  await user.click(screen.getByRole("button", { name: "Remove the filter #house" }));
  await waitFor(() => expect(options()).toHaveLength(5));
});

test("notes are listed by language", async () => {
  const { user } = await open();
  await user.click(await screen.findByRole("button", { name: "All notes" }));
  await chooseOption(user, screen.getByRole("combobox", { name: "Language" }), "German (1)");
  await waitFor(() => expect(location.hash).toBe("#memory=list&language=German"));
  await user.click(await screen.findByRole("button", { name: "Remove the filter German" }));
  expect(screen.getByRole("combobox", { name: "Language" })).toHaveAttribute("data-value", "");
});

test("the words are a chip, and typing makes no entries in the history", async () => {
  const { user } = await open();
  await user.click(await screen.findByRole("button", { name: "All notes" }));
  await user.type(screen.getByRole("searchbox", { name: "Find words in names and notes" }), "signe");
  await waitFor(() => expect(options()).toHaveLength(1));
  expect(location.hash).toBe("#memory=list&text=signe");
  await screen.findByRole("button", { name: "Remove the filter “signe”" });
  history.back();
  await card("Largest");
});

test("back closes a note that was opened from the list, forward opens it again, and the list is where it was", async () => {
  const { user, backend } = await open();
  await user.click(await screen.findByRole("button", { name: "All notes" }));
  await waitFor(() => expect(options()).toHaveLength(5));
  screen.getByRole("listbox", { name: "Notes" }).focus();
  await user.keyboard("{ArrowDown}{ArrowDown}{Enter}");
  await screen.findByRole("article", { name: "Note" });
  expect(location.hash).toBe("#memory=note&folder=notes&path=reference%2Fhome-server.md");
  history.back();
  await screen.findByRole("article", { name: "Overview" });
  await waitFor(() => expect(options()[2]).toHaveAttribute("aria-selected", "true"));
  history.forward();
  await screen.findByRole("article", { name: "Note" });
  await user.click(screen.getByRole("button", { name: "Notes" }));
  await screen.findByRole("article", { name: "Overview" });
  expect(location.hash).toBe("#memory=list");
  await fireEvent.keyDown(document.body, { key: "ArrowLeft", altKey: true });
  await screen.findByRole("article", { name: "Note" });
  expect(backend.nCalls("timeline")).toBeGreaterThan(0);
});

test("choices are read from the address", () => {
  for (const hash of [
    "memory=cards",
    "memory=list&card=oldest&agent=openclaw&folder=3&tag=a+b&language=German&from=2026-01-01&to=2026-02-01&sort=date&problem=1&text=x&reversed=1",
    "memory=list&no_day=implausible",
    `memory=list&tag=${"x".repeat(300)}`,
    "memory=note&folder=3&path=a%2Fb.md&line=7",
  ])
    expect(addressOf(placeOf(`#${hash}`))).toBe(hash);
  expect(placeOf("#memory=list&from=March&sort=x&no_day=y&card=z")).toEqual({
    kind: "list",
    query: ALL_NOTES,
  });
  expect(placeOf("#memory=note&folder=3")).toEqual({ kind: "cards" });
});
