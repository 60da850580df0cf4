// The order and the number of problems on screen.
import type { FileProblem } from "../api/bindings";
import { counted } from "../shared/format";

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

/** Returns how many there are, "1 error, 2 notes"; a kind that is missing is not named, and none at all is "". */
export function numbers(problems: readonly FileProblem[]): string {
  const n_errors = problems.filter((problem) => problem.severity === "error").length;
  const n_notes = problems.length - n_errors;
  return [n_errors > 0 ? counted(n_errors, "error") : "", n_notes > 0 ? counted(n_notes, "note") : ""]
    .filter((words) => words !== "")
    .join(", ");
}

function weight(problem: FileProblem): number {
  return problem.severity === "error" ? 0 : 1;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
