// What the engine reports about the files: which have problems, and what happened to them.
import type { Backend } from "../api/backend";
import type { Activity, ErrorInfo, FileProblem } from "../api/bindings";
import { toErrorInfo } from "../api/errors";
import { chosenEditor } from "../shared/editor";
import { Paced } from "../shared/paced";
import { inOrder } from "./problem-order";

/** Events kept; older ones fall off. */
const ACTIVITY_MAX = 500;
/** How often new events are listed: while notes are indexed, hundreds come each second. */
const LIST_MS = 250;

/** Problems and events, each read when it is wanted. */
export class Reports {
  readonly #backend: Backend;
  #problems = $state.raw<readonly FileProblem[]>([]);
  #problemsError = $state.raw<ErrorInfo | null>(null);
  #nProblemReads = 0;
  #activity = $state.raw<readonly Activity[]>([]);
  #activityError = $state.raw<ErrorInfo | null>(null);
  #nActivityReads = 0;
  /** The events that were known when they were last read, newest first. */
  #known: readonly Activity[] = [];
  /** Those that came since that was asked, newest last: the answer may lack them. */
  #came: Activity[] = [];
  readonly #listing = new Paced(LIST_MS, () => this.#list());
  #nFollowers = 0;
  #stop = () => {};

  constructor(backend: Backend) {
    this.#backend = backend;
  }

  /** Errors before notes, then by folder, path and line. */
  get problems(): readonly FileProblem[] {
    return this.#problems;
  }
  /** Why the problems could not be read, or the editor not be opened; a later success clears it. */
  get problemsError(): ErrorInfo | null {
    return this.#problemsError;
  }
  /** Newest first. */
  get activity(): readonly Activity[] {
    return this.#activity;
  }
  /** Why the events could not be read; a later success clears it. */
  get activityError(): ErrorInfo | null {
    return this.#activityError;
  }

  /** Reads the problems; the newest answer wins. */
  async readProblems(): Promise<void> {
    const read = ++this.#nProblemReads;
    try {
      const problems = await this.#backend.problems();
      if (read !== this.#nProblemReads) return;
      this.#problems = inOrder(problems);
      this.#problemsError = null;
    } catch (error) {
      if (read === this.#nProblemReads) this.#problemsError = toErrorInfo(error);
    }
  }

  /** Reads the events, and follows them until the answer is called; a view and a dialog may both follow. */
  follow(): () => void {
    this.#nFollowers += 1;
    if (this.#nFollowers === 1) {
      const stops = [
        this.#backend.onActivity((event) => this.#take(event)),
        // Events that name past questions are forgotten with them.
        this.#backend.onLost((lost) => {
          if (lost === null) void this.#readActivity();
        }),
      ];
      this.#stop = () => stops.forEach((stop) => stop());
    }
    void this.#readActivity();
    return () => {
      this.#nFollowers -= 1;
      if (this.#nFollowers > 0) return;
      this.#stop();
      // Whoever comes back sees them before they are read again.
      this.#listing.stop();
      this.#list();
    };
  }

  /** The newest answer wins. */
  async #readActivity(): Promise<void> {
    const read = ++this.#nActivityReads;
    this.#known = merged(this.#came, this.#known);
    this.#came = [];
    try {
      const activity = await this.#backend.activity();
      if (read !== this.#nActivityReads) return;
      // One that is known stays the same object: by that, its row is drawn once.
      const known = new Map(this.#known.map((event) => [keyOf(event), event]));
      this.#known = activity.map((event) => known.get(keyOf(event)) ?? event);
      this.#list();
      this.#activityError = null;
    } catch (error) {
      if (read === this.#nActivityReads) this.#activityError = toErrorInfo(error);
    }
  }

  #take(event: Activity): void {
    this.#came.push(event);
    if (this.#came.length > ACTIVITY_MAX) this.#came.shift();
    this.#listing.wish();
  }

  #list(): void {
    this.#activity = merged(this.#came, this.#known);
  }

  /** Opens the note of a problem in the person's editor. */
  async edit(problem: FileProblem): Promise<void> {
    try {
      await this.#backend.openInEditor(problem.folder, problem.path, problem.line, chosenEditor());
      this.#problemsError = null;
    } catch (error) {
      this.#problemsError = toErrorInfo(error);
    }
  }
}

function keyOf({ at_ms, folder_name, path, what, detail }: Activity): string {
  return JSON.stringify([at_ms, folder_name, path, what, detail]);
}

/** What came, newest last, and what was known, newest first: each event once, newest first. */
function merged(came: readonly Activity[], known: readonly Activity[]): Activity[] {
  const byKey = new Map<string, Activity>();
  for (const event of [...came.toReversed(), ...known]) {
    const key = keyOf(event);
    if (!byKey.has(key)) byKey.set(key, event);
  }
  return [...byKey.values()].sort((a, b) => b.at_ms - a.at_ms).slice(0, ACTIVITY_MAX);
}
