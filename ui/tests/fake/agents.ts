import type {
  AgentsView,
  AgentView,
  AlwaysFile,
  AlwaysText,
  AlwaysView,
  FolderState,
  LoadedFile,
  UnloadedLines,
} from "../../src/api/bindings";

const NAMES = ["OpenClaw", "Claude Code", "Codex", "Gemini CLI", "Hermes", "Obsidian"];

function loaded(file: Partial<LoadedFile> & Pick<LoadedFile, "agent" | "agent_name" | "path">): LoadedFile {
  return {
    name: file.path.split("/").at(-1) ?? "",
    folder: null,
    note: null,
    unit: "characters",
    used: 0,
    cap: 1,
    cut: "none",
    cuts: true,
    is_by_total: false,
    left_out: 0,
    cut_at_line: null,
    again_at_line: null,
    digest: [],
    blocked: [],
    unloaded: [],
    n_lines: 1,
    entries: null,
    version: "0.169.0",
    source: "0.169.0: seen in the published program",
    ...file,
  };
}

function agent(view: Partial<AgentView> & Pick<AgentView, "id" | "name">, folders: string[]): AgentView {
  return {
    version: null,
    recall: "opens files with its tools",
    loads: "all of it",
    folders: folders.map((path) => ({ path, shown: path.replace("/home/robin", "~"), is_watched: false })),
    n_notes: 12,
    n_unsearched: 0,
    newest_ms: Date.UTC(2026, 10, 21, 9, 18),
    is_partial: false,
    is_watched: false,
    loaded: [],
    missing: [],
    switches: [],
    instructions: [],
    checked_version: "2026.9.6",
    problems: [],
    ...view,
  };
}

/** Lines of which nothing is loaded, as a limit leaves them out. */
export function pastCap(first: number, last: number): UnloadedLines {
  return { first, last, loaded: [], why: "past_cap" };
}

const OPENCLAW = {
  agent: "openclaw",
  agent_name: "OpenClaw",
  version: "2026.9.6",
  source: "2026.9.6: its published package",
};
const CLAUDE = {
  agent: "claude-code",
  agent_name: "Claude Code",
  path: "/home/robin/.claude/projects/-home-robin-server/memory/MEMORY.md",
  n_lines: 412,
  unloaded: [pastCap(201, 412)],
  version: "2.1.332",
  source: "2.1.332: seen in the published program",
};

/** Agents of every kind: one with a middle that is cut, one with an end, one with a problem, one that loads nothing. */
export const AGENTS: AgentView[] = [
  agent(
    {
      id: "openclaw",
      name: "OpenClaw",
      version: "2026.9.6",
      recall: "searches by words and meaning",
      n_notes: 64,
      n_unsearched: 17,
      loaded: [
        loaded({ ...OPENCLAW, path: "/home/robin/.openclaw/workspace/MEMORY.md", used: 17_940, cap: 20_000 }),
        loaded({
          ...OPENCLAW,
          path: "/home/robin/.openclaw/workspace/USER.md",
          used: 4_610,
          cap: 4_000,
          cut: "middle",
          left_out: 720,
          cut_at_line: 70,
          again_at_line: 90,
          unloaded: [pastCap(70, 89)],
          n_lines: 120,
        }),
        loaded({
          ...OPENCLAW,
          path: "/home/robin/.openclaw/workspace",
          name: "In all",
          used: 21_940,
          cap: 60_000,
        }),
      ],
    },
    ["/home/robin/.openclaw/workspace"],
  ),
  agent(
    {
      id: "claude-code",
      name: "Claude Code",
      checked_version: "2.1.332",
      instructions: ["~/.claude/CLAUDE.md", "CLAUDE.md of the folders that its sessions worked in"],
      n_notes: 23,
      loaded: [
        loaded({
          ...CLAUDE,
          unit: "lines",
          used: 412,
          cap: 200,
          cut: "end",
          left_out: 212,
          cut_at_line: 201,
        }),
        loaded({ ...CLAUDE, unit: "characters", used: 19_310, cap: 25_000 }),
      ],
    },
    [
      "/home/robin/.claude/projects/-home-robin-server/memory",
      "/home/robin/.claude/projects/-home-robin-garden/memory",
    ],
  ),
  agent(
    {
      id: "codex",
      name: "Codex",
      recall: "finds exact substrings only",
      checked_version: "0.169.0",
      missing: ["~/.codex/memories/memory_summary.md is missing, so Codex loads nothing of its memories"],
      n_notes: 9,
      loaded: [
        loaded({
          agent: "codex",
          agent_name: "Codex",
          path: "/home/robin/.codex/memories/memory_summary.md",
          unit: "bytes",
          used: 9_270,
          cap: 10_000,
        }),
      ],
    },
    ["/home/robin/.codex/memories"],
  ),
  agent(
    {
      id: "hermes",
      name: "Hermes",
      n_notes: 0,
      newest_ms: null,
      problems: ["~/.hermes/memories is not a folder"],
    },
    [],
  ),
  agent(
    {
      id: "obsidian",
      name: "Obsidian",
      recall: "keeps notes, and is no agent",
      n_notes: 4_318,
      is_partial: true,
    },
    ["/home/robin/Notes/Tidebook"],
  ),
];

/** Agents that are found, with some folders watched. */
export function found(agents: readonly AgentView[], watched: readonly FolderState[]): AgentsView {
  const folderOf = (path: string) =>
    watched.find((folder) => path === folder.path || path.startsWith(`${folder.path}/`));
  return {
    agents: agents.map((agent) => {
      const folders = agent.folders.map((folder) => ({
        ...folder,
        is_watched: folderOf(folder.path) !== undefined,
      }));
      return {
        ...agent,
        folders,
        is_watched: folders.length > 0 && folders.every((folder) => folder.is_watched),
        loaded: agent.loaded.map((file) => {
          const folder = file.name === "In all" ? undefined : folderOf(file.path);
          return {
            ...file,
            folder: folder?.id ?? null,
            note: folder === undefined ? null : file.path.slice(folder.path.length + 1),
          };
        }),
      };
    }),
    not_found: NAMES.filter((name) => agents.every((agent) => agent.name !== name)),
    places: ["~/.openclaw", "~/.claude", "~/.codex", "~/.gemini", "~/.hermes"],
    took_ms: 4.2,
  };
}

function always(file: Partial<AlwaysFile> & Pick<AlwaysFile, "shown">): AlwaysFile {
  return {
    path: file.shown.replace("~", "/home/robin"),
    kind: "instructions",
    project: null,
    by: null,
    folder: null,
    note: null,
    state: "loaded",
    why: null,
    n_lines: 4,
    n_characters: 60,
    cut_at_line: null,
    again_at_line: null,
    unloaded: [],
    ...file,
  };
}

const ALWAYS = [
  always({
    shown: "~/.claude/CLAUDE.md",
    unloaded: [{ first: 1, last: 1, loaded: [], why: "removed" }],
  }),
  always({
    shown: "~/.ssh/notes.md",
    kind: "import",
    by: "~/.claude/CLAUDE.md",
    state: "not_read",
    why: "it is hidden, or in a hidden folder that is not the agent's",
  }),
  always({ shown: "~/server/AGENTS.md", project: "~/server", cut_at_line: 3, unloaded: [pastCap(3, 4)] }),
  always({ shown: "~/server/gone.md", project: "~/server", state: "missing", why: "so nothing is imported" }),
];

/** The files that an agent always loads. */
export function alwaysView(agent: string): AlwaysView {
  return {
    agent,
    agent_name: AGENTS.find((one) => one.id === agent)?.name ?? agent,
    is_watched: true,
    version: "2.1.332",
    files: ALWAYS,
    switches: [],
  };
}

/** The text of one of them: its first line is a comment that is not loaded. */
export function alwaysText(_agent: string, path: string): AlwaysText {
  const file = ALWAYS.find((one) => one.path === path) ?? always({ shown: path });
  return { file, text: "<!-- hidden -->\nUse tabs.\nTest first.\nBe brief.\n" };
}
