// What tells one problem from another, so that its row stays its own when the list is read again.
import type { FileProblem } from "../api/bindings";

/** Returns the key of each, no two the same: of problems alike in all, those after the first are numbered. */
export function keysOf(problems: readonly FileProblem[]): string[] {
  const nSeen = new Map<string, number>();
  return problems.map(({ folder, path, line, message, severity }) => {
    const key = JSON.stringify([folder, path, line, message, severity]);
    const n = nSeen.get(key) ?? 0;
    nSeen.set(key, n + 1);
    return n === 0 ? key : `${key} ${n}`;
  });
}
