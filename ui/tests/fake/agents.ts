import type { AgentsView, AgentView, FolderState, LoadedFile } from "../../src/api/bindings";

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
    cut_at_line: null,
    n_lines: 1,
    entries: null,
    is_reported: false,
    is_estimate: false,
    source: "its published source",
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
    problems: [],
    ...view,
  };
}

const OPENCLAW = { agent: "openclaw", agent_name: "OpenClaw", source: "2026.9.6: its published package" };
const CLAUDE = {
  agent: "claude-code",
  agent_name: "Claude Code",
  path: "/home/robin/.claude/projects/-home-robin-server/memory/MEMORY.md",
  is_reported: true,
  n_lines: 412,
  source: "reports of its users",
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
      n_notes: 23,
      loaded: [
        loaded({ ...CLAUDE, unit: "lines", used: 412, cap: 200, cut: "end", cut_at_line: 201 }),
        loaded({ ...CLAUDE, unit: "bytes", used: 19_310, cap: 25_000 }),
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
      n_notes: 9,
      loaded: [
        loaded({
          agent: "codex",
          agent_name: "Codex",
          path: "/home/robin/.codex/memories/memory_summary.md",
          unit: "tokens",
          used: 1_870,
          cap: 2_500,
          is_estimate: true,
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

/** What is found where some folders are watched. */
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
