// What the engine reports about the files: which have problems, and what happened to them.
import type { Backend } from "../api/backend";
import type { Activity, ErrorInfo, FileProblem } from "../api/bindings";
import { toErrorInfo } from "../api/errors";
import { chosenEditor } from "../shared/editor";
import { inOrder } from "./problem-order";

/** Events kept; older ones fall off. */
const ACTIVITY_MAX = 500;

/** Problems and events, read when they are wanted. */
export class Reports {
  readonly #backend: Backend;
  #problems = $state.raw<readonly FileProblem[]>([]);
  #activity = $state.raw<readonly Activity[]>([]);
  #error = $state.raw<ErrorInfo | null>(null);
  #reading = 0;
  #n_followers = 0;
  #stop = () => {};

  constructor(backend: Backend) {
    this.#backend = backend;
  }

  /** Errors before notes, then by folder, path and line. */
  get problems(): readonly FileProblem[] {
    return this.#problems;
  }
  /** Newest first. */
  get activity(): readonly Activity[] {
    return this.#activity;
  }
  /** Why the lists could not be read, or the editor not be opened; a later success clears it. */
  get error(): ErrorInfo | null {
    return this.#error;
  }

  /** Reads both lists; the newest answer wins. */
  async read(): Promise<void> {
    const reading = ++this.#reading;
    try {
      const [problems, activity] = await Promise.all([this.#backend.problems(), this.#backend.activity()]);
      if (reading !== this.#reading) return;
      this.#problems = inOrder(problems);
      this.#activity = activity.toSorted((a, b) => b.at_ms - a.at_ms).slice(0, ACTIVITY_MAX);
      this.#error = null;
    } catch (error) {
      if (reading === this.#reading) this.#error = toErrorInfo(error);
    }
  }

  /** Follows the events until the answer is called; a view and a dialog may both follow. */
  follow(): () => void {
    this.#n_followers += 1;
    if (this.#n_followers === 1) {
      this.#stop = this.#backend.onActivity((activity) => {
        this.#activity = [activity, ...this.#activity].slice(0, ACTIVITY_MAX);
      });
    }
    return () => {
      this.#n_followers -= 1;
      if (this.#n_followers === 0) this.#stop();
    };
  }

  /** Opens the note of a problem in the person's editor. */
  async edit(problem: FileProblem): Promise<void> {
    try {
      await this.#backend.openInEditor(problem.folder, problem.path, problem.line, chosenEditor());
      this.#error = null;
    } catch (error) {
      this.#error = toErrorInfo(error);
    }
  }
}
