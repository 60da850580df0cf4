// The Search view as the user meets it: by keyboard, by slider, in its states, and read by an assistive tool.
import { render, screen, waitFor, within } from "@testing-library/svelte";
import axe from "axe-core";
import { fireEvent } from "@testing-library/svelte";
import { describe, expect, it, vi } from "vitest";
import { FakeBackend, PROBLEMS, type FakeOptions } from "../../tests/fake-backend";
import { setupUser } from "../../tests/user";
import App from "../App.svelte";
import type { Said } from "../api/bindings";
import { DEFAULTS } from "../api/parameters";
import { Workspace, workspaceContext } from "../workspace.svelte";

const QUERY = "the internet is down at home";

async function open(options: FakeOptions = {}) {
  const backend = new FakeBackend({ nChunks: 150, startQuery: QUERY, ...options });
  const workspace = new Workspace(backend);
  const user = setupUser();
  const { container } = render(App, { context: workspaceContext(workspace) });
  await waitFor(() => expect(document.documentElement.dataset.ready).toBe("true"));
  return { backend, workspace, user, container };
}

const grid = () => screen.getByRole("grid");
const bodyRows = () =>
  within(grid())
    .getAllByRole("row")
    .filter((row) => row.hasAttribute("data-chunk"));
const chunks = () => bodyRows().map((row) => row.dataset.chunk);
const slider = (parameter: string) => {
  const found = document.querySelector<HTMLInputElement>(
    `[data-parameter="${parameter}"] input[type="range"]`,
  );
  if (found === null) throw new Error(`no slider for ${parameter}`);
  return found;
};
const field = (parameter: string) => {
  const found = document.getElementById(`field-${parameter}`);
  if (!(found instanceof HTMLInputElement)) throw new Error(`no field for ${parameter}`);
  return found;
};
const openRow = () => bodyRows().find((row) => row.getAttribute("aria-selected") === "true");

describe("what is there", () => {
  it("shows the trace of a query given at start, before it says that it is ready", async () => {
    await open();
    expect(screen.getByRole("searchbox", { name: "Question" })).toHaveValue(QUERY);
    expect(bodyRows().length).toBeGreaterThan(3);
    expect(openRow()).toBe(bodyRows()[0]);
  });

  it("says of an empty cell why it is empty", async () => {
    await open({ startQuery: "zebras and quokkas" });
    const cells = [...document.querySelectorAll<HTMLElement>("[role='gridcell'].none")];
    expect(cells.length).toBeGreaterThan(0);
    for (const cell of cells) expect(cell).toHaveTextContent(`–${cell.title}`);
    const words = cells.filter((cell) => cell.dataset.column === "bm25").map((cell) => cell.title);
    expect(words).toContain("No word of the question is in it");
  });

  it("gives a screen reader numbers that are rounded and set apart", async () => {
    const { container } = await open();
    const spoken = (column: string) =>
      document.querySelector(`[role="gridcell"][data-column="${column}"]`)?.getAttribute("aria-label");
    expect(spoken("vector")).toMatch(/^rank \d+, \d\.\d{3} cosine$/);
    expect(spoken("bm25")).toMatch(/^rank \d+, \d+\.\d\d BM25$/);
    expect(spoken("final")).toMatch(/^final score \d\.\d{3}: \S/);
    const texts = [...container.querySelectorAll("*")].flatMap((element) =>
      ["aria-label", "aria-valuetext", "aria-description", "title", "alt"].map(
        (name) => element.getAttribute(name) ?? "",
      ),
    );
    expect(texts.filter((text) => /\d\.\d{5}/.test(text))).toEqual([]);
    // The user who points at a score still sees all of it.
    const cell = document.querySelector<HTMLElement>('[role="gridcell"][data-column="vector"]');
    if (cell === null) throw new Error("no score");
    expect(cell.dataset["exact"]).toMatch(/^0\.\d{5,} \(cosine, at most 1\)$/);
    expect(cell.title).toBe("");
  });

  it("copies or saves the trace, with the notes' text or without, under the ranking that is shown", async () => {
    const { backend, workspace, user } = await open();
    const choose = async (...items: string[]) => {
      await user.click(screen.getByRole("button", { name: "Copy or save the trace" }));
      // Without layout the menu hides itself, and has no names.
      const menu = await screen.findByRole("menu", { hidden: true });
      for (const item of items) await user.click(within(menu).getByText(item));
    };
    await choose("Copy as Markdown");
    expect(await screen.findByText("Copied")).toBeInTheDocument();
    expect(await navigator.clipboard.readText()).toMatch(/^# Search \d+\n$/);
    workspace.parameters.set("max_results", 3);
    await waitFor(() => expect(screen.queryByText("Copied")).toBeNull());
    await choose("✓ With the notes’ text", "Save as CSV…");
    expect(await screen.findByText("Saved to /home/ada/memlens-trace.csv")).toBeInTheDocument();
    const asked = backend.calls
      .filter(({ name }) => name === "traceText" || name === "saveTrace")
      .map(({ name, args }) => [name, ...args]);
    expect(asked).toMatchObject([
      ["traceText", expect.any(Number), { pipeline: "memlens" }, "Default", "markdown", true],
      ["saveTrace", expect.any(Number), { values: { max_results: 3 } }, "Default (changed)", "csv", false],
    ]);
    // Nothing is said where the dialog is cancelled, and why where it cannot be written.
    backend.savedTrace = null;
    await choose("Save as CSV…");
    await waitFor(() => expect(screen.queryByText(/^Saved/)).toBeNull());
    backend.saveTrace = () => Promise.reject(new Error("the disk is full"));
    await choose("Save as Markdown…");
    expect(await screen.findByText("Cannot save: The disk is full.")).toBeInTheDocument();
  });

  it("says of rows whose note has changed since why there is no text", async () => {
    const { backend, workspace } = await open();
    const gone = { text: null, missing: "The note has changed since this search.", marks: [] };
    const [search, journey] = [backend.search.bind(backend), backend.journey.bind(backend)];
    backend.search = async (...asked) => {
      const answer = await search(...asked);
      return { ...answer, snippets: answer.snippets.map((snippet) => ({ ...snippet, ...gone })) };
    };
    backend.journey = async (...asked) => ({ ...(await journey(...asked)), ...gone });
    await workspace.search.searchNow("is the internet down");
    await waitFor(() => expect(bodyRows()[0]).toHaveTextContent(gone.missing));
    await waitFor(() => expect(document.querySelector("p.missing")).toHaveTextContent(gone.missing));
  });

  it("names the folder of rows whose notes have the same file name", async () => {
    const { backend, workspace } = await open();
    const search = backend.search.bind(backend);
    backend.search = async (...asked) => {
      const answer = await search(...asked);
      const rows = answer.rows.map((row, at) => ({ ...row, path: `folder-${at % 2}/README.md` }));
      return { ...answer, rows };
    };
    await workspace.search.searchNow("is the internet down");
    const names = () => new Set(bodyRows().map((row) => row.querySelector(".path")?.textContent));
    const expected = ["agents/folder-0/README.md", "notes/folder-0/README.md", "notes/folder-1/README.md"];
    await waitFor(() => expect(names()).toEqual(new Set(expected)));
  });

  it("breaks the text of a row within words if one may be longer than a line", async () => {
    const { backend, workspace } = await open();
    const search = backend.search.bind(backend);
    const texts = ["…https://hall.example/notes/of/the/relay/2026", "A relay hums in the hall."];
    backend.search = async (...asked) => {
      const answer = await search(...asked);
      const snippets = answer.snippets.map((snippet, at) => ({
        ...snippet,
        text: texts[at % 2] ?? "",
        marks: [],
      }));
      return { ...answer, snippets };
    };
    await workspace.search.searchNow("is the internet down");
    const shown = (start: string) =>
      bodyRows()
        .map((row) => row.querySelector(".x"))
        .find((text) => text?.textContent.trim().startsWith(start));
    await waitFor(() => expect(shown("…https")).toHaveClass("within-words"));
    expect(shown("A relay")).not.toHaveClass("within-words");
  });

  it("marks rows whose note is not on the disk as it was indexed", async () => {
    const { backend, workspace } = await open();
    const search = backend.search.bind(backend);
    const states = ["as_indexed", "changed", "gone", "not_checked", null] as const;
    backend.search = async (...asked) => {
      const answer = await search(...asked);
      const snippets = answer.snippets.map((snippet, at) => ({ ...snippet, on_disk: states[at] ?? null }));
      return { ...answer, snippets };
    };
    await workspace.search.searchNow("is the internet down");
    const mark = (at: number) => bodyRows()[at]?.querySelector<HTMLElement>(".stale") ?? null;
    await waitFor(() => expect(mark(1)).toHaveTextContent("changed"));
    expect(mark(1)?.title).toBe(
      "The note has changed since it was indexed. This row shows the indexed text.",
    );
    expect(mark(2)).toHaveTextContent("file gone");
    expect(mark(3)).toHaveTextContent("not checked");
    expect([mark(0), mark(4)]).toEqual([null, null]);
  });

  it("folds the cells of the stages that are off, and keeps one for every other stage", async () => {
    const { user, workspace } = await open();
    const strip = within(screen.getByRole("toolbar"));
    const cells = () => strip.getAllByRole("button").map((cell) => cell.dataset["stage"] ?? "off");
    expect(cells()).toEqual(["vector", "bm25", "fusion", "repeats", "threshold", "limit", "off"]);
    workspace.parameters.set("half_life_days", 30);
    await waitFor(() => expect(cells()).toContain("decay"));
    workspace.parameters.set("limit_on", false);
    await waitFor(() => expect(strip.getByRole("button", { name: /^Limit off/ })).toBeInTheDocument());
    const fold = strip.getByRole("button", { name: /^7 off/ });
    expect(fold).toHaveAttribute("aria-expanded", "false");
    await user.click(fold);
    expect(cells()).toHaveLength(13 + 1);
    expect(strip.getByRole("button", { name: /^Budget off/ })).toBeInTheDocument();
    await user.click(fold);
    expect(cells()).not.toContain("limit");
  });

  it("shows the number of every row and the sort of every column", async () => {
    const { user } = await open();
    expect(grid()).toHaveAttribute("aria-rowcount", String(150 + 2));
    expect(bodyRows()[0]).toHaveAttribute("aria-rowindex", "2");
    await user.click(within(grid()).getByRole("button", { name: /^BM25/ }));
    expect(within(grid()).getByRole("columnheader", { name: /^BM25/ })).toHaveAttribute(
      "aria-sort",
      "ascending",
    );
  });

  it("has no tab for a view that this version does not have", async () => {
    await open();
    const tabs = within(screen.getByRole("navigation", { name: "Views" })).getAllByRole("button");
    expect(tabs.map((tab) => tab.textContent)).toEqual([
      "Search",
      "Tune",
      "Compare",
      "Past questions",
      "Memory",
      "Export",
      "Settings",
    ]);
  });
});

describe("by keyboard", () => {
  it("goes to the question, searches while it is typed, and back to the table", async () => {
    const { user, backend } = await open({ startQuery: null });
    await user.keyboard("{Control>}k{/Control}");
    expect(screen.getByRole("searchbox", { name: "Question" })).toHaveFocus();
    await user.keyboard("internet");
    await waitFor(() => expect(backend.nCalls("search")).toBe(1));
    await screen.findByRole("grid");
    await user.keyboard("{Escape}");
    expect(grid()).toHaveFocus();
  });

  it("walks through earlier questions and back to what was being typed", async () => {
    const { user } = await open({ startQuery: null });
    const box = screen.getByRole("searchbox", { name: "Question" });
    await user.click(box);
    await user.keyboard("first{Enter}");
    await user.clear(box);
    await user.keyboard("second{Enter}");
    await user.clear(box);
    await user.keyboard("thi{ArrowUp}");
    expect(box).toHaveValue("second");
    await user.keyboard("{ArrowUp}{ArrowUp}");
    expect(box).toHaveValue("first");
    await user.keyboard("{ArrowDown}{ArrowDown}");
    expect(box).toHaveValue("thi");
  });

  it("moves through the rows and names the active one", async () => {
    const { user, workspace } = await open();
    grid().focus();
    const order = workspace.search.columns?.order ?? [];
    for (const [key, at] of [
      ["{ArrowDown}", 1],
      ["{ArrowDown}", 2],
      ["{ArrowUp}", 1],
      ["{End}", order.length - 1],
      ["{Home}", 0],
      ["{ArrowUp}", 0],
    ] as const) {
      await user.keyboard(key);
      expect(workspace.search.openSlot).toBe(order[at]);
      expect(grid()).toHaveAttribute("aria-activedescendant", `row-${order[at]}`);
    }
  });

  it("reads the journey on Enter and comes back on Escape", async () => {
    const { user } = await open();
    grid().focus();
    await user.keyboard("{ArrowDown}{Enter}");
    expect(screen.getByRole("region", { name: "Journey of the opened row" })).toHaveFocus();
    await user.keyboard("{Escape}");
    expect(grid()).toHaveFocus();
  });

  it("offers to choose an editor where none opens the note", async () => {
    const { user, backend } = await open();
    backend.openInEditor = () =>
      Promise.reject({ code: "no_editor", message: "cannot open /notes/a.md: no opener was found" });
    grid().focus();
    await user.keyboard("o");
    expect(await screen.findByText("Cannot open /notes/a.md: no opener was found.")).toBeInTheDocument();
    await user.click(screen.getByRole("button", { name: "Choose an editor" }));
    await waitFor(() => expect(screen.getByRole("combobox", { name: "Editor" })).toHaveFocus());
    expect(screen.queryByText(/no opener was found/)).toBeNull();
  });

  it("opens the row's note in the editor, pins, sorts by stages and lists its keys", async () => {
    const { user, workspace, backend } = await open();
    grid().focus();
    await user.keyboard("o");
    const row = workspace.search.rowOf(workspace.search.openSlot ?? -1);
    expect(backend.calls.findLast(({ name }) => name === "openInEditor")?.args).toEqual([
      row?.folder,
      row?.path,
      row?.start_line,
      "system",
    ]);
    workspace.parameters.set("max_results", 4);
    await user.keyboard("p");
    expect(workspace.search.pin.params.max_results).toBe(4);
    // By what it differs, since the preset's own button says "changed" of any values.
    expect(workspace.search.pin.name).toBe("Default, Max results 4");
    await user.keyboard("]");
    expect(workspace.search.sort).toBe("vector");
    await user.keyboard("]");
    expect(workspace.search.sort).toBe("bm25");
    await user.keyboard("[[[[");
    expect(workspace.search.sort).toBe("final");
    await user.keyboard("?");
    expect(await screen.findByRole("dialog", { name: "Keyboard shortcuts" })).toBeInTheDocument();
  });

  it("leaves letters typed into the question and into a number field alone", async () => {
    const { user, backend, workspace } = await open();
    await user.click(screen.getByRole("searchbox", { name: "Question" }));
    await user.keyboard("op?[[");
    await user.click(field("min_score"));
    await user.keyboard("op?[[");
    expect(backend.nCalls("openInEditor")).toBe(0);
    expect(workspace.search.sort).toBe("final");
    expect(screen.queryByRole("dialog")).toBeNull();
  });
});

describe("by slider", () => {
  it("re-ranks while it is dragged and makes one step of the drag", async () => {
    const { backend, workspace } = await open();
    const before = chunks();
    const weight = slider("vector_weight");
    for (const at of ["0.5", "0.3", "0.05"]) await fireEvent.input(weight, { target: { value: at } });
    await waitFor(() => expect(workspace.search.rankedByOwn?.vector_weight).toBe(0.05));
    await waitFor(() => expect(chunks()).not.toEqual(before));
    expect(workspace.parameters.canUndo).toBe(false);
    await fireEvent.pointerUp(window);
    expect(workspace.parameters.canUndo).toBe(true);
    expect(backend.nCalls("search")).toBe(1);
    workspace.parameters.undo();
    await waitFor(() => expect(chunks()).toEqual(before));
  });

  it("ends the step of an assistive tool that changes a slider without a pointer", async () => {
    const { workspace } = await open();
    await fireEvent.input(slider("vector_weight"), { target: { value: "0.3" } });
    await fireEvent.change(slider("vector_weight"));
    expect(workspace.parameters.canUndo).toBe(true);
  });

  it("shows the moves against the pin, and what has left", async () => {
    const { workspace } = await open();
    await fireEvent.input(slider("max_results"), { target: { value: "0.02" } });
    await waitFor(() => expect(workspace.search.columns?.n_kept).toBe(3));
    await waitFor(() => expect(within(grid()).getAllByText(/^was/)).not.toHaveLength(0));
  });

  it("moves by keys, by a tenth of a step with Shift, and back to the default with Backspace", async () => {
    const { user, workspace } = await open();
    const value = () => workspace.parameters.current.vector_weight;
    slider("vector_weight").focus();
    await user.keyboard("{ArrowRight}");
    expect(value()).toBe(0.61);
    await user.keyboard("{Shift>}{ArrowLeft}{/Shift}");
    expect(value()).toBe(0.609);
    await user.keyboard("{PageDown}");
    expect(value()).toBe(0.51);
    await user.keyboard("{End}");
    expect(value()).toBe(1);
    await user.keyboard("{Backspace}");
    expect(value()).toBe(DEFAULTS.vector_weight);
    expect(slider("vector_weight")).toHaveAttribute("aria-valuetext", "0.60");
    await user.keyboard("{Control>}z{/Control}");
    expect(value()).toBe(1);
  });

  it("switches the method for k, says so in place, and takes both back", async () => {
    const { user, workspace } = await open();
    slider("fusion_k").focus();
    await user.keyboard("{ArrowRight}");
    expect(workspace.parameters.current).toMatchObject({ fusion: "rrf", fusion_k: 61 });
    const help = within(screen.getByRole("region", { name: "Help" }));
    expect(help.getByRole("status")).toHaveTextContent("Method switched from calibrated to rrf");
    expect(field("fusion_k")).toHaveAccessibleDescription(/^Method switched from calibrated to rrf/);
    await user.click(help.getByRole("button", { name: "Undo" }));
    expect(workspace.parameters.current).toEqual(DEFAULTS);
  });

  it("refuses two weights of 0 where the second is set", async () => {
    const { user, workspace } = await open();
    for (const id of ["vector_weight", "text_weight"]) {
      await user.clear(field(id));
      await user.type(field(id), "0{Enter}");
    }
    expect(workspace.parameters.current).toMatchObject({
      vector_weight: 0,
      text_weight: DEFAULTS.text_weight,
    });
    expect(field("text_weight")).toHaveAccessibleDescription(/cannot both be 0/);
    expect(field("text_weight")).toHaveValue("0.40");
  });

  it("names the range of a value outside it and keeps the old one", async () => {
    const { user, workspace } = await open();
    await user.clear(field("min_score"));
    await user.type(field("min_score"), "7{Enter}");
    expect(screen.getByRole("region", { name: "Help" })).toHaveTextContent("Min score takes 0 to 1.");
    expect(field("min_score")).toHaveAccessibleDescription(/^Min score takes 0 to 1\./);
    expect(field("min_score")).toHaveAttribute("aria-invalid", "true");
    expect(workspace.parameters.current.min_score).toBe(DEFAULTS.min_score);
    await user.keyboard("{Escape}");
    expect(field("min_score")).toHaveValue("0.10");
    expect(field("min_score")).toHaveAttribute("aria-invalid", "false");
  });

  it("switches a stage off, and its controls stay in their places", async () => {
    const { user, workspace } = await open();
    await user.click(screen.getByRole("switch", { name: "Threshold stage" }));
    expect(workspace.parameters.current.threshold_on).toBe(false);
    expect(screen.getByRole("switch", { name: "Threshold stage" })).not.toBeChecked();
    expect(field("min_score")).toHaveAccessibleDescription(/No effect while Threshold is off\./);
  });
});

describe("states", () => {
  it("says what to do before the first question, and asks an example", async () => {
    const { user, backend } = await open({ startQuery: null });
    expect(screen.getByRole("heading", { name: "Ask your agent's memory" })).toBeInTheDocument();
    await user.click(
      await screen.findByRole("button", { name: "What do my notes say about the push relay?" }),
    );
    await screen.findByRole("grid");
    expect(backend.nCalls("search")).toBe(1);
  });

  it.each([
    ["Threshold", "min_score", 1, /^Apply: Threshold Min score/],
    ["Budget", "budget_tokens", 1, /^Apply: (Budget )?Budget/],
  ] as const)(
    "names %s where it dropped all, and offers what brings rows back",
    async (stage, id, value, name) => {
      const { user, backend, workspace } = await open();
      workspace.parameters.set(id, value);
      await screen.findByRole("heading", { name: "Nothing passed" });
      const card = screen.getByText(/^Threshold$|^Budget$/, { selector: ".card-none b" });
      expect(card).toHaveTextContent(stage);
      const offers = await screen.findAllByRole("button", { name: /^Apply: / });
      expect(offers[0]).toHaveAccessibleName(expect.stringMatching(name));
      const asked = backend.calls.findLast(({ name }) => name === "whyNot")?.args ?? [];
      const best = workspace.search.rowOf(workspace.search.columns?.order[0] ?? -1);
      expect(asked.slice(2)).toEqual([best?.folder, best?.path, best?.start_line, best?.chunk]);
      if (offers[0] !== undefined) await user.click(offers[0]);
      await waitFor(() => expect(workspace.search.columns?.n_kept).toBeGreaterThan(0));
      expect(screen.queryByText("Nothing passed")).toBeNull();
    },
  );

  it("says so where nothing brings rows back, and offers nothing before the engine has reported", async () => {
    const { backend, workspace } = await open();
    const read = backend.whyNot.bind(backend);
    let isAnswered = (): void => undefined;
    const gate = new Promise<void>((done) => (isAnswered = done));
    vi.spyOn(backend, "whyNot").mockImplementation(async (...args) => {
      await gate;
      const answer = await read(...args);
      const { why } = answer;
      if (why.kind !== "searched") return answer;
      const chunks = why.chunks.map((chunk) => ({ ...chunk, fixes: [], pair: null }));
      return { ...answer, why: { ...why, chunks } };
    });
    workspace.parameters.set("min_score", 1);
    await screen.findByRole("heading", { name: "Nothing passed" });
    expect(screen.queryByRole("button", { name: /^Apply/ })).toBeNull();
    isAnswered();
    expect(await screen.findByText(/^No change to one or two settings/)).toBeInTheDocument();
    expect(screen.queryByRole("button", { name: /^Apply/ })).toBeNull();
  });

  it("says that a question of punctuation was ranked by vectors alone", async () => {
    await open({ startQuery: "???" });
    expect(screen.getByText(/has no letters or digits, so BM25 was skipped/)).toBeInTheDocument();
  });

  it("says why a search failed and tries again", async () => {
    const { user, backend, workspace } = await open();
    backend.failing.search = { code: "index", message: "cannot open the text index: permission denied" };
    await workspace.search.searchNow("home");
    expect(await screen.findByRole("alert")).toHaveTextContent(
      "Cannot open the text index: permission denied.",
    );
    backend.failing = {};
    await user.click(screen.getByRole("button", { name: "Try again" }));
    await waitFor(() => expect(screen.queryByRole("alert")).toBeNull());
    expect(workspace.search.answer?.query).toBe("home");
  });

  it("shows how far indexing is, and pauses it", async () => {
    const { user, backend } = await open({
      indexing: {
        n_done: 120,
        n_total: 564,
        share: 0.21,
        file: "people/hanneke.md",
        seconds_left: 40,
      },
    });
    await user.click(screen.getByRole("button", { name: /indexing 120\/564/ }));
    const asked = () => backend.calls.findLast(({ name }) => name === "pauseIndexing")?.args;
    expect(asked()).toEqual([true]);
    await user.click(await screen.findByRole("button", { name: "paused at 120/564" }));
    expect(asked()).toEqual([false]);
  });

  it("distinguishes a failure from a pause, and retries it at once", async () => {
    const { user, backend } = await open();
    backend.changeState({
      phase: { kind: "failed", why: "cannot save documents: the disk is full", n_tries: 5, retry_s: 16 },
    });
    const failed = await screen.findByRole("button", { name: "indexing failed; retrying in 16 s" });
    expect(failed).toHaveAttribute("title", "cannot save documents: the disk is full. Click to retry now.");
    await user.click(failed);
    expect(backend.calls.findLast(({ name }) => name === "pauseIndexing")?.args).toEqual([false]);
    await waitFor(() => expect(screen.queryByRole("button", { name: /indexing failed/ })).toBeNull());
  });

  it("shows how far a folder is scanned, and stops it", async () => {
    const { user, backend } = await open();
    backend.changeState({ scanning: { folder: "notes", folder_name: "memory", n_files: 12_345 } });
    await user.click(await screen.findByRole("button", { name: /scanning memory: 12,345 files/ }));
    expect(backend.calls.findLast(({ name }) => name === "pauseIndexing")?.args).toEqual([true]);
    backend.changeState({ scanning: null });
    await user.click(await screen.findByRole("button", { name: "indexing paused" }));
    expect(backend.calls.findLast(({ name }) => name === "pauseIndexing")?.args).toEqual([false]);
  });

  it("lists the files with problems", async () => {
    // Without a height nothing is in sight of a list that scrolls.
    vi.spyOn(HTMLElement.prototype, "offsetHeight", "get").mockReturnValue(600);
    const { user } = await open({ problems: PROBLEMS });
    await user.click(screen.getByRole("button", { name: /2 files with problems/ }));
    expect(await screen.findByRole("dialog", { name: "Files with problems" })).toHaveTextContent(
      "permission denied",
    );
  });

  it("asks for a folder first where there is none", async () => {
    await open({ hasFolders: false, startQuery: null });
    expect(screen.getByRole("heading", { level: 1 })).toHaveTextContent(
      "Which folders hold your agent's memory?",
    );
    expect(screen.queryByRole("grid")).toBeNull();
  });

  it("exports the parameters without a folder, too", async () => {
    const { user } = await open({ hasFolders: false, startQuery: null });
    await user.click(screen.getByRole("button", { name: "Export" }));
    expect(await screen.findByRole("heading", { level: 1 })).toHaveTextContent("Export");
    expect(await screen.findByLabelText("Text of memlens.json")).toBeInTheDocument();
  });

  it("shows the found text first, folded around its best window, and what did nothing on one line", async () => {
    const { backend, workspace, user } = await open();
    const read = backend.journey.bind(backend);
    const text = Array.from({ length: 40 }, (_, at) => `line ${at + 1}`).join("\n");
    vi.spyOn(backend, "journey").mockImplementation(async (...args) => {
      const journey = await read(...args);
      const row = { ...journey.row, start_line: 1, end_line: 40 };
      return { ...journey, row, text, marks: [], window: [10, 12] as [number, number] };
    });
    workspace.search.open(workspace.search.columns?.order[1] ?? -1);
    const panel = screen.getByRole("region", { name: "Journey of the opened row" });
    await user.click(await within(panel).findByRole("button", { name: "Show 9 lines above" }));
    expect(within(panel).getByText(/line 9/)).toBeInTheDocument();
    expect(within(panel).queryByRole("button", { name: /^Show/ })).toBeNull();
    const heads = within(panel)
      .getAllByRole("heading", { level: 3 })
      .map((head) => head.textContent.trim());
    expect(heads[0]).toMatch(/^Text best window: lines 10–12/);
    const idle = within(panel).getByText(/^\d+ stages did nothing$/);
    expect(idle.closest("details")).not.toHaveAttribute("open");
  });

  it("shows who else says the same, and opens the note where they do", async () => {
    const { user, backend, workspace } = await open();
    const read = backend.journey.bind(backend);
    // Two observations of one line are two supporters.
    const said = (distance: number): Said => ({
      folder: "notes",
      path: "MEMORY.md",
      line: 3,
      end_line: 4,
      text: "Look first at the light.",
      source: "helper",
      distance,
      measure: "simhash",
    });
    vi.spyOn(backend, "journey").mockImplementation(async (...args) => ({
      ...(await read(...args)),
      n_supporters: 12,
      supporters: [said(2), said(2)],
    }));
    workspace.search.open(workspace.search.columns?.order[1] ?? -1);
    const [supporter, ...others] = await screen.findAllByRole("button", {
      name: /^96 % helper MEMORY\.md:3–4 Look first/,
    });
    expect(others).toHaveLength(1);
    const journey = screen.getByRole("region", { name: "Journey of the opened row" });
    expect(within(journey).getByText("and 10 others")).toBeInTheDocument();
    if (supporter !== undefined) await user.click(supporter);
    expect(workspace.view).toBe("memory");
    await waitFor(() =>
      expect(backend.calls.findLast(({ name }) => name === "document")?.args).toEqual(["notes", "MEMORY.md"]),
    );
  });

  it("draws no bar for a stage that took no part", async () => {
    const { backend, workspace } = await open();
    const read = backend.journey.bind(backend);
    vi.spyOn(backend, "journey").mockImplementation(async (...args) => {
      const journey = await read(...args);
      const why = "the question has no letters or digits";
      const steps = journey.steps.map((step) =>
        step.stage === "bm25" ? { ...step, status: { kind: "skipped" as const, why } } : step,
      );
      return { ...journey, steps };
    });
    expect(screen.getByRole("img", { name: /BM25/ })).toBeInTheDocument();
    workspace.search.open(workspace.search.columns?.order[1] ?? -1);
    await waitFor(() => expect(screen.queryByRole("img", { name: /BM25/ })).toBeNull());
    expect(screen.getByRole("img", { name: /Vector.*Fused/ })).toBeInTheDocument();
  });

  it("shows text as text", async () => {
    const { container } = await open();
    expect(container.querySelector("script, iframe, img, [style*='expression']")).toBeNull();
  });
});

// Without layout the menus think their anchor is off the screen and hide themselves.
describe("presets", () => {
  it("chooses one, shows that it was changed since, and saves under a name", async () => {
    const { user, workspace, backend } = await open();
    await user.click(screen.getByRole("button", { name: /^Preset: Default/ }));
    await user.click(await screen.findByText("Short and strict"));
    expect(workspace.parameters.current).toMatchObject({ max_results: 5, min_score: 0.3 });
    workspace.parameters.set("max_results", 6);
    const menu = await screen.findByRole("button", { name: "Preset: Short and strict, changed since" });
    await user.click(menu);
    await user.click(await screen.findByText("Save as…"));
    const name = await screen.findByRole("textbox", { name: "Name" });
    await user.clear(name);
    await user.type(name, "Six at most");
    await user.click(screen.getByRole("button", { name: "Save" }));
    await waitFor(() => expect(backend.nCalls("presetSave")).toBe(1));
    await screen.findByRole("button", { name: "Preset: Six at most" });
  });

  it("says what of an opened file was not understood", async () => {
    const { user, workspace } = await open();
    await user.click(screen.getByRole("button", { name: /^Preset: Default/ }));
    await user.click(await screen.findByText("Open a memlens.json…"));
    await screen.findByText(/is not known to this version and was left out/);
    expect(workspace.parameters.current.fusion_k).toBe(20);
  });
});

describe.each(["light", "dark"] as const)("in the %s theme, axe finds nothing", (theme) => {
  // jsdom resolves no colours; contrast is checked in a browser.
  const rules = { "color-contrast": { enabled: false } };

  it.each<[string, FakeOptions]>([
    ["with an answer", { problems: PROBLEMS }],
    ["before a question", { startQuery: null }],
    ["with nothing but punctuation", { startQuery: "???" }],
    ["while indexing", { indexing: { n_done: 1, n_total: 9, share: 0.11, file: null, seconds_left: null } }],
  ])("%s", async (_, options) => {
    const { container, workspace } = await open(options);
    workspace.theme.choose(theme);
    expect(document.documentElement.dataset.theme).toBe(theme);
    const { violations } = await axe.run(container, { rules });
    expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`)).toEqual(
      [],
    );
  });
});

describe("thumbs", () => {
  const thumb = (word: string) => screen.getByRole("button", { name: `Thumb ${word}` });
  const pressedThumbs = () => {
    const row = openRow();
    if (row === undefined) throw new Error("no row is opened");
    return within(row)
      .queryAllByRole("img", { name: /^thumb / })
      .map((image) => image.getAttribute("aria-label"));
  };

  it("are given by keys, turned, taken back, and ranked by at once", async () => {
    const { backend, user } = await open();
    grid().focus();
    const nRanked = backend.nCalls("rank");
    await user.keyboard("+");
    await waitFor(() => expect(pressedThumbs()).toEqual(["thumb up"]));
    expect(thumb("up")).toHaveAttribute("aria-pressed", "true");
    await waitFor(() => expect(backend.nCalls("rank")).toBe(nRanked + 1));
    await user.keyboard("-");
    await waitFor(() => expect(pressedThumbs()).toEqual(["thumb down"]));
    expect(thumb("up")).toHaveAttribute("aria-pressed", "false");
    await user.click(thumb("down"));
    await waitFor(() => expect(pressedThumbs()).toEqual([]));
    expect(thumb("down")).toHaveAttribute("aria-pressed", "false");
  });

  it("stay with their question", async () => {
    const { workspace, user } = await open();
    grid().focus();
    await user.keyboard("+");
    await waitFor(() => expect(pressedThumbs()).toEqual(["thumb up"]));
    await workspace.search.searchNow("another question about the router");
    await waitFor(() => expect(pressedThumbs()).toEqual([]));
    await workspace.search.searchNow(QUERY);
    await waitFor(() => expect(pressedThumbs()).toEqual(["thumb up"]));
  });

  it("that cannot be given leave the row as it is and say why", async () => {
    const { backend, user } = await open();
    backend.failing.vote = { code: "error", message: "cannot change the library: process 7 writes to it" };
    grid().focus();
    await user.keyboard("+");
    expect(await screen.findByText(/process 7 writes to it/)).toBeInTheDocument();
    expect(pressedThumbs()).toEqual([]);
    expect(backend.nCalls("rank")).toBe(0);
  });
});
