import type { ToolServer, ToolServerChange, ToolServerChoice, ToolServerTest } from "../../src/api/bindings";

const CLAUDE = "claude-code";

const server = (given: Partial<ToolServer> & Pick<ToolServer, "agent" | "name" | "path">): ToolServer => ({
  checked_version: "2.1.1",
  key: "mcpServers.memlens",
  reload: "sessions that begin from now on",
  state: { kind: "not_connected" },
  folders: [],
  ...given,
});

/** Agents' configs, of which that of Claude Code can be changed. */
export class ServingMemory {
  servers: ToolServer[] = [
    server({ agent: CLAUDE, name: "Claude Code", path: "~/.claude.json", folders: ["memory"] }),
    server({ agent: "codex", name: "Codex", path: "~/.codex/config.toml" }),
    server({
      agent: "gemini-cli",
      name: "Gemini CLI",
      path: "~/.gemini/settings.json",
      state: { kind: "not_found" },
    }),
    server({
      agent: "openclaw",
      name: "OpenClaw",
      path: "~/.openclaw/openclaw.json",
      state: { kind: "other", command: "/opt/theirs" },
    }),
  ];
  #shown: { change: ToolServerChange; choice: ToolServerChoice | null } | null = null;
  #nAnswers = 0;

  change(agent: string, choice: ToolServerChoice | null): ToolServerChange {
    const { path, state } = this.#of(agent);
    const replaces = state.kind === "connected" ? state.starts : null;
    const starts = choice === null ? null : commandOf(agent, choice);
    const change: ToolServerChange = {
      id: ++this.#nAnswers,
      agent: CLAUDE,
      path,
      diff: starts === replaces ? "" : `@@ -1 +1 @@\n${starts === null ? "-" : "+"}    "memlens": {\n`,
      starts,
      replaces,
      other_keys: [],
      is_new: false,
      watched: null,
    };
    this.#shown = { change: { ...change, agent: agent as typeof CLAUDE }, choice };
    return change;
  }

  write(id: number) {
    const shown = this.#shown;
    if (shown?.change.id !== id) throw new Error("another change was shown");
    const { agent, path, starts } = shown.change;
    const state: ToolServer["state"] =
      starts === null || shown.choice === null
        ? { kind: "not_connected" }
        : { kind: "connected", starts, is_there: true, choice: shown.choice, other_keys: [] };
    this.servers = this.servers.map((server) => (server.agent === agent ? { ...server, state } : server));
    return { path, backup: `${path}.2026-11-27.bak` };
  }

  test(agent: string, query: string): ToolServerTest {
    const { state } = this.#of(agent);
    return {
      starts: state.kind === "connected" ? state.starts : "",
      query,
      tools: ["memory_search", "memory_get"],
      results: [{ path: "home/router.md", start_line: 2, end_line: 4, score: 0.71 }],
      notices: [],
      pipeline: "Memlens",
      start_ms: 120,
      search_ms: 8,
      error: null,
    };
  }

  #of(agent: string): ToolServer {
    const found = this.servers.find((server) => server.agent === agent);
    if (found === undefined) throw new Error(`no agent ${agent}`);
    return found;
  }
}

function commandOf(agent: string, { all_folders, preset }: ToolServerChoice): string {
  const folders = all_folders ? "" : ` --agent ${agent}`;
  return `/opt/memlens serve --mcp${folders}${preset === null ? "" : ` --saved-preset=${preset}`}`;
}
