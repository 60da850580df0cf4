// Keys that identify problems, so that each keeps its row when the list is read again.
import type { FileProblem } from "../api/bindings";

/** A problem and what its row is known by. */
export type KeyedProblem = { key: string; problem: FileProblem };

/** Returns each with its key, no two the same: of problems alike in all, those after the first are numbered. */
export function keyed(problems: readonly FileProblem[]): KeyedProblem[] {
  const nSeen = new Map<string, number>();
  return problems.map((problem) => {
    const { folder, path, line, message, severity } = problem;
    const key = JSON.stringify([folder, path, line, message, severity]);
    const n = nSeen.get(key) ?? 0;
    nSeen.set(key, n + 1);
    return { key: n === 0 ? key : `${key} ${n}`, problem };
  });
}
