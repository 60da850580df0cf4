// Whose memory the watched folders are.
import type { AgentName, FolderState } from "../api/bindings";

/** Returns the agents of some folders, each once, in the order of the folders. */
export function agentsOf(folders: readonly FolderState[]): AgentName[] {
  const agents = folders.flatMap(({ agent }) => (agent === null ? [] : [agent]));
  return [...new Map(agents.map((agent) => [agent.id, agent])).values()];
}

/** Returns the agent's name of a folder, unless the folder's own name begins with it. */
export function markOf(folder: FolderState): string | null {
  const { agent, name } = folder;
  return agent === null || name.startsWith(agent.name) ? null : agent.name;
}
