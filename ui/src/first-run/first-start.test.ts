// The start page once something is watched: agents stay listed, and what is found leads to the place that shows the same figure.
import { render, screen, waitFor, within } from "@testing-library/svelte";
import { afterEach, describe, expect, test } from "vitest";
import { AGENTS } from "../../tests/fake/agents";
import { violations } from "../../tests/axe";
import { DRIFT } from "../../tests/fake/drift";
import { LibraryBackend, type LibraryOptions } from "../../tests/fake/library";
import { layOut } from "../../tests/layout";
import { setupUser } from "../../tests/user";
import type { AgentView, FolderState, FolderTree, LoadedFile } from "../api/bindings";
import App from "../App.svelte";
import { isAtRest } from "../library/at-rest";
import { openDocument } from "../open-document.svelte";
import { Workspace, workspaceContext } from "../workspace.svelte";
import {
  agentFindings,
  contradictionFindings,
  foreignFindings,
  loadFindings,
  pastFindings,
  searchFindings,
} from "./findings";
import { stateOf } from "./first-start.svelte";

layOut();
afterEach(() => void openDocument.take());

async function open(options: LibraryOptions = {}) {
  const backend = new LibraryBackend({
    agents: AGENTS,
    hasFolders: false,
    problems: [],
    activity: [],
    ...options,
  });
  const workspace = new Workspace(backend);
  const user = setupUser();
  const { container } = render(App, { context: workspaceContext(workspace) });
  await waitFor(() => expect(document.documentElement.dataset["ready"]).toBe("true"));
  await screen.findByRole("heading", { level: 1 });
  return { backend, workspace, user, container };
}

const texts = (all: readonly { text: string }[]) => all.map(({ text }) => text);
const agent = (name: string) =>
  screen.getByRole("heading", { name: new RegExp(`^${name} `), level: 3 }).closest("li") as HTMLElement;

describe("findings", () => {
  test("say how many notes are in other languages, if they are many", () => {
    expect(foreignFindings(null)).toEqual([]);
    expect(texts(foreignFindings({ n_foreign: 12, n_seen: 40 }))).toEqual([
      "12 of 40 notes are probably not in English",
    ]);
  });

  const CUT = AGENTS.flatMap(({ loaded }) => loaded).find(({ cut }) => cut === "middle") as LoadedFile;
  const folder = (id: string, name: string): FolderState => ({
    id,
    path: `/home/robin/${id}`,
    name,
    agent: { id: "openclaw", name: "OpenClaw" },
    n_files: 3,
    n_chunks: 9,
    status: "watching",
    why: null,
  });
  const load = (...files: Partial<LoadedFile>[]) =>
    texts(
      loadFindings(
        files.map((file) => ({ ...CUT, folder: "a", note: "MEMORY.md", ...file })),
        [folder("a", "Workspace"), folder("b", "Lab")],
      ),
    );

  test("say how much of a note is not loaded, in the unit of its limit", () => {
    expect(load({ left_out: 1_625 })).toEqual([
      "1,625 characters of MEMORY.md are never loaded by OpenClaw when a session begins",
    ]);
    expect(load({ left_out: 1, unit: "lines" })).toEqual([
      "1 line of MEMORY.md is never loaded by OpenClaw when a session begins",
    ]);
    expect(load({ digest: [[3, 4]] })).toEqual([
      "720 characters of MEMORY.md are given to OpenClaw only as a digest or not at all when a session begins",
    ]);
  });

  test("are one for each note, of the limit that leaves out most", () => {
    expect(load({ left_out: 9, cut_at_line: 70 }, { left_out: 212, unit: "lines", cut_at_line: 12 })).toEqual(
      ["212 lines of MEMORY.md are never loaded by OpenClaw when a session begins"],
    );
    // Two agents that share a workspace load one file.
    expect(load({ agent: "one" }, { agent: "two" })).toHaveLength(1);
  });

  test("name the folder of notes with one name", () => {
    expect(load({}, { folder: "b" })).toEqual([
      "720 characters of MEMORY.md in Workspace are never loaded by OpenClaw when a session begins",
      "720 characters of MEMORY.md in Lab are never loaded by OpenClaw when a session begins",
    ]);
  });

  test("leave out what is not watched, not cut, or no note", () => {
    expect(load({ folder: null, note: null })).toEqual([]);
    expect(load({ cut: "none", cut_at_line: null })).toEqual([]);
    expect(load({ cut: "files", cut_at_line: null })).toEqual([]);
  });

  const reason = { agent: "OpenClaw", cause: "outside_memory", reason: "", advice: "" };
  const entry = (path: string, isSearched: boolean) => ({
    ...{ name: path, path, is_folder: false, n_chunks: 1, state: "indexed" as const, is_evergreen: false },
    ...(isSearched ? {} : { not_searched: reason }),
    children: [],
  });
  const tree = (of: FolderState, ...entries: FolderTree["entries"]): FolderTree => ({
    folder: of,
    is_evergreen: false,
    stamp: "",
    entries,
  });

  test("count the notes of all folders of an agent that its search never finds", () => {
    const inner = { ...entry("memory", true), is_folder: true, children: [entry("memory/a.md", true)] };
    const trees = [
      tree(folder("a", "Workspace"), inner, entry("AGENTS.md", false)),
      tree(folder("b", "Lab"), entry("TOOLS.md", false)),
      tree({ ...folder("c", "Notes"), agent: null }, entry("x.md", false)),
    ];
    expect(texts(searchFindings(trees, []))).toEqual(["2 of 3 notes are never searched by OpenClaw"]);
    expect(texts(searchFindings([tree(folder("a", "W"), entry("A.md", false))], []))).toEqual([
      "1 of 1 note is never searched by OpenClaw",
    ]);
    expect(searchFindings([tree(folder("a", "W"), inner)], [])).toEqual([]);
  });

  test("do not count it as a finding that files of instructions are loaded and not searched", () => {
    const loads = (...notes: string[]): LoadedFile[] => notes.map((note) => ({ ...CUT, folder: "a", note }));
    const own = tree(
      folder("a", "Workspace"),
      ...["AGENTS.md", "SOUL.md", "plan.md"].map((path) => entry(path, path === "none")),
    );
    const said = (...notes: string[]) => texts(searchFindings([own], loads(...notes)));
    expect(said("SOUL.md", "MEMORY.md")).toEqual([
      "3 of 3 notes are never searched by OpenClaw; 1 of them is loaded when a session begins",
    ]);
    expect(said("AGENTS.md", "SOUL.md", "plan.md")).toEqual([]);
    // Another agent's files are not its own.
    const others = loads("AGENTS.md", "SOUL.md", "plan.md").map((file) => ({ ...file, agent: "codex" }));
    expect(texts(searchFindings([own], others))).toEqual(["3 of 3 notes are never searched by OpenClaw"]);
  });

  /** Of 9 searches and 2 openings; 6 of the searches are recent. */
  const past = (n_found_nothing: number, nLate: number, n_undated_nothing: number) =>
    pastFindings({
      ...{ n_found_nothing, n_all: 11, n_openings: 2 },
      lately: { n_days: 30, n_questions: 6, n_found_nothing: nLate, n_undated_nothing },
    });

  test.each([
    [2, 2, 0, "2 of 6 past questions of the last 30 days found nothing"],
    // Older ones are in the list that the finding leads to.
    [5, 2, 0, "2 of 6 past questions of the last 30 days found nothing, 5 of 9 in all"],
    [
      5,
      2,
      1,
      "2 of 6 past questions of the last 30 days found nothing, 5 of 9 in all; 1 of them has no date",
    ],
    [5, 0, 0, "5 of 9 past questions found nothing, none of them in the last 30 days"],
    [5, 0, 2, "5 of 9 past questions found nothing; 2 of them have no date"],
    [5, 0, 5, "5 of 9 past questions found nothing; the logs do not date them"],
  ])("count past questions by their own dates: %i, %i late, %i undated", (n, nLate, nUndated, said) => {
    expect(texts(past(n, nLate, nUndated))).toEqual([said]);
  });

  test("are made of what is known alone: no line without a number", () => {
    expect([...past(0, 0, 0), ...contradictionFindings(0), ...agentFindings(null)]).toEqual([]);
    expect(texts(contradictionFindings(1))).toEqual(["1 contradiction in your notes"]);
    expect(texts(contradictionFindings(2))).toEqual(["2 contradictions in your notes"]);
  });

  test("name what an agent misses once it is watched", () => {
    const view = (isWatched: boolean) => ({
      agents: AGENTS.map((one) => ({
        ...one,
        folders: one.folders.map((of) => ({ ...of, is_watched: isWatched })),
      })),
      not_found: [],
      places: [],
      took_ms: 1,
    });
    expect(agentFindings(view(false))).toEqual([]);
    expect(texts(agentFindings(view(true)))).toEqual([
      "~/.codex/memories/memory_summary.md is missing, so Codex loads nothing of its memories",
    ]);
    // Several are one line; Settings lists them.
    const [first] = view(true).agents;
    const many = {
      ...view(true),
      agents: [{ ...first, missing: ["a is missing", "b is missing"] } as AgentView],
    };
    expect(texts(agentFindings(many))).toEqual([
      `2 files that ${first?.name} loads when a session begins are missing`,
    ]);
  });
});

describe("the page", () => {
  test("watches all agents, keeps them listed with their state, and says what failed of one", async () => {
    const { backend, user, container } = await open();
    await user.click(await screen.findByRole("button", { name: "Watch all" }));
    await waitFor(() => expect(screen.getByRole("button", { name: "All watched" })).toBeDisabled());
    // Hermes has no folder to watch.
    expect(backend.calls.filter(({ name }) => name === "addAgent").map(({ args }) => args[0])).toEqual([
      "openclaw",
      "claude-code",
      "codex",
      "obsidian",
    ]);
    expect(agent("Claude Code")).toHaveTextContent("watching 4 files");
    expect(agent("OpenClaw")).toHaveTextContent("watching 2 files");
    expect(await violations(container)).toEqual([]);
  });

  test("says why one agent could not be added, and adds the others", async () => {
    const { backend, user } = await open();
    const add = backend.addAgent.bind(backend);
    backend.addAgent = (id) =>
      id === "openclaw"
        ? Promise.reject({ code: "error", message: "cannot watch openclaw: permission denied" })
        : add(id);
    await user.click(await screen.findByRole("button", { name: "Watch all" }));
    expect(await within(agent("OpenClaw")).findByRole("alert")).toHaveTextContent("permission denied");
    await waitFor(() => expect(agent("Codex")).toHaveTextContent("watching"));
    expect(await screen.findByRole("button", { name: "Watch all" })).toBeEnabled();
  });

  test("leads from a finding to the note, at the line", async () => {
    const { user, workspace } = await open({
      files: [{ folder: "folder-1", path: "USER.md", text: "A line.\n".repeat(120) }],
    });
    await user.click(await screen.findByRole("button", { name: "Watch: OpenClaw" }));
    await user.click(
      await screen.findByRole("button", {
        name: "720 characters of USER.md are never loaded by OpenClaw when a session begins",
      }),
    );
    expect(workspace.view).toBe("memory");
    await waitFor(() => expect(workspace.memory.target).toEqual({ line: 70 }));
    await waitFor(() =>
      expect(screen.getAllByRole("note")[0]).toHaveTextContent("to line 89: 720 of 4,610 characters"),
    );
    // The way back to the other findings.
    await user.click(screen.getByRole("button", { name: "Search" }));
    expect(await screen.findByRole("heading", { name: "What your agents remember" })).toBeInTheDocument();
  });

  test("leads to the notes that no search finds, of that agent alone", async () => {
    const notSearched = { agent: "OpenClaw", cause: "outside_memory", reason: "No.", advice: "Move it." };
    const { user, workspace } = await open({
      files: [
        { folder: "folder-1", path: "AGENTS.md", not_searched: notSearched },
        { folder: "folder-1", path: "memory/a.md" },
      ],
    });
    await user.click(await screen.findByRole("button", { name: "Watch: OpenClaw" }));
    await user.click(
      await screen.findByRole("button", { name: "1 of 2 notes is never searched by OpenClaw" }),
    );
    expect(workspace.memory.agent).toBe("openclaw");
    expect(await screen.findByRole("checkbox", { name: /^Only the 1 note/ })).toBeChecked();
  });

  test("reads past questions after consent, then says how many found nothing", async () => {
    const { backend, user, workspace } = await open({ past: "unread", state: { n_chunks: 9 } });
    await user.click(await screen.findByRole("button", { name: "Watch: Codex" }));
    const read = await screen.findByRole("button", { name: "Read past questions…" });
    expect(screen.queryByText(/past questions? found nothing/)).toBeNull();
    backend.suggested = [{ question: "why is streaming stuck", agent_name: "Clerk", found_nothing: true }];
    await user.click(read);
    const found = await screen.findByRole("button", {
      name: /past questions of the last 30 days found nothing$/,
    });
    expect(screen.getByRole("heading", { name: "Asked by your agents" })).toBeInTheDocument();
    expect(screen.getByRole("button", { name: /why is streaming stuck.*found nothing/ })).toBeInTheDocument();
    const n = /^\d+/.exec(found.textContent.trim())?.[0];
    await user.click(found);
    expect(workspace.past.filter).toEqual({ text: "", agent: null, only: "found_nothing" });
    expect(
      await screen.findByRole("button", { name: new RegExp(`^Found nothing.${n}$`), pressed: true }),
    ).toBeInTheDocument();
  });

  test("shows sure contradictions once all is indexed, and no line before", async () => {
    const { backend, user, workspace } = await open({
      indexing: { n_done: 1, n_total: 2, share: 0.5, file: null, seconds_left: null },
    });
    await user.click(await screen.findByRole("button", { name: "Watch: Codex" }));
    expect(await screen.findByText("Indexing 1 of 2")).toBeInTheDocument();
    expect(backend.nCalls("drift")).toBe(0);
    backend.changeState({ indexing: null, generation: 7 });
    await user.click(await screen.findByRole("button", { name: "2 contradictions in your notes" }));
    expect(workspace.view).toBe("memory");
    expect(await screen.findByRole("button", { name: "Contradictions 2" })).toBeInTheDocument();
  });

  test("reports nothing only of what was read, and of contradictions only what was compared", async () => {
    const failure = { code: "error", message: "no" };
    const { backend, user } = await open({ agents: [] });
    backend.drifting = { ...DRIFT, contradictions: [] };
    backend.failing.tree = failure;
    backend.failing.driftNow = failure;
    await user.click(await screen.findByRole("button", { name: "Open sample notes" }));
    await screen.findByText(/Memlens watches 1 folder/);
    // Read again after the comparison failed.
    await waitFor(() => expect(backend.nCalls("drift")).toBe(2));
    expect(screen.queryByText(/^Nothing to report/)).toBeNull();
    delete backend.failing.tree;
    backend.changeState({ generation: 8 });
    await waitFor(() => expect(backend.nCalls("drift")).toBe(4));
    expect(await screen.findByText(/^Nothing to report/)).toHaveTextContent(
      /whose rules Memlens knows\. Notes were not compared for contradictions\.$/,
    );
    delete backend.failing.driftNow;
    backend.changeState({ generation: 9 });
    await waitFor(() =>
      expect(screen.getByText(/^Nothing to report/)).toHaveTextContent(
        /whose rules Memlens knows, and no two statements surely contradict each other\.$/,
      ),
    );
  });

  test("does not call agents watched that have no folder of notes", async () => {
    const without = AGENTS.filter(({ id }) => id === "claude-code" || id === "codex").map((one) => ({
      ...one,
      folders: [],
    }));
    await open({ agents: without });
    expect(await screen.findByText("None of them has a folder of notes yet.")).toBeInTheDocument();
    expect(screen.queryByRole("button", { name: /^(All watched|Watch all)$/ })).toBeNull();
  });

  test("asks a suggested question, and does not come back", async () => {
    const { user, workspace } = await open({ state: { n_chunks: 9 } });
    await user.click(await screen.findByRole("button", { name: "Watch: Codex" }));
    await user.click(await screen.findByRole("button", { name: "Who wants to hear what?" }));
    expect(workspace.search.typed).toBe("Who wants to hear what?");
    expect(workspace.queries.queries[0]).toBe("Who wants to hear what?");
    workspace.search.clear();
    await waitFor(() =>
      expect(screen.queryByRole("heading", { name: "What your agents remember" })).toBeNull(),
    );
    workspace.showStart();
    expect(await screen.findByRole("heading", { name: "What your agents remember" })).toBeInTheDocument();
    // The tab chosen again leads to the query box.
    await user.click(screen.getByRole("button", { name: "Search" }));
    expect(await screen.findByRole("heading", { name: "Ask your agent's memory" })).toBeInTheDocument();
  });

  test("opens the sample notes, or says why not", async () => {
    const { backend, user } = await open({ agents: [] });
    expect(await screen.findByText(/No agent was found on this machine/)).toBeInTheDocument();
    backend.failing.openSampleNotes = { code: "system", message: "cannot write the sample notes: no space" };
    await user.click(screen.getByRole("button", { name: "Open sample notes" }));
    expect(await screen.findByText("Cannot write the sample notes: no space.")).toBeInTheDocument();
    delete backend.failing.openSampleNotes;
    await user.click(screen.getByRole("button", { name: "Open sample notes" }));
    expect(await screen.findByText(/Memlens watches 1 folder/)).toBeInTheDocument();
  });

  test("follows a config that changed while another window was in front", async () => {
    const { backend } = await open();
    await screen.findByRole("button", { name: "Watch all" });
    const gone = AGENTS.filter(({ id }) => id !== "openclaw");
    backend.agents = () => Promise.resolve({ agents: gone, not_found: ["OpenClaw"], places: [], took_ms: 1 });
    window.dispatchEvent(new Event("focus"));
    await waitFor(() => expect(screen.queryByRole("heading", { name: /^OpenClaw/ })).toBeNull());
  });

  test("changes nothing while another process writes", async () => {
    await open({ state: { read_only: "memlens index (process 4711) is writing" } });
    expect(await screen.findByRole("button", { name: "Watch all" })).toBeDisabled();
    expect(screen.getByRole("button", { name: "Open sample notes" })).toBeDisabled();
  });
});

describe("the state of a watched agent", () => {
  const AT: AgentView = { ...(AGENTS[1] as AgentView) };
  const library = (...statuses: FolderState["status"][]) => ({
    folders: statuses.map((status, at) => ({
      id: String(at),
      path: AT.folders[at]?.path ?? "",
      name: "",
      agent: null,
      n_files: 2,
      n_chunks: 1,
      status,
      why: null,
    })),
    indexing: null,
    scanning: null,
  });
  test.each([
    [["watching", "polling"], "4 files", true],
    [["watching", "missing"], "1 folder missing", true],
    [["paused", "paused"], "2 folders paused", true],
    [["waiting", "watching"], "1 folder waiting", false],
    [[], null, false],
  ] as const)("%j", (statuses, said, isResting) => {
    const state = library(...statuses) as never;
    expect(stateOf(AT, state)).toBe(said);
    expect(isAtRest(state)).toBe(isResting);
  });
});
