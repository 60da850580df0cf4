// The sessions in which an agent asked something.
import type { PastRow } from "../api/bindings";

/** One session. */
export type Session = {
  session: string;
  agentName: string;
  /** When it was last asked something in it; null where the log does not say. */
  atMs: number | null;
};

/** More would not be looked through in a menu. */
const SESSIONS_MAX = 100;

/** Returns the sessions of an agent, or of all, in the order of the rows: the newest first. */
export function sessionsOf(rows: readonly PastRow[], agent: string | null): Session[] {
  const sessions = new Map<string, Session>();
  for (const row of rows) {
    if (sessions.size === SESSIONS_MAX) break;
    if (row.session === "" || sessions.has(row.session) || (agent !== null && row.agent !== agent)) continue;
    sessions.set(row.session, { session: row.session, agentName: row.agent_name, atMs: row.at_ms });
  }
  return [...sessions.values()];
}
