/** OpenClaw's transcripts, as its sessions write them: what it asked its memory and what it was given. */

/**
 * One session's log. Each search is `{at, query, results, opens}`: results as `[path, startLine, endLine, score]`, `opens` the
 * path that the agent read two seconds later. `set` is what each call sets; an empty one leaves all to the agent's config.
 */
export function transcript(session, searches, set = { maxResults: 6, minScore: 0.35 }) {
  const lines = [{ type: "session", id: session, timestamp: searches[0].at }];
  const message = (at, message) => lines.push({ type: "message", timestamp: at, message });
  const call = (at, id, name, args) =>
    message(at, { role: "assistant", content: [{ type: "toolCall", id, name, arguments: args }] });
  const answer = (at, id, name, details) =>
    message(at, { role: "toolResult", toolCallId: id, toolName: name, content: [], details });
  for (const [n, { at, query, results, opens }] of searches.entries()) {
    call(at, `search-${n}`, "memory_search", { query, ...set });
    const found = results.map(([path, startLine, endLine, score]) => ({ path, startLine, endLine, score }));
    answer(at, `search-${n}`, "memory_search", { results: found });
    if (opens === undefined) continue;
    const later = new Date(Date.parse(at) + 2000).toISOString();
    call(later, `get-${n}`, "memory_get", { path: opens, from: 1, lines: 30 });
    answer(later, `get-${n}`, "memory_get", { path: opens });
  }
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}

/** A moment so many hours ago. */
export function hoursAgo(hours) {
  return new Date(Date.now() - hours * 3_600_000).toISOString();
}

/** Where a session's log is in a home. */
export function logOf(session) {
  return `.openclaw/agents/main/sessions/${session}.jsonl`;
}
