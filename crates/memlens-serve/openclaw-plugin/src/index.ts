// OpenClaw's memory by Memlens: the tools of `memlens serve`, and the lines of the prompt that name them.

import { isRecord, settingsOf } from "./config.js";
import { Servers } from "./server.js";
import { TOOLS, type Tool } from "./tools.js";

/** What OpenClaw says of the session that a tool is made for. */
interface ToolContext {
  /** The agent of the session, by its id in the config. */
  agentId?: string;
}

/** What this plugin uses of OpenClaw's plugin API, checked with 2026.9.6. */
interface Api {
  pluginConfig?: unknown;
  config?: unknown;
  logger?: { warn?(message: string): void };
  registerMemoryCapability(capability: {
    promptBuilder(params: { availableTools: Set<string>; citationsMode?: string }): string[];
    deterministicRecallToolName: string;
  }): void;
  registerTool(tool: (context: ToolContext) => unknown, options: { names: string[] }): void;
  registerService?(service: { id: string; start(): void; stop(): void }): void;
}

/** OpenClaw 2026.9.6 gives a tool to the plugin that it loads first, and loads memory-core before this one. */
const MEMORY_CORE_BESIDE =
  "memlens: OpenClaw also loads memory-core, because dreaming is on; memory-core's own memory_search and memory_get answer, and not those of Memlens. To let Memlens answer, set plugins.entries.memory-core.config.dreaming.enabled to false, or plugins.entries.memory-core.enabled to false.";

/** Whether OpenClaw loads memory-core beside the plugin in the memory slot: it does while dreaming is on, which is its default. */
function isMemoryCoreBeside(config: unknown): boolean {
  const at = (value: unknown, key: string) => (isRecord(value) ? value[key] : undefined);
  const plugins = at(config, "plugins");
  const denied = at(plugins, "deny");
  const entry = at(at(plugins, "entries"), "memory-core");
  const isOff = at(entry, "enabled") === false || (Array.isArray(denied) && denied.includes("memory-core"));
  return !isOff && at(at(at(entry, "config"), "dreaming"), "enabled") !== false;
}

function promptLines({
  availableTools,
  citationsMode,
}: {
  availableTools: Set<string>;
  citationsMode?: string;
}): string[] {
  if (!availableTools.has("memory_search")) {
    return [];
  }
  const get = availableTools.has("memory_get")
    ? " Read the lines that you need of a result with memory_get."
    : "";
  return [
    "## Memory Recall",
    `Before answering anything about prior work, decisions, dates, people, preferences, or todos: run memory_search.${get} If nothing fits, say that you searched.`,
    citationsMode === "off"
      ? "Do not name paths or line numbers of notes unless the user asks."
      : "Name the source as path#line when it helps the user to check a note.",
    "",
  ];
}

/** Name and description are those of the manifest. */
export default {
  id: "memlens",
  register(api: Api): void {
    const servers = new Servers(settingsOf(api.pluginConfig));
    if (isMemoryCoreBeside(api.config)) {
      api.logger?.warn?.(MEMORY_CORE_BESIDE);
    }
    api.registerMemoryCapability({
      promptBuilder: promptLines,
      deterministicRecallToolName: "memory_search",
    });
    for (const tool of TOOLS) {
      api.registerTool((context) => toolOf(tool, servers, context), { names: [tool.name] });
    }
    // Ends the server together with the gateway.
    api.registerService?.({ id: "memlens", start: () => undefined, stop: () => servers.stop() });
  },
};

/** The tool in the sessions of one agent. */
function toolOf(tool: Tool, servers: Servers, { agentId }: ToolContext): unknown {
  return {
    ...tool,
    async execute(_id: string, args: unknown, signal?: AbortSignal) {
      if (agentId === undefined || agentId === "") {
        throw new Error("OpenClaw did not say which agent asks, so no notes are searched");
      }
      const answer = await servers.of(agentId).call(tool.name, isRecord(args) ? args : {}, signal);
      return { content: [{ type: "text", text: answer }], details: parsed(answer) };
    },
  };
}

function parsed(answer: string): unknown {
  try {
    return JSON.parse(answer);
  } catch {
    return { text: answer };
  }
}
