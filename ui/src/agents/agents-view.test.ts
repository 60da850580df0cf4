// Agents as the user sees them: offered at first start, listed in Settings, marked in Search and Memory, and the line from
// which on an agent does not see a note.
import { render, screen, waitFor, within } from "@testing-library/svelte";
import { afterEach, describe, expect, test } from "vitest";
import { AGENTS, pastCap } from "../../tests/fake/agents";
import { violations } from "../../tests/axe";
import { LibraryBackend, type LibraryOptions } from "../../tests/fake/library";
import { layOut } from "../../tests/layout";
import { setupUser } from "../../tests/user";
import type { AgentView, FolderState, LoadedFile } from "../api/bindings";
import App from "../App.svelte";
import { openDocument } from "../open-document.svelte";
import type { ViewId } from "../session.svelte";
import { Workspace, workspaceContext } from "../workspace.svelte";

layOut();
afterEach(() => void openDocument.take());

const CLAUDE = AGENTS.find((agent) => agent.id === "claude-code");
const MEMORY = CLAUDE?.folders[0]?.path ?? "";

/** Folders of agents, and one that belongs to no agent. */
const FOLDERS: FolderState[] = [
  {
    id: "claude",
    path: MEMORY,
    name: "server",
    agent: { id: "claude-code", name: "Claude Code" },
    n_files: 1,
    n_chunks: 0,
    status: "watching",
    why: null,
  },
  {
    id: "notes",
    path: "/home/robin/notes",
    name: "notes",
    agent: null,
    n_files: 1,
    n_chunks: 0,
    status: "watching",
    why: null,
  },
];
const LINES = Array.from({ length: 412 }, (_, at) => `Fact ${at + 1} about the server.`);
const FILES = [
  { folder: "claude", path: "MEMORY.md", text: LINES.join("\n\n").slice(0, -1) },
  { folder: "notes", path: "plain.md", text: "# Plain\n\nNothing is cut here.\n" },
];

async function open(view: ViewId, options: LibraryOptions = {}) {
  const backend = new LibraryBackend({ agents: AGENTS, problems: [], activity: [], ...options });
  const workspace = new Workspace(backend);
  workspace.show(view);
  const user = setupUser();
  const { container } = render(App, { context: workspaceContext(workspace) });
  await waitFor(() => expect(document.documentElement.dataset["ready"]).toBe("true"));
  return { backend, workspace, user, container };
}

const card = () => screen.getByRole("region", { name: "Agents on this machine" });
const agent = (name: string) =>
  within(card())
    .getByRole("heading", { name: new RegExp(`^${name}`) })
    .closest<HTMLElement>("li.agent") as HTMLElement;

describe("what an agent never searches", () => {
  const not_searched = {
    agent: "OpenClaw",
    cause: "outside_memory",
    reason: "Of its workspace OpenClaw indexes only memory/.",
    advice: "Move the note below memory/.",
  };

  test("is counted in the agent's card", async () => {
    await open("settings");
    await waitFor(() =>
      expect(agent("OpenClaw")).toHaveTextContent("17 of 64 notes are never searched by OpenClaw"),
    );
    expect(agent("Codex")).not.toHaveTextContent("never searched");
  });

  test("is counted on the first page by the card until the agent is watched, then by a finding alone", async () => {
    const files = [
      { folder: "folder-1", path: "AGENTS.md", not_searched },
      { folder: "folder-1", path: "memory/a.md" },
    ];
    const { user } = await open("search", { hasFolders: false, files });
    const heading = await screen.findByRole("heading", { name: /^OpenClaw/, level: 3 });
    const said = heading.closest("li");
    expect(said).toHaveTextContent("17 of 64 notes are never searched by OpenClaw");
    await user.click(screen.getByRole("button", { name: "Watch: OpenClaw" }));
    await screen.findByRole("button", { name: "1 of 2 notes is never searched by OpenClaw" });
    await waitFor(() => expect(said).not.toHaveTextContent("never searched"));
  });

  test("is marked in the tree, shown alone on demand, and explained beside the note", async () => {
    const files = [{ folder: "claude", path: "AGENTS.md", text: "# Rules\n", not_searched }, ...FILES];
    const { user, container } = await open("memory", { folders: FOLDERS, files });
    const row = await screen.findByRole("treeitem", { name: /^AGENTS\.md, .*never searched by OpenClaw$/ });
    expect(row).toHaveClass("unsearched");
    expect(row.title).toContain("Of its workspace OpenClaw indexes only memory/.");
    await user.click(
      screen.getByRole("checkbox", { name: "Only the 1 note that no search of the agent finds" }),
    );
    expect(screen.queryByRole("treeitem", { name: /^MEMORY\.md/ })).toBeNull();
    expect(await violations(container)).toEqual([]);
    await user.click(screen.getByRole("treeitem", { name: /^AGENTS\.md/ }));
    await screen.findByText("Never searched by OpenClaw");
    await user.click(screen.getByRole("checkbox", { name: /^Only the 1 note/ }));
    await screen.findByRole("treeitem", { name: /^MEMORY\.md/ });
  });

  test("has no filter where the agent searches every note", async () => {
    await open("memory", { folders: FOLDERS, files: FILES });
    await screen.findByRole("treeitem", { name: /^MEMORY\.md/ });
    expect(screen.queryByRole("checkbox", { name: /^Only the/ })).toBeNull();
  });
});

describe("first start", () => {
  test("offers what was found, and watches nothing unasked", async () => {
    const { backend, user } = await open("search", { hasFolders: false });
    await screen.findByRole("heading", { name: "Found on this machine" });
    expect(backend.nCalls("addAgent")).toBe(0);
    await user.click(screen.getByRole("button", { name: "Watch: Codex" }));
    expect(backend.calls.find((call) => call.name === "addAgent")?.args).toEqual(["codex"]);
    // It stays listed, with what became of it.
    const codex = screen.getByRole("heading", { name: /^Codex/ }).closest("li");
    await waitFor(() => expect(codex).toHaveTextContent(/watching 2 files/));
    expect(screen.getByRole("button", { name: "Watch: OpenClaw" })).toBeEnabled();
  });

  test("says nothing of agents where there are none", async () => {
    const { backend } = await open("search", { hasFolders: false, agents: [] });
    await screen.findByRole("heading", { name: "Which folders hold your agent's memory?" });
    await waitFor(() => expect(backend.nCalls("agents")).toBe(1));
    expect(screen.queryByRole("heading", { name: "Found on this machine" })).toBeNull();
  });
});

describe("Settings", () => {
  test("lists each agent with folders, notes, caps and problems", async () => {
    const { container } = await open("settings");
    await screen.findByRole("heading", { name: "OpenClaw 2026.9.6" });
    for (const [name, words] of [
      ["OpenClaw", ["~/.openclaw/workspace", "64 notes", "720 cut", "17,940"]],
      ["Claude Code", ["version unknown", "212 cut", "Checked with Claude Code 2.1.332."]],
      ["Codex", ["9.3", "memory_summary.md is missing", "Finds exact substrings only"]],
      ["Hermes", ["~/.hermes/memories is not a folder"]],
      ["Obsidian", ["at least 4,318 notes"]],
    ] as const)
      for (const word of words) expect(agent(name)).toHaveTextContent(word);
    expect(within(agent("Hermes")).queryByRole("button")).toBeNull();
    expect(card()).toHaveTextContent("Not found: Gemini CLI.");
    expect(await violations(container)).toEqual([]);
  });

  test("watches an agent at a click, and says so", async () => {
    const { user } = await open("settings");
    await user.click(await screen.findByRole("button", { name: "Watch: Claude Code" }));
    await waitFor(() => expect(agent("Claude Code")).toHaveTextContent("watching"));
    expect(screen.getByRole("button", { name: "Remove Claude Code 1" })).toBeInTheDocument();
  });

  test("offers the rest of an agent of which a part is watched", async () => {
    await open("settings", { folders: FOLDERS });
    expect(await screen.findByRole("button", { name: "Watch the rest: Claude Code" })).toBeEnabled();
  });

  test("names the instruction files before an agent is watched, then lists and opens them", async () => {
    const { backend, user, container } = await open("settings");
    await screen.findByRole("heading", { name: "OpenClaw 2026.9.6" });
    expect(agent("Claude Code")).toHaveTextContent("Once watched, its instruction files are read too");
    expect(agent("Claude Code")).toHaveTextContent("~/.claude/CLAUDE.md");
    expect(within(agent("Codex")).queryByText(/instruction files/)).toBeNull();
    await user.click(await screen.findByRole("button", { name: "Watch: Claude Code" }));
    expect(backend.nCalls("alwaysLoaded")).toBe(0);
    await user.click(await screen.findByRole("button", { name: "Always loaded: Claude Code" }));
    const dialog = await screen.findByRole("dialog", { name: "Always loaded by Claude Code" });
    for (const said of [
      "In every session",
      "In sessions in ~/server",
      "line 1 is not loaded, 60 characters",
      "lines 3 to 4 are not loaded",
      "imported by ~/.claude/CLAUDE.md",
      "It is hidden, or in a hidden folder that is not the agent's",
      "So nothing is imported",
      "Checked with Claude Code 2.1.332.",
    ])
      expect(dialog).toHaveTextContent(said);
    expect(within(dialog).queryByRole("button", { name: "~/.ssh/notes.md" })).toBeNull();
    expect(await violations(container)).toEqual([]);
    await user.click(within(dialog).getByRole("button", { name: "~/.claude/CLAUDE.md" }));
    const text = await screen.findByRole("region", { name: "Text of ~/.claude/CLAUDE.md" });
    const unseen = within(text)
      .getAllByRole("listitem")
      .filter((line) => line.classList.contains("unseen"));
    expect(unseen.map((line) => line.textContent)).toEqual(["<!-- hidden -->"]);
    await user.click(screen.getByRole("button", { name: "Back to the list" }));
    expect(await screen.findByRole("button", { name: "~/.claude/CLAUDE.md" })).toBeInTheDocument();
  });

  test("says why an agent could not be added", async () => {
    const { backend, user } = await open("settings");
    backend.failing.addAgent = { code: "error", message: "cannot watch codex: permission denied" };
    await user.click(await screen.findByRole("button", { name: "Watch: Codex" }));
    expect(await within(agent("Codex")).findByRole("alert")).toHaveTextContent("permission denied");
  });

  test("changes nothing while another process writes", async () => {
    await open("settings", { state: { read_only: "memlens index (process 4711) is writing" } });
    expect(await screen.findByRole("button", { name: "Watch: Codex" })).toBeDisabled();
  });

  test("says why nothing could be looked for", async () => {
    const { backend, user } = await open("settings");
    backend.failing.agents = { code: "error", message: "cannot look for agents: no home" };
    await user.click(await within(card()).findByRole("button", { name: "Look again" }));
    expect(await within(card()).findByText(/no home/)).toBeInTheDocument();
  });
});

describe("Memory", () => {
  const item = (name: RegExp) => screen.findByRole("treeitem", { name });

  test("marks folders by agent and notes that are cut, and sums up", async () => {
    const { container } = await open("memory", { folders: FOLDERS, files: FILES });
    await item(/^server, memory of Claude Code, /);
    await item(/^MEMORY\.md, .*212 lines not loaded/);
    await item(/^plain\.md, \d+ chunks?$/);
    const card = screen.getByRole("region", { name: "Loaded when a session begins" });
    expect(card).toHaveTextContent("412 / 200 lines");
    expect(card).toHaveTextContent("19,310 / 25,000 characters");
    // OpenClaw is not watched here.
    expect(card).not.toHaveTextContent("OpenClaw");
    expect(screen.getByText(/1 file cut when a session begins/)).toBeInTheDocument();
    expect(await violations(container)).toEqual([]);
  });

  /** Claude Code with a cap that a short note is longer than. */
  const SHORT = AGENTS.map((one) => ({
    ...one,
    loaded: one.loaded.map((file) =>
      file.cut_at_line === null
        ? file
        : {
            ...file,
            used: 13,
            cap: 6,
            left_out: 7,
            cut_at_line: 7,
            n_lines: 13,
            unloaded: [pastCap(7, 13)],
          },
    ),
  }));
  const SAID = "Not loaded by Claude Code from here on: 7 of 13 lines";

  test.each([
    ["between two parts", "# One\n\nFirst.\n\nSecond.\n\n## Two\n\nThird.\n\nFourth.\n\nFifth.\n"],
    ["within a list", Array.from({ length: 13 }, (_, at) => `- fact ${at + 1}\n`).join("")],
  ])("draws the line in the note, as Markdown and as text, %s", async (_, text) => {
    const { user, workspace } = await open("memory", {
      agents: SHORT,
      folders: FOLDERS,
      files: [{ folder: "claude", path: "MEMORY.md", text }],
    });
    openDocument.ask("claude", "MEMORY.md", 1);
    workspace.show("memory");
    const line = await screen.findByRole("note");
    expect(line).toHaveTextContent(SAID);
    expect(line).toHaveTextContent("Checked with 2.1.332");
    await user.click(screen.getByRole("button", { name: "Source" }));
    await waitFor(() => expect(document.querySelector(".line")).not.toBeNull());
    expect(screen.getByRole("note")).toHaveTextContent(SAID);
    const unseen = (line: number) =>
      document.querySelector(`.line[data-line="${line}"]`)?.classList.contains("unseen");
    expect([unseen(6), unseen(7)]).toEqual([false, true]);
    await user.keyboard("l");
    await waitFor(() => expect(document.querySelector('.line.target[data-line="7"]')).not.toBeNull());
  });

  test.each([
    ["lines of one paragraph", Array.from({ length: 120 }, () => "Robin.\n").join("")],
    ["paragraphs", Array.from({ length: 60 }, () => "Robin.\n\n").join("")],
  ])("draws both lines of a middle that is cut, in %s", async (_, text) => {
    const [first] = FOLDERS;
    const openclaw = AGENTS.find((one) => one.id === "openclaw") as AgentView;
    const folder = { ...first, path: openclaw.folders[0]?.path } as FolderState;
    const short = AGENTS.map((one) => ({
      ...one,
      loaded: one.loaded.map((file) =>
        file.again_at_line === null
          ? file
          : { ...file, cut_at_line: 3, again_at_line: 7, unloaded: [pastCap(3, 6)] },
      ),
    }));
    const { user, workspace } = await open("memory", {
      agents: short,
      folders: [folder],
      files: [{ folder: "claude", path: "USER.md", text }],
    });
    openDocument.ask("claude", "USER.md", 1);
    workspace.show("memory");
    const said = async () => {
      await waitFor(() => expect(screen.getAllByRole("note")).toHaveLength(2));
      return screen.getAllByRole("note").map((line) => line.textContent);
    };
    const expected = [
      expect.stringContaining("Not loaded by OpenClaw from here to line 6: 720 of 4,610 characters"),
      expect.stringContaining("Loaded again by OpenClaw from here on"),
    ];
    expect(await said()).toEqual(expected);
    await user.click(screen.getByRole("button", { name: "Source" }));
    await waitFor(() => expect(document.querySelector(".line")).not.toBeNull());
    expect(await said()).toEqual(expected);
    const unseen = [2, 3, 6, 7].map((line) =>
      document.querySelector(`.line[data-line="${line}"]`)?.classList.contains("unseen"),
    );
    expect(unseen).toEqual([false, true, true, false]);
  });

  test.each([
    ["lines of one paragraph", "One.\n§\nTwo.\n§\nThree\nhas more.\n§\nFour.\n"],
    ["paragraphs", "One.\n\nTwo.\n\nThree\nhas more.\n\nFour.\n"],
  ])("marks entries that are blocked, in %s", async (_, text) => {
    const blocking = AGENTS.map((one) => ({
      ...one,
      loaded: one.loaded.map((file): LoadedFile => {
        const whole = { ...file, cut: "none" as const, cut_at_line: null, again_at_line: null };
        return {
          ...whole,
          blocked: [
            [3, 3, "prompt_injection"],
            [5, 6, "hidden_div, read_secrets"],
          ],
        };
      }),
    }));
    const { user, workspace, container } = await open("memory", {
      agents: blocking,
      folders: FOLDERS,
      files: [{ folder: "claude", path: "MEMORY.md", text }],
    });
    openDocument.ask("claude", "MEMORY.md", 1);
    workspace.show("memory");
    const said = async () => {
      await waitFor(() => expect(screen.getAllByRole("note")).toHaveLength(2));
      return screen.getAllByRole("note").map((line) => line.textContent);
    };
    const expected = [
      expect.stringContaining("Blocked by Claude Code: it does not load line 3"),
      expect.stringContaining("Blocked by Claude Code: it does not load lines 5 to 6"),
    ];
    expect(await said()).toEqual(expected);
    await user.click(screen.getByRole("button", { name: "Source" }));
    await waitFor(() => expect(document.querySelector(".line")).not.toBeNull());
    expect(await said()).toEqual(expected);
    expect(screen.getAllByRole("note")[1]).toHaveTextContent("hidden_div, read_secrets");
    const unseen = [2, 3, 4, 5, 6, 7].filter((line) =>
      document.querySelector(`.line[data-line="${line}"]`)?.classList.contains("unseen"),
    );
    expect(unseen).toEqual([3, 5, 6]);
    expect(await violations(container)).toEqual([]);
  });

  test("marks what the agent removes before it loads the note", async () => {
    const removing = AGENTS.map((one) => ({
      ...one,
      loaded: one.loaded.map((file): LoadedFile => ({
        ...file,
        cut: "none",
        cut_at_line: null,
        again_at_line: null,
        unloaded: [
          { ...pastCap(1, 3), why: "removed" },
          { ...pastCap(6, 6), why: "removed" },
        ],
      })),
    }));
    const text = "---\nname: x\n---\nOne.\n\n<!-- two -->\n\nThree.\n";
    const { user, workspace, container } = await open("memory", {
      agents: removing,
      folders: FOLDERS,
      files: [{ folder: "claude", path: "MEMORY.md", text }],
    });
    openDocument.ask("claude", "MEMORY.md", 1);
    workspace.show("memory");
    const said = async () => {
      await waitFor(() => expect(screen.getAllByRole("note")).toHaveLength(2));
      return screen.getAllByRole("note").map((line) => line.textContent);
    };
    const expected = [
      expect.stringContaining("Removed by Claude Code: it does not load lines 1 to 3"),
      expect.stringContaining("Removed by Claude Code: it does not load line 6"),
    ];
    expect(await said()).toEqual(expected);
    await user.click(screen.getByRole("button", { name: "Source" }));
    await waitFor(() => expect(document.querySelector(".line")).not.toBeNull());
    expect(await said()).toEqual(expected);
    const unseen = [1, 3, 4, 6, 8].filter((line) =>
      document.querySelector(`.line[data-line="${line}"]`)?.classList.contains("unseen"),
    );
    expect(unseen).toEqual([1, 3, 6]);
    expect(await violations(container)).toEqual([]);
  });

  test("draws no line in a note that is loaded whole", async () => {
    const { workspace } = await open("memory", { folders: FOLDERS, files: FILES });
    openDocument.ask("notes", "plain.md", 1);
    workspace.show("memory");
    await screen.findByRole("region", { name: "Text of plain.md" });
    expect(screen.queryByRole("note")).toBeNull();
  });
});

describe("Search", () => {
  test("marks the rows of an agent's folders", async () => {
    const folders = FOLDERS.map((folder) => ({ ...folder, id: folder.id === "claude" ? "notes" : "agents" }));
    await open("search", { folders, files: [], startQuery: "internet at home" });
    await waitFor(() => expect(screen.getAllByTitle("Memory of Claude Code").length).toBeGreaterThan(0));
    const [row] = screen
      .getAllByRole("row")
      .filter((one) => within(one).queryByTitle("Memory of Claude Code"));
    expect(row).toHaveTextContent("Claude Code");
  });
});
