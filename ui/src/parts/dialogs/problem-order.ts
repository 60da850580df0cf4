// The order of problems on screen.
import type { FileProblem } from "../../api/bindings";

/** Returns errors before notes, then by folder, path and line; a problem of the whole file before those of its lines. */
export function inOrder(problems: readonly FileProblem[]): FileProblem[] {
  return [...problems].sort(
    (a, b) =>
      weight(a) - weight(b) ||
      compare(a.folder_name, b.folder_name) ||
      compare(a.folder, b.folder) ||
      compare(a.path, b.path) ||
      (a.line ?? 0) - (b.line ?? 0) ||
      compare(a.message, b.message),
  );
}

function weight(problem: FileProblem): number {
  return problem.severity === "error" ? 0 : 1;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
