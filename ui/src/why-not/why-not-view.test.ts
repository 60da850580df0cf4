// "Why not…?" as the user sees it: by keyboard from a dropped row or a typed name, every kind of answer, by axe.
import { fireEvent, render, screen, waitFor, within } from "@testing-library/svelte";
import { describe, expect, it, vi } from "vitest";
import { violations } from "../../tests/axe";
import { FakeBackend, PROBLEMS, type FakeOptions } from "../../tests/fake-backend";
import { file, tree } from "../../tests/trees";
import { setupUser } from "../../tests/user";
import App from "../App.svelte";
import { DEFAULTS } from "../api/parameters";
import type { FolderTree, WhyAnswer, WhyNot } from "../api/bindings";
import { Workspace, workspaceContext } from "../workspace.svelte";

async function open(options: FakeOptions = {}) {
  const backend = new FakeBackend({ nChunks: 150, startQuery: "the internet is down at home", ...options });
  const workspace = new Workspace(backend);
  const user = setupUser();
  const { container } = render(App, { context: workspaceContext(workspace) });
  await waitFor(() => expect(document.documentElement.dataset.ready).toBe("true"));
  return { backend, workspace, user, container };
}

type User = Awaited<ReturnType<typeof open>>["user"];

const grid = () => screen.getByRole("grid");
const panel = () => screen.getByRole("region", { name: "Why not…?" });
const box = () => screen.getByRole("combobox", { name: "Note that is missing" });
const said = () => within(panel()).getByRole("status");
const options = () =>
  within(panel())
    .queryAllByRole("option")
    .map((option) => option.textContent?.replace(/\s+/g, " ").trim());

/** Asks by W and a name. */
async function askFor(user: User, name: string) {
  grid().focus();
  await user.keyboard("w");
  await user.clear(box());
  await user.keyboard(`${name}{Enter}`);
}

/** Opens the first row below the cut and asks by W. */
async function askForDropped({ user, workspace }: Awaited<ReturnType<typeof open>>) {
  workspace.search.open(workspace.search.columns?.order[workspace.search.columns.n_kept] ?? -1);
  await waitFor(() => expect(workspace.search.journey?.rank).toBeNull());
  grid().focus();
  await user.keyboard("w");
  await waitFor(() => expect(said()).toHaveTextContent("Lost at"));
}

describe("from a dropped row, by keyboard alone", () => {
  it("shows what lost it, applies a change, and undoes it", async () => {
    const page = await open();
    const { user, workspace } = page;
    await askForDropped(page);
    expect(said()).toHaveTextContent("Lost at limit: rank 11 > max results 10.");
    expect(box()).toHaveFocus();
    expect(box()).toHaveValue(
      workspace.search.journey?.row.folder_name +
        "/" +
        workspace.search.journey?.row.path +
        ":" +
        workspace.search.journey?.row.start_line,
    );
    await user.tab();
    expect(within(panel()).getByRole("button", { name: "Show its row" })).toHaveFocus();
    await user.tab();
    expect(within(panel()).getByRole("button", { name: "Close Why not…?" })).toHaveFocus();
    await user.tab();
    const apply = within(panel()).getByRole("button", { name: "Apply: Limit Max results 11" });
    expect(apply).toHaveFocus();
    await user.keyboard("{Enter}");
    expect(workspace.parameters.current.max_results).toBe(11);
    await waitFor(() => expect(said()).toHaveTextContent("Found at rank 11."));
    expect(said()).toHaveFocus();
    await user.keyboard("{Control>}z{/Control}");
    expect(workspace.parameters.current).toEqual(DEFAULTS);
    await waitFor(() => expect(said()).toHaveTextContent("Lost at limit"));
  });

  it("ranks by a change while the pointer rests on it", async () => {
    const page = await open();
    const { user, workspace } = page;
    await askForDropped(page);
    const n_kept = () => workspace.search.columns?.n_kept;
    const apply = within(panel()).getByRole("button", { name: "Apply: Limit Max results 11" });
    await user.hover(apply);
    await waitFor(() => expect(n_kept()).toBe(11));
    expect(apply).toBeEnabled();
    expect(said()).toHaveTextContent("Lost at limit: rank 11 > max results 10.");
    expect(workspace.parameters.canUndo).toBe(false);
    await user.unhover(apply);
    await waitFor(() => expect(n_kept()).toBe(10));
    await user.hover(apply);
    await user.click(apply);
    expect(workspace.parameters.committed.max_results).toBe(11);
    await waitFor(() => expect(said()).toHaveTextContent("Found at rank 11."));
    await user.keyboard("{Control>}z{/Control}");
    expect(workspace.parameters.current).toEqual(DEFAULTS);
    await waitFor(() => expect(said()).toHaveTextContent("Lost at limit"));
    await user.hover(within(panel()).getByRole("button", { name: "Apply: Limit Max results 11" }));
    await user.click(within(panel()).getByRole("button", { name: "Close Why not…?" }));
    await waitFor(() => expect(workspace.parameters.current).toEqual(DEFAULTS));
  });

  it("asks about the opened row also before its journey is there", async () => {
    const { backend, workspace, user } = await open();
    vi.spyOn(backend, "journey").mockReturnValue(new Promise(() => undefined));
    const slot = workspace.search.columns?.order[10] ?? -1;
    workspace.search.open(slot);
    grid().focus();
    await user.keyboard("w");
    await waitFor(() => expect(said()).toHaveTextContent("Lost at limit"));
    expect(backend.calls.findLast(({ name }) => name === "whyNot")?.args[5]).toBe(
      workspace.search.rowOf(slot)?.chunk,
    );
  });

  it("goes back to the table by Escape", async () => {
    const page = await open();
    await askForDropped(page);
    await page.user.keyboard("{Escape}");
    expect(screen.queryByRole("region", { name: "Why not…?" })).toBeNull();
    expect(grid()).toHaveFocus();
  });

  it("is asked by the button beside the row's fate as well", async () => {
    const { user, workspace } = await open();
    workspace.search.open(workspace.search.columns?.order[10] ?? -1);
    const journey = screen.getByRole("region", { name: "Journey of the opened row" });
    await within(journey).findByText("Rank 11 > max results 10.");
    await user.click(within(journey).getByRole("button", { name: /^Why not/ }));
    await waitFor(() => expect(said()).toHaveTextContent("Lost at limit"));
  });
});

describe("for a name that is typed", () => {
  it("lists the notes that have its letters, and takes what Enter finds", async () => {
    const { user, backend } = await open();
    grid().focus();
    await user.keyboard("w");
    expect(box()).toHaveFocus();
    await waitFor(() => expect(options().length).toBeGreaterThan(3));
    await user.keyboard("routes");
    expect(options()).toEqual(["reference/notification-routes.md notes", "routes as typed"]);
    expect(box()).toHaveAttribute("aria-expanded", "true");
    await user.keyboard("{ArrowDown}{ArrowUp}{Enter}");
    expect(box()).toHaveValue("notes/reference/notification-routes.md");
    expect(box()).toHaveAttribute("aria-expanded", "false");
    await waitFor(() => expect(backend.nCalls("whyNot")).toBe(1));
    expect(backend.calls.findLast(({ name }) => name === "whyNot")?.args.slice(2)).toEqual([
      "notes",
      "reference/notification-routes.md",
      null,
      null,
    ]);
  });

  it("offers every chunk of the note, best first, and explains the one that is chosen", async () => {
    const { user } = await open();
    await askFor(user, "home-server");
    const chunks = await screen.findByRole("radiogroup", { name: "Chunks of the note, best first" });
    const radios = within(chunks).getAllByRole("radio");
    expect(radios[0]).toBeChecked();
    await user.click(radios.at(-1) as HTMLElement);
    await waitFor(() => expect(said()).toHaveTextContent("Lost at"));
    expect(radios.at(-1)).toBeChecked();
  });

  it("jumps to the row of a note that is kept", async () => {
    const { user, workspace } = await open();
    const best = workspace.search.rowOf(workspace.search.columns?.order[2] ?? -1);
    await askFor(user, `${best?.path}:${best?.start_line}`);
    await waitFor(() => expect(said()).toHaveTextContent("Found at rank"));
    await user.click(within(panel()).getByRole("button", { name: "Show its row" }));
    expect(workspace.search.openSlot).toBe(workspace.whyNot.chunk?.slot);
    expect(grid()).toHaveFocus();
  });

  it("closes its list by Escape first, and forgets what was half typed", async () => {
    const { user } = await open();
    await askFor(user, "MEMORY.md");
    await user.keyboard("xyz");
    await user.keyboard("{Escape}");
    expect(box()).toHaveValue("notes/MEMORY.md");
    expect(options()).toEqual([]);
    await user.keyboard("{Escape}");
    expect(grid()).toHaveFocus();
  });
});

describe("in thousands of files", () => {
  const files = Array.from({ length: 6_000 }, (_, at) => file(`note-${at}.md`));
  const many = async () => {
    const page = await open();
    vi.spyOn(page.backend, "tree").mockResolvedValue([tree("notes", ...files)]);
    grid().focus();
    await page.user.keyboard("w");
    await waitFor(() => expect(page.workspace.whyNot.files).toHaveLength(6_000));
    return page;
  };

  it("compares them when the typing rests", async () => {
    await many();
    const before = options();
    await fireEvent.input(box(), { target: { value: "note-4711" } });
    expect(options()).toEqual(before);
    await waitFor(() => expect(options()[0]).toContain("note-4711.md"));
  });

  it("takes what Enter finds, without a rest", async () => {
    await many();
    await fireEvent.input(box(), { target: { value: "note-4711" } });
    await fireEvent.keyDown(box(), { key: "Enter" });
    expect(box()).toHaveValue("notes/note-4711.md");
  });

  it("reads them only while one is picked", async () => {
    const { backend, user, workspace } = await many();
    const read = vi.mocked(backend.tree);
    const nRead = read.mock.calls.length;
    await user.tab();
    backend.changeState({ generation: 90 });
    await waitFor(() => expect(workspace.library.generation).toBe(90), { timeout: 3_000 });
    expect(read).toHaveBeenCalledTimes(nRead);
    box().focus();
    await waitFor(() => expect(read).toHaveBeenCalledTimes(nRead + 1));
  });

  it("has an active option as soon as there are any", async () => {
    const { backend, user } = await open();
    let answer: (trees: FolderTree[]) => void = () => undefined;
    vi.spyOn(backend, "tree").mockReturnValue(new Promise((resolve) => (answer = resolve)));
    grid().focus();
    await user.keyboard("w{ArrowDown}{ArrowDown}");
    expect(options()).toEqual([]);
    answer([tree("notes", ...files)]);
    await waitFor(() => expect(options()).toHaveLength(8));
    expect(document.getElementById(box().getAttribute("aria-activedescendant") ?? "")).toHaveTextContent(
      "note-0.md",
    );
  });
});

describe("what it shows", () => {
  it("asks for a question first, and answers as soon as there is one", async () => {
    const { user, workspace } = await open({ startQuery: null });
    workspace.whyNot.ask("notes", "MEMORY.md", null);
    await waitFor(() => expect(said()).toHaveTextContent("Type a question first."));
    await user.click(within(panel()).getByRole("button", { name: /^Go to the question/ }));
    expect(screen.getByRole("searchbox", { name: "Question" })).toHaveFocus();
    await user.keyboard("internet{Enter}");
    await screen.findByRole("radiogroup", { name: /^Chunks/ });
  });

  it.each<[WhyNot, string, RegExp | null]>([
    [{ kind: "not_watched" }, "Not watched. It is not in a watched folder.", /^Folders/],
    [{ kind: "gone" }, "Not found.", null],
    [{ kind: "left_out", path: "x", reason: "a rule" }, "Left out.", null],
    [{ kind: "unreadable", reason: "a cause" }, "Not readable.", null],
    [{ kind: "pending", is_paused: false }, "Not indexed yet.", null],
    [{ kind: "pending", is_paused: true }, "Not indexed yet.", /^Folders/],
    [{ kind: "not_held", by: "Clerk 1.2", unsearched: null }, "Not in its memory.", null],
    [
      {
        kind: "not_held",
        by: "Clerk 1.2",
        unsearched: { agent: "Clerk", cause: "kind", reason: "A reason.", advice: "Advice." },
      },
      "Never searched by Clerk.",
      null,
    ],
    [{ kind: "empty" }, "Nothing to find.", null],
    [{ kind: "out_of_scope" }, "Not searched.", /^Search in all folders/],
  ])("where the note is not ranked: %o", async (why, text, button) => {
    const { user, backend } = await open();
    const answer: WhyAnswer = {
      folder: "notes",
      path: "x.md",
      line: null,
      sentence: "it is not in a watched folder",
      why,
      advice: "Do something about it.",
      on_disk: null,
      load_cap: null,
    };
    vi.spyOn(backend, "whyNot").mockResolvedValue(answer);
    await askFor(user, "x.md");
    await waitFor(() => expect(said()).toHaveTextContent(text));
    if (["not_watched", "gone", "left_out", "unreadable", "not_held"].includes(why.kind))
      expect(panel()).toHaveTextContent("Do something about it.");
    const buttons = within(panel())
      .getAllByRole("button")
      .filter((one) => one.getAttribute("aria-label") !== "Close Why not…?");
    expect(buttons).toHaveLength(button === null ? 0 : 1);
    if (button !== null) expect(buttons[0]).toHaveTextContent(button);
  });

  it("says that the note's agent does not load that place", async () => {
    const { user, backend } = await open();
    const answer: WhyAnswer = {
      folder: "notes",
      path: "x.md",
      line: 250,
      sentence: "it waits to be indexed",
      why: { kind: "pending", is_paused: false },
      advice: null,
      on_disk: null,
      load_cap: "Past the load cap: Claude Code loads MEMORY.md up to 200 lines.",
    };
    vi.spyOn(backend, "whyNot").mockResolvedValue(answer);
    await askFor(user, "x.md");
    expect(await screen.findByText(/^Past the load cap: Claude Code/)).toBeInTheDocument();
  });

  it("says that the note has changed since it was indexed", async () => {
    const { user, backend } = await open();
    const whyNot = backend.whyNot.bind(backend);
    backend.whyNot = async (...asked) => ({ ...(await whyNot(...asked)), on_disk: "changed" });
    await askFor(user, "x.md");
    expect(
      await screen.findByText(
        "The note has changed since it was indexed. This answer is about the indexed text.",
      ),
    ).toBeInTheDocument();
  });

  it("has paused indexing go on from where a note waits for it", async () => {
    const { user, backend } = await open();
    backend.changeState({ phase: { kind: "paused" } });
    vi.spyOn(backend, "whyNot").mockResolvedValue({
      folder: "notes",
      path: "x.md",
      line: null,
      sentence: "It waits to be indexed.",
      why: { kind: "pending", is_paused: false },
      advice: null,
      on_disk: null,
      load_cap: null,
    });
    await askFor(user, "x.md");
    await user.click(await screen.findByRole("button", { name: "Resume indexing" }));
    expect(backend.calls.filter(({ name }) => name === "pauseIndexing").at(-1)?.args).toEqual([false]);
  });

  it("names an unreadable note's reason", async () => {
    const { user } = await open({ problems: PROBLEMS });
    await askFor(user, "people/old.md");
    await waitFor(() => expect(said()).toHaveTextContent("permission denied"));
  });

  it("says where no change helps, and offers two together where only they do", async () => {
    const { user, workspace } = await open();
    workspace.parameters.replace({ ...DEFAULTS, min_score: 0.9, max_results: 1 });
    await waitFor(() => expect(workspace.search.columns?.n_kept).toBe(0));
    const row = workspace.search.rowOf(workspace.search.columns?.order[3] ?? -1);
    workspace.whyNot.ask(row?.folder ?? "", row?.path ?? "", null, row?.chunk);
    const both = await screen.findByRole("button", { name: "Apply both" });
    expect(within(panel()).getByRole("table")).toHaveTextContent("These two changes together bring it back");
    await user.click(both);
    await waitFor(() => expect(said()).toHaveTextContent("Found at rank"));
  });

  it("shows the journey of a chunk beyond the lists, without a row", async () => {
    const { user, backend, workspace } = await open();
    const ask = backend.whyNot.bind(backend);
    vi.spyOn(backend, "whyNot").mockImplementation(async (...args) => {
      const answer = await ask(...args);
      if (answer.why.kind !== "searched") return answer;
      const chunks = answer.why.chunks.slice(-1).map((chunk) => ({ ...chunk, slot: null }));
      return { ...answer, why: { kind: "searched", chunks, n_chunks: 31 } };
    });
    await askFor(user, "home-server");
    await user.click(await screen.findByRole("button", { name: "Show its journey" }));
    const journey = screen.getByRole("region", { name: "Journey of the opened row" });
    expect(journey).toHaveFocus();
    expect(within(journey).getByRole("heading", { level: 2 })).toHaveTextContent("home-server.md");
    expect(workspace.search.openSlot).toBeNull();
    expect(within(grid()).queryByRole("row", { selected: true })).toBeNull();
  });

  it("says what went wrong as a sentence, and asks again", async () => {
    const { user, backend } = await open();
    backend.failing.whyNot = { code: "index", message: "cannot open the text index: permission denied" };
    await askFor(user, "MEMORY");
    await waitFor(() => expect(said()).toHaveTextContent("Cannot open the text index: permission denied."));
    backend.failing = {};
    await user.click(within(panel()).getByRole("button", { name: "Try again" }));
    await screen.findByRole("radiogroup", { name: /^Chunks/ });
  });

  it("does not apply what was found out for another ranking", async () => {
    const page = await open();
    await askForDropped(page);
    const apply = () => within(panel()).getAllByRole("button", { name: /^Apply/ })[0];
    expect(apply()).toBeEnabled();
    page.workspace.parameters.preview("vector_weight", 0.55);
    await waitFor(() => expect(apply()).toBeDisabled());
    page.workspace.parameters.commit();
    await waitFor(() => expect(apply()).toBeEnabled());
  });
});

it("is listed among the keys", async () => {
  const { user } = await open();
  grid().focus();
  await user.keyboard("?");
  expect(await screen.findByRole("dialog", { name: "Keyboard shortcuts" })).toHaveTextContent("W Why not…?");
});

describe.each(["light", "dark"] as const)("in the %s theme, axe finds nothing", (theme) => {
  it("with its list, with changes, and with nothing asked", async () => {
    const page = await open();
    page.workspace.theme.choose(theme);
    page.workspace.whyNot.open();
    await waitFor(() => expect(options().length).toBeGreaterThan(3));
    expect(await violations(page.container)).toEqual([]);
    await askFor(page.user, "home-server");
    await screen.findByRole("radiogroup", { name: /^Chunks/ });
    expect(await violations(page.container)).toEqual([]);
  });
});
