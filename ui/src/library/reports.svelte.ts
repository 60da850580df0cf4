// What the engine reports about the files: which have problems, and what happened to them.
import type { Backend } from "../api/backend";
import type { Activity, ErrorInfo, FileProblem } from "../api/bindings";
import { Actions, Call } from "../shared/call.svelte";
import { chosenEditor } from "../shared/editor";
import { Paced } from "../shared/paced";
import { inOrder } from "./problem-order";

/** Maximum number of events; older ones are dropped. */
const ACTIVITY_MAX = 500;
/** How often new events are listed: while notes are indexed, hundreds come each second. */
const LIST_MS = 250;

const NO_PROBLEMS: readonly FileProblem[] = [];

/** Problems and events, each read when it is wanted. */
export class Reports {
  readonly #backend: Backend;
  readonly #problems: Call<[], readonly FileProblem[]>;
  readonly #editing = new Actions();
  readonly #reading: Call<[], readonly Activity[]>;
  #activity = $state.raw<readonly Activity[]>([]);
  /** The events that were known when they were last read, newest first. */
  #known: readonly Activity[] = [];
  /** Events that arrived since the request, newest last: the answer may lack them. */
  #came: Activity[] = [];
  readonly #listing = new Paced(LIST_MS, () => this.#list());
  #nFollowers = 0;
  #stop = () => {};

  constructor(backend: Backend) {
    this.#backend = backend;
    this.#problems = new Call(async () => inOrder(await backend.problems()));
    this.#reading = new Call(() => backend.activity());
  }

  /** Errors before notes, then by folder, path and line. */
  get problems(): readonly FileProblem[] {
    return this.#problems.data ?? NO_PROBLEMS;
  }
  /** Why the problems could not be read, or the editor not be opened; a later success clears it. */
  get problemsError(): ErrorInfo | null {
    return this.#editing.error ?? this.#problems.error;
  }
  /** Newest first. */
  get activity(): readonly Activity[] {
    return this.#activity;
  }
  /** Why the events could not be read; a later success clears it. */
  get activityError(): ErrorInfo | null {
    return this.#reading.error;
  }

  /** Reads the problems; the newest answer wins. */
  async readProblems(): Promise<void> {
    if (await this.#problems.run()) this.#editing.dismissError();
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
      // The previous list is shown on return, before it is read again.
      this.#listing.stop();
      this.#list();
    };
  }

  /** The newest answer wins. */
  async #readActivity(): Promise<void> {
    this.#known = merged(this.#came, this.#known);
    this.#came = [];
    if (!(await this.#reading.run())) return;
    // One that is known stays the same object: by that, its row is drawn once.
    const known = new Map(this.#known.map((event) => [keyOf(event), event]));
    this.#known = (this.#reading.data ?? []).map((event) => known.get(keyOf(event)) ?? event);
    this.#list();
  }

  #take(event: Activity): void {
    this.#came.push(event);
    if (this.#came.length > ACTIVITY_MAX) this.#came.shift();
    this.#listing.wish();
  }

  #list(): void {
    this.#activity = merged(this.#came, this.#known);
  }

  /** Opens the note of a problem in the user's editor. */
  async edit(problem: FileProblem): Promise<void> {
    const isOpened = await this.#editing.run(() =>
      this.#backend.openInEditor(problem.folder, problem.path, problem.line, chosenEditor()),
    );
    if (isOpened) this.#problems.dismissError();
  }
}

function keyOf({ at_ms, folder_name, path, what, detail }: Activity): string {
  return JSON.stringify([at_ms, folder_name, path, what, detail]);
}

/** New events, newest last, and known ones, newest first: each event once, newest first. */
function merged(came: readonly Activity[], known: readonly Activity[]): Activity[] {
  const byKey = new Map<string, Activity>();
  for (const event of [...came.toReversed(), ...known]) {
    const key = keyOf(event);
    if (!byKey.has(key)) byKey.set(key, event);
  }
  return [...byKey.values()].sort((a, b) => b.at_ms - a.at_ms).slice(0, ACTIVITY_MAX);
}
