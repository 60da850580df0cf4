// The Memory view as the user meets it: tree, note, margin and side, by keyboard and in its states.
import { fireEvent, render, screen, waitFor, within } from "@testing-library/svelte";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { violations } from "../../tests/axe";
import { HOME_SERVER, LibraryBackend, type LibraryFile, type LibraryOptions } from "../../tests/fake/library";
import { layOut } from "../../tests/layout";
import { file, tree as madeTree } from "../../tests/trees";
import { setupUser } from "../../tests/user";
import type { Activity, FileProblem } from "../api/bindings";
import App from "../App.svelte";
import { Workspace, workspaceContext } from "../workspace.svelte";
import { openDocument } from "../open-document.svelte";
import { sentence } from "../shared/sentence";

layOut();
afterEach(() => void openDocument.take());

const NOTE = "reference/home-server.md";

async function open(options: LibraryOptions = {}, prepare: (backend: LibraryBackend) => void = () => {}) {
  const backend = new LibraryBackend(options);
  prepare(backend);
  const workspace = new Workspace(backend);
  workspace.show("memory");
  const user = setupUser();
  const { container } = render(App, { context: workspaceContext(workspace) });
  await waitFor(() => expect(document.documentElement.dataset["ready"]).toBe("true"));
  return { backend, workspace, user, container };
}

const tree = () => screen.getByRole("tree", { name: "Watched folders" });
const items = () => within(tree()).getAllByRole("treeitem");
const active = () =>
  document.getElementById(tree().getAttribute("aria-activedescendant") ?? "")?.getAttribute("aria-label");
const reader = () => screen.getByRole("region", { name: /^Text of / });
const line = (no: number) => {
  const found = reader().querySelector<HTMLElement>(`[data-line="${no}"]`);
  if (found === null) throw new Error(`line ${no} is not drawn`);
  return found;
};
const chosenLines = () =>
  [...reader().querySelectorAll<HTMLElement>(".line.chosen")].map((row) => Number(row.dataset["line"]));
const findBox = () => screen.getByRole("searchbox", { name: "Find a note by its name" });

async function openNote(path = NOTE, at = 1, folder = "notes") {
  openDocument.ask(folder, path, at);
  await waitFor(() => expect(reader()).toHaveAccessibleName(`Text of ${path}`));
}

describe("what is not read", () => {
  test("is listed in its folder with the reason, which opening it shows", async () => {
    const { user } = await open({}, (backend) => {
      const entry = { is_folder: false, can_open: false, reason: "not a kind of file that is read" };
      backend.unreadFiles[""] = { entries: [{ ...entry, name: "plan.pdf", path: "plan.pdf" }], n_more: 3 };
    });
    const [row] = await screen.findAllByRole("treeitem", {
      name: "plan.pdf, not read: not a kind of file that is read",
    });
    if (row === undefined) throw new Error("it is listed");
    expect(row).toHaveClass("unread");
    expect(row).toHaveAttribute("title", "plan.pdf\nNot read: not a kind of file that is read");
    await user.click(row);
    expect(await screen.findByText("Not read: not a kind of file that is read.")).toBeInTheDocument();
    expect(screen.getByRole("button", { name: "What can I do?" })).toBeInTheDocument();
    const [more] = screen.getAllByRole("treeitem", { name: "and 3 more that are not read" });
    if (more === undefined) throw new Error("the rest is counted");
    await user.click(more);
    expect(screen.getByText("Not read: not a kind of file that is read.")).toBeInTheDocument();
    // A search by name is for notes.
    await user.type(findBox(), "plan");
    await waitFor(() => expect(screen.queryByRole("treeitem", { name: /^plan\.pdf/ })).toBeNull());
  });
});

describe("the tree", () => {
  test("shows folders with their state and counts, and marks files with problems", async () => {
    await open();
    await screen.findByRole("treeitem", { name: /^memory, \d+ chunks$/ });
    expect(screen.getByRole("treeitem", { name: "logs, polling, 4 chunks" })).toHaveAttribute(
      "aria-level",
      "1",
    );
    expect(screen.getByRole("treeitem", { name: /^scan\.md,.*has a problem$/ })).toHaveAttribute(
      "aria-level",
      "3",
    );
  });

  test("is walked by arrows, opened and closed, and keeps one tab stop", async () => {
    const { user } = await open();
    await screen.findByRole("treeitem", { name: /^people/ });
    tree().focus();
    await user.keyboard("{ArrowDown}");
    expect(active()).toMatch(/^people/);
    const n_before = items().length;
    await user.keyboard("{ArrowLeft}");
    expect(items().length).toBeLessThan(n_before);
    expect(screen.getByRole("treeitem", { name: /^people/ })).toHaveAttribute("aria-expanded", "false");
    await user.keyboard("{ArrowRight}{ArrowRight}");
    expect(active()).toMatch(/^health-and-food/);
    await user.keyboard("{ArrowLeft}");
    expect(active()).toMatch(/^people/);
    expect(tree()).toHaveFocus();
  });

  test("goes to a name by its first letters, and Enter opens the note", async () => {
    const { user } = await open();
    await screen.findByRole("treeitem", { name: /^people/ });
    tree().focus();
    await user.keyboard("hom");
    expect(active()).toMatch(/^home-server/);
    await user.keyboard("{Enter}");
    await waitFor(() => expect(reader()).toHaveAccessibleName(`Text of ${NOTE}`));
    expect(screen.getByRole("treeitem", { name: /^home-server/ })).toHaveAttribute("aria-selected", "true");
  });

  test("draws only what is in sight of 5,000 files, and End reaches the last", async () => {
    const files: LibraryFile[] = Array.from({ length: 5_000 }, (_, at) => ({
      folder: "notes",
      path: `note-${String(at).padStart(4, "0")}.md`,
    }));
    const { user } = await open({
      files,
      folders: [
        {
          id: "notes",
          path: "/n",
          name: "n",
          agent: null,
          n_files: 5_000,
          n_chunks: 0,
          status: "watching",
          why: null,
        },
      ],
    });
    await screen.findByRole("treeitem", { name: /^note-0000/ });
    expect(items().length).toBeLessThan(100);
    expect(screen.getByRole("treeitem", { name: /^note-0000/ })).toHaveAttribute("aria-setsize", "5000");
    tree().focus();
    await user.keyboard("{End}");
    await waitFor(() => expect(active()).toMatch(/^note-4999/));
  });
});

describe("finding", () => {
  test("keeps what matches and counts it; Escape brings all back", async () => {
    const { user } = await open();
    await screen.findByRole("treeitem", { name: /^people/ });
    await user.keyboard("/");
    expect(findBox()).toHaveFocus();
    await user.keyboard("signe");
    expect(items().map((item) => item.getAttribute("aria-label")?.split(",")[0])).toEqual([
      "memory",
      "people",
      "signe-profile.md",
    ]);
    expect(within(findBox().parentElement as HTMLElement).getByRole("status")).toHaveTextContent("1");
    await user.keyboard("{Escape}");
    expect(findBox()).toHaveValue("");
    expect(items().length).toBeGreaterThan(10);
    await user.keyboard("signe");
    await user.click(screen.getByRole("button", { name: "Clear the name" }));
    expect(findBox()).toHaveValue("");
    expect(findBox()).toHaveFocus();
  });

  test("Enter goes to the first file found, and Arrow up comes back to the box", async () => {
    const { user } = await open();
    await screen.findByRole("treeitem", { name: /^people/ });
    await user.click(findBox());
    await user.keyboard("playbook{Enter}");
    expect(tree()).toHaveFocus();
    expect(active()).toMatch(/^stuck-task-playbook/);
    await user.keyboard("{Home}{ArrowUp}");
    expect(findBox()).toHaveFocus();
  });

  test("says so when nothing matches", async () => {
    const { user } = await open();
    await screen.findByRole("treeitem", { name: /^people/ });
    await user.type(findBox(), "no such note");
    expect(screen.getByText(/No file name matches “no such note”/)).toBeInTheDocument();
    expect(screen.queryByRole("tree")).toBeNull();
  });

  test("among thousands waits for a rest, but not after Enter and Escape; the box does not wait", async () => {
    const notes = Array.from({ length: 5_000 }, (_, at) => file(`note-${at}.md`));
    await open({}, (backend) => {
      vi.spyOn(backend, "tree").mockResolvedValue([madeTree("notes", ...notes)]);
    });
    await screen.findByRole("treeitem", { name: /^note-0/ });
    const status = () => within(findBox().parentElement as HTMLElement).getByRole("status");
    const n_all = items().length;
    await fireEvent.input(findBox(), { target: { value: "note-4711" } });
    expect(findBox()).toHaveValue("note-4711");
    expect(items()).toHaveLength(n_all);
    expect(status().textContent).toBe("");
    await fireEvent.keyDown(findBox(), { key: "Enter" });
    expect(active()).toMatch(/^note-4711/);
    expect(status()).toHaveTextContent("1");
    await fireEvent.input(findBox(), { target: { value: "no such note" } });
    expect(screen.queryByText(/No file name matches/)).toBeNull();
    expect(await screen.findByText(/No file name matches “no such note”/)).toBeInTheDocument();
    await fireEvent.keyDown(findBox(), { key: "Escape" });
    expect(screen.queryByText(/No file name matches/)).toBeNull();
    expect(items().length).toBeGreaterThan(10);
  });
});

describe("a rendered note", () => {
  const marked = (no: number) => {
    const found = reader().querySelector<HTMLElement>(`[data-line="${no}"]`);
    if (found === null) throw new Error(`line ${no} is not drawn`);
    return found;
  };
  const open_ = async (text: string) => {
    const opened = await open({
      files: [
        { folder: "notes", path: "a/rich.md", text },
        { folder: "notes", path: "a/other.md", text: "# Other\n\n## Deep down\n\nwords\n" },
      ],
    });
    await openNote("a/rich.md");
    await waitFor(() => expect(tree()).toBeInTheDocument());
    return opened;
  };

  test("is what a note is at first, with its own line numbers and the chunks' tags", async () => {
    await open();
    await openNote();
    expect(
      within(reader()).getByRole("heading", { name: "House network and the small server" }),
    ).toHaveAttribute("data-line", "6");
    expect(within(reader()).getByText("agent").closest("dl")).toHaveTextContent("helper");
    expect(within(reader()).getAllByRole("button", { name: /^\d+ tok/ }).length).toBeGreaterThan(0);
    expect(marked(40)).toHaveTextContent("<b>not</b> sub2 <script>alert(1)</script>");
    expect(reader().querySelector("script, b, img, iframe, a")).toBeNull();
    expect(await violations(reader())).toEqual([]);
  });

  test("is drawn as text by a button or T, and the choice is kept", async () => {
    const { user } = await open();
    await openNote();
    const drawn = within(screen.getByRole("group", { name: "Show the note as" }));
    expect(drawn.getByRole("button", { name: "Rendered" })).toHaveAttribute("aria-pressed", "true");
    await user.keyboard("t");
    expect(line(6)).toHaveTextContent("# House network and the small server");
    expect(localStorage.getItem("memlens.reading")).toBe('"text"');
    await user.click(drawn.getByRole("button", { name: "Rendered" }));
    expect(marked(6)).toHaveTextContent("House network");
    expect(localStorage.getItem("memlens.reading")).toBeNull();
  });

  test("has no such choice where there is no Markdown", async () => {
    await open();
    await openNote("2026/10/observations.jsonl", 1, "logs");
    expect(screen.queryByRole("group", { name: "Show the note as" })).toBeNull();
  });

  test("that is too long says so and is shown as text", async () => {
    await open_("word word word\n".repeat(80_000));
    expect(screen.getByText(/longer than 1\.0 MB, so you see its source/)).toBeInTheDocument();
    expect(line(1)).toHaveClass("line");
    expect(screen.queryByRole("group", { name: "Show the note as" })).toBeNull();
  });

  test("says in place which lines cost too much to lay out, and shows them as text", async () => {
    await open_(`# a\n\n${"|b".repeat(4_400)}|\n${"|-".repeat(4_400)}|\n${"|\n".repeat(40)}\nlast\n`);
    expect(screen.getByText(/^Lines 3 to 45 are too long or too complex to lay out/)).toBeInTheDocument();
    expect(within(reader()).queryByRole("table")).toBeNull();
    expect(reader().querySelector(".md")).toHaveTextContent("a");
  });

  test("hands an address outside to the shell, which asks, by a click and by Enter", async () => {
    const address = "https://example.org/a/b?token=abc#d";
    const { backend, user } = await open_(`See [the page](${address}).\n`);
    const link = within(reader()).getByRole("link", { name: "the page" });
    await user.click(link);
    link.focus();
    await user.keyboard("{Enter}");
    const asked = backend.calls.filter((call) => call.name === "openLink").map((call) => call.args);
    expect(asked).toEqual([[address], [address]]);
    backend.failing.openLink = { code: "error", message: "cannot open it: no browser is set" };
    await user.click(link);
    expect(await screen.findByText("Cannot open it: no browser is set.")).toBeInTheDocument();
  });

  test("goes to another note, to its heading, and to a heading of its own", async () => {
    const { backend, user } = await open_("[b](other.md#deep-down) [c](#end) [[d|e]]\n\n# End\n");
    const own = "a/rich.md";
    backend.followed = {
      "other.md#deep-down": { path: "a/other.md", name: "a/other.md", line: 3 },
      "#end": { path: own, name: own, line: 3 },
      "[[d]]": "cannot follow [[d]]: no note has this name",
    };
    await user.click(within(reader()).getByRole("link", { name: "e" }));
    expect(await screen.findByText("Cannot follow [[d]]: no note has this name.")).toBeInTheDocument();
    await user.click(within(reader()).getByRole("link", { name: "c" }));
    await waitFor(() => expect(screen.getByText("3", { selector: ".aimed" })).toBeInTheDocument());
    await user.click(within(reader()).getByRole("link", { name: "b" }));
    await waitFor(() => expect(reader()).toHaveAccessibleName("Text of a/other.md"));
    await waitFor(() => expect(screen.getByText("3", { selector: ".aimed" })).toBeInTheDocument());
    expect(backend.nCalls("openLink")).toBe(0);
  });

  test.each([
    ["gone.md", "cannot follow gone.md: the library has no note at this path"],
    ["other.md#nowhere", "the note has no heading “nowhere”"],
  ])("says where %s leads nowhere", async (address, problem) => {
    const { backend, user } = await open_(`[b](${address})\n`);
    backend.followed = { [address]: problem };
    await user.click(within(reader()).getByRole("link", { name: "b" }));
    expect(await screen.findByText(sentence(problem))).toBeInTheDocument();
  });

  test("asks why its chosen chunk is not found", async () => {
    const { workspace, user } = await open();
    await openNote();
    await user.keyboard("]w");
    expect(workspace.view).toBe("search");
    expect(workspace.whyNot.asked).toMatchObject({ folder: "notes", path: NOTE });
    expect(workspace.whyNot.asked?.line).toBeGreaterThan(1);
  });
});

describe("a note as text", () => {
  beforeEach(() => localStorage.setItem("memlens.reading", '"text"'));

  test("is shown with the file's own line numbers, as text and never as markup", async () => {
    await open();
    await openNote();
    expect(within(line(6)).getByText("6")).toBeInTheDocument();
    expect(line(6)).toHaveTextContent("# House network and the small server");
    expect(line(40)).toHaveTextContent("<b>not</b> sub2 <script>alert(1)</script>");
    expect(reader().querySelector("script, b, img, iframe")).toBeNull();
  });

  test("asked for by a search result stands at the line, with its chunk chosen", async () => {
    await open();
    await openNote(NOTE, 40);
    await waitFor(() => expect(chosenLines()).toContain(40));
    expect(line(40)).toHaveClass("target");
  });

  test("draws overlapping chunks in two lanes", async () => {
    await open();
    await openNote();
    const lanes = (no: number) =>
      [...line(no).querySelectorAll(".brk")].map((bracket) => bracket.classList.contains("on"));
    // the outer lane begins where the second chunk repeats the last lines of the first
    const second = Number(
      reader().querySelector(".brk.begins:first-child")?.closest<HTMLElement>(".line")?.dataset["line"],
    );
    const firstEnds = Number(
      reader().querySelector(".brk.finishes:last-child")?.closest<HTMLElement>(".line")?.dataset["line"],
    );
    expect(second).toBeGreaterThan(1);
    expect(firstEnds).toBeGreaterThanOrEqual(second);
    expect(lanes(second - 1)).toEqual([false, true]);
    expect(lanes(second)).toEqual([true, true]);
    expect(lanes(firstEnds)).toEqual([true, true]);
    expect(lanes(firstEnds + 1)).toEqual([true, false]);
  });

  test("chooses chunks by [ and ], by the margin and by a click on a line", async () => {
    const { user } = await open();
    await openNote();
    expect(chosenLines()[0]).toBe(1);
    await user.keyboard("]");
    expect(screen.getByText("chunk 2 of 5")).toBeInTheDocument();
    expect(chosenLines()[0]).toBeGreaterThan(1);
    await user.keyboard("[[");
    expect(screen.getByText("chunk 1 of 5")).toBeInTheDocument();
    await user.click(screen.getByRole("button", { name: /^\d+ tok, chunk 3, lines/ }));
    expect(screen.getByText("chunk 3 of 5")).toBeInTheDocument();
    await user.click(line(3));
    expect(screen.getByText("chunk 1 of 5")).toBeInTheDocument();
  });

  test("opens in the editor by O, but not while a name is typed", async () => {
    const { backend, user } = await open();
    await openNote();
    await user.click(findBox());
    await user.keyboard("o");
    expect(backend.nCalls("openInEditor")).toBe(0);
    reader().focus();
    await user.keyboard("o");
    expect(backend.calls.find((call) => call.name === "openInEditor")?.args.slice(0, 2)).toEqual([
      "notes",
      NOTE,
    ]);
  });

  test("shows what is known about it", async () => {
    await open();
    await openNote();
    const about = within(screen.getByRole("region", { name: "This note" }));
    for (const fact of ["helper", "2026-11-02", "home, network", "UTF-8"])
      expect(about.getByText(fact)).toBeInTheDocument();
    expect(about.getByText(/lines 1–\d+, \d+ tokens/)).toBeInTheDocument();
  });

  test("of records shows their text, and names the lines that are wrong", async () => {
    await open();
    await openNote("2026/10/observations.jsonl", 1, "logs");
    expect(line(2)).toHaveTextContent("The nightly copy must be finished by 05:45");
    expect(line(2)).toHaveTextContent("helper · date 2026-10-04 · o2 · weight 2");
    expect(line(3)).toHaveTextContent('{"id":"o3","agent":"clerk","text":"broken');
    expect(line(3)).toHaveTextContent("Not JSON: a string is not ended");
    expect(within(screen.getByRole("region", { name: "Problems" })).getAllByRole("listitem")).toHaveLength(2);
  });

  test("of a quarter of a million lines draws a few hundred", async () => {
    const text = Array.from({ length: 250_000 }, (_, at) => `line ${at + 1}`).join("\n");
    await open({ files: [{ folder: "notes", path: "huge.md", text }] });
    await openNote("huge.md", 200_000);
    await waitFor(() => expect(line(200_000)).toHaveTextContent("line 200000"));
    expect(reader().querySelectorAll(".line").length).toBeLessThan(2_000);
  });

  test("that is empty says so", async () => {
    await open();
    await openNote("protocols/drafts/half-a-thought.md");
    expect(within(reader()).getByText("This file is empty.")).toBeInTheDocument();
  });

  test("that cannot be read says why, and can be tried again", async () => {
    const { backend, user } = await open({}, (prepared) => {
      prepared.unreadable.set(NOTE, {
        code: "unreadable",
        message: "cannot read reference/home-server.md: permission denied",
      });
    });
    openDocument.ask("notes", NOTE, 1);
    expect(await screen.findByRole("alert")).toHaveTextContent(
      "Cannot read reference/home-server.md: permission denied.",
    );
    backend.unreadable.clear();
    await user.click(screen.getByRole("button", { name: "Try again" }));
    await waitFor(() => expect(reader()).toBeInTheDocument());
  });

  test("that is deleted keeps its text and says that it is gone", async () => {
    const { backend } = await open();
    await openNote();
    backend.delete("notes", NOTE);
    expect(await screen.findByText(/no longer in its folder/, {}, { timeout: 3_000 })).toBeInTheDocument();
    expect(line(6)).toHaveTextContent("House network");
  });

  test("that is saved is shown again", async () => {
    const { backend } = await open();
    await openNote();
    backend.save("notes", NOTE, HOME_SERVER.replace("House network", "Boat network"));
    await waitFor(() => expect(line(6)).toHaveTextContent("Boat network"));
  });

  test("is still open after a look at another view", async () => {
    const { workspace, user } = await open();
    await openNote();
    await user.click(screen.getByRole("button", { name: "Settings" }));
    expect(screen.queryByRole("region", { name: /^Text of/ })).toBeNull();
    workspace.show("memory");
    await waitFor(() => expect(reader()).toHaveAccessibleName(`Text of ${NOTE}`));
  });
});

describe("beside the note", () => {
  test("stands what happened, newest first, under its day, and leads to the note", async () => {
    const { user } = await open();
    const happened = within(screen.getAllByRole("region", { name: "Activity" })[0] as HTMLElement);
    const events = await happened.findAllByRole("listitem");
    expect(events[0]).toHaveTextContent("reference/home-server.md");
    expect(events.at(-1)).toHaveTextContent("2026/10/observations.jsonl");
    expect(happened.queryByRole("button", { name: /people\/old\.md/ })).toBeNull();
    await user.click(happened.getByRole("button", { name: /signe-profile\.md/ }));
    await waitFor(() => expect(reader()).toHaveAccessibleName("Text of people/signe-profile.md"));
  });

  test("a new event shows up at once", async () => {
    const { backend } = await open();
    await screen.findByRole("treeitem", { name: /^people/ });
    backend.save("notes", "MEMORY.md", "changed");
    const [region] = screen.getAllByRole("region", { name: "Activity" });
    await waitFor(() =>
      expect(within(region as HTMLElement).getAllByRole("listitem")[0]).toHaveTextContent("MEMORY.md"),
    );
  });

  test("are followed without being read again for each new generation", async () => {
    const { backend, workspace } = await open();
    await screen.findByRole("treeitem", { name: /^people/ });
    const nProblemReads = backend.nCalls("problems");
    backend.changeState({ generation: (workspace.library.generation ?? 0) + 1 });
    await waitFor(() => expect(backend.nCalls("problems")).toBe(nProblemReads + 1), { timeout: 3_000 });
    expect(backend.nCalls("activity")).toBe(1);
  });

  test("stand few of thousands of problems and events", async () => {
    const [first] = await new LibraryBackend().problems();
    const [happened] = await new LibraryBackend().activity();
    await open({
      problems: Array.from({ length: 5_000 }, (_, line) => ({ ...(first as FileProblem), line })),
      activity: Array.from({ length: 5_000 }, (_, at_ms) => ({ ...(happened as Activity), at_ms })),
    });
    const problems = within(await screen.findByRole("region", { name: "Files with problems" }));
    expect(problems.getAllByRole("listitem")).toHaveLength(3);
    const events = within(screen.getAllByRole("region", { name: "Activity" })[0] as HTMLElement);
    expect(await events.findAllByRole("listitem")).toHaveLength(60);
  });

  test("stand the files with problems, errors first; the list leads to the line", async () => {
    const { user } = await open();
    const list = within(await screen.findByRole("region", { name: "Files with problems" }));
    expect(list.getAllByRole("listitem").map((item) => item.textContent?.match(/error|note/)?.[0])).toEqual([
      "error",
      "error",
      "note",
    ]);
    await user.click(list.getByRole("button", { name: "All problems" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Files with problems" }));
    expect(dialog.getAllByRole("listitem")).toHaveLength(4);
    await user.click(dialog.getByRole("button", { name: /observations\.jsonl:3/ }));
    await waitFor(() => expect(line(3)).toHaveClass("target"));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  });

  test("both lists of problems follow the notes, also when the number of files that cannot be read stays", async () => {
    const { backend, user } = await open();
    const side = within(await screen.findByRole("region", { name: "Files with problems" }));
    await user.click(side.getByRole("button", { name: "All problems" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Files with problems" }));
    expect(dialog.getAllByRole("listitem")).toHaveLength(4);
    const [first] = await backend.problems();
    vi.spyOn(backend, "problems").mockResolvedValue([{ ...(first as FileProblem), path: "mended-badly.md" }]);
    backend.changeState({ generation: 1_000 });
    await waitFor(() => expect(dialog.getAllByRole("listitem")).toHaveLength(1));
    expect(dialog.getByRole("listitem")).toHaveTextContent("mended-badly.md");
    expect(side.getByRole("listitem")).toHaveTextContent("mended-badly.md");
  });

  test("a problem opens in the editor from the dialog, and why not is said there", async () => {
    const { backend, user } = await open();
    await user.click(await screen.findByRole("button", { name: "All problems" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Files with problems" }));
    backend.failing.openInEditor = { code: "editor", message: "cannot open an editor: none is set" };
    await user.click(dialog.getByRole("button", { name: "Open protocols/scan.md in editor" }));
    expect(await dialog.findByRole("alert")).toHaveTextContent("Cannot open an editor: none is set.");
  });
});

describe("states", () => {
  test("a tree that cannot be read says why, and is read on the next try", async () => {
    const { backend, user } = await open({}, (prepared) => {
      prepared.failing.tree = { code: "store", message: "cannot list the notes: locked" };
    });
    expect(await screen.findByRole("alert")).toHaveTextContent("Cannot list the notes: locked.");
    backend.failing = {};
    await user.click(screen.getByRole("button", { name: "Try again" }));
    await waitFor(() => expect(tree()).toBeInTheDocument());
  });

  test("indexing shows how far it is and which file", async () => {
    await open({
      state: {
        indexing: {
          n_done: 120,
          n_total: 564,
          share: 0.996,
          file: "people/anna.md",
          seconds_left: 40,
        },
      },
    });
    const progress = screen.getByRole("progressbar", { name: "Indexing" });
    expect(progress).toHaveAttribute("aria-valuenow", "99");
    expect(progress).toHaveAttribute("aria-valuemax", "100");
    expect(screen.getByText("Indexing 120 of 564")).toBeInTheDocument();
    expect(screen.getByText("99 %, about 40 s left")).toBeInTheDocument();
    expect(screen.getByText("people/anna.md")).toBeInTheDocument();
  });

  test("folders without notes say what to do", async () => {
    await open({ files: [], problems: [], activity: [], state: { n_files: 0, n_chunks: 0, n_problems: 0 } });
    expect(await screen.findByRole("heading", { name: "No notes in these folders" })).toBeInTheDocument();
    expect(screen.getAllByText("No activity yet. Saved notes appear here.").length).toBeGreaterThan(0);
  });

  test("before a note is chosen it shows the overview, and again when the note is closed", async () => {
    const { user } = await open();
    expect(await screen.findByRole("article", { name: "Overview" })).toBeInTheDocument();
    await openNote();
    expect(screen.queryByRole("article", { name: "Overview" })).toBeNull();
    await user.click(screen.getByRole("button", { name: "Overview" }));
    expect(screen.getByRole("article", { name: "Overview" })).toBeInTheDocument();
  });
});

describe("an assistive tool finds nothing wrong", () => {
  test("with no note open", async () => {
    const { container } = await open();
    await screen.findByRole("treeitem", { name: /^people/ });
    expect(await violations(container)).toEqual([]);
  });

  test("with a note open", async () => {
    const { container } = await open();
    await openNote();
    expect(await violations(container)).toEqual([]);
  });

  test("in the dialogs", async () => {
    const { user } = await open();
    await user.click(await screen.findByRole("button", { name: "All problems" }));
    expect(await violations(await screen.findByRole("dialog"))).toEqual([]);
    await user.keyboard("{Escape}");
    await user.click(screen.getByRole("button", { name: "All activity" }));
    expect(await violations(await screen.findByRole("dialog", { name: "Activity" }))).toEqual([]);
  });
});

describe("the list of thumbs", () => {
  async function openList(n_thumbs: number) {
    const opened = await open();
    const { backend, workspace, user } = opened;
    await workspace.search.searchNow("where does the router stand");
    for (let slot = 0; slot < n_thumbs; slot++) await workspace.feedback.vote(slot, slot === 0);
    await user.click(screen.getByRole("button", { name: "Your ratings…" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Your ratings" }));
    await waitFor(() => expect(backend.nCalls("feedback")).toBe(1));
    return { ...opened, dialog };
  }

  test("takes one back, and the search that is on the screen with it", async () => {
    const { backend, workspace, user, dialog } = await openList(2);
    await waitFor(() => expect(dialog.getAllByRole("listitem")).toHaveLength(2));
    expect(dialog.getAllByRole("img").map((image) => image.getAttribute("aria-label"))).toEqual([
      "Thumb down",
      "Thumb up",
    ]);
    expect(await violations(document.body)).toEqual([]);
    const nRanked = backend.nCalls("rank");
    await user.click(dialog.getAllByRole("button", { name: /^Remove the rating/ })[0] as HTMLElement);
    await waitFor(() => expect(dialog.getAllByRole("listitem")).toHaveLength(1));
    expect([workspace.feedback.thumbOf(0), workspace.feedback.thumbOf(1)]).toEqual(["up", null]);
    await waitFor(() => expect(backend.nCalls("rank")).toBeGreaterThan(nRanked));
  });

  test("is saved and read in again, and shows the lines that were left out", async () => {
    const { user, dialog } = await openList(0);
    expect(dialog.getByText(/^No ratings yet/)).toBeInTheDocument();
    await user.click(dialog.getByRole("button", { name: "Export…" }));
    expect(await dialog.findByText(/memlens-feedback\.jsonl/)).toBeInTheDocument();
    await user.click(dialog.getByRole("button", { name: "Import…" }));
    expect(await dialog.findByText(/Skipped line 2: thumb must be 1 or -1, not 2/)).toBeInTheDocument();
    expect(dialog.queryByText(/memlens-feedback\.jsonl/)).toBeNull();
  });

  test("says why it could not be read", async () => {
    const { user } = await open({}, (backend) => {
      backend.failing.feedback = { code: "error", message: "cannot read the feedback: the disk is gone" };
    });
    await user.click(screen.getByRole("button", { name: "Your ratings…" }));
    expect(await screen.findByText("Cannot read the feedback: the disk is gone.")).toBeInTheDocument();
  });
});
