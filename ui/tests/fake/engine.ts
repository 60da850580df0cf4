// What every fake answer needs: the calls, the state of the library, jobs and events.
import type { Backend } from "../../src/api/backend";
import { RunningJobs, type ProgressReport } from "../../src/api/jobs";
import type {
  Activity,
  AgentView,
  ErrorInfo,
  FileProblem,
  JobKind,
  JobProgress,
  LibraryState,
  LostAnswers,
  PipelineInfo,
  Preset,
  RerankSettings,
  RerankTime,
} from "../../src/api/bindings";
import { FOLDERS, makeChunks, type FakeChunk } from "./notes";
import { type PastState } from "./past";
import { type TuneState } from "./tune";

export type FakeOptions = {
  nChunks?: number;
  /** Added to every answer. */
  latencyMs?: number;
  indexing?: LibraryState["indexing"];
  problems?: FileProblem[];
  hasFolders?: boolean;
  startQuery?: string | null;
  presets?: Preset[];
  readOnly?: string | null;
  rerankers?: Partial<RerankSettings>;
  rerankCalls?: RerankTime[];
  /** What is found on the machine; nothing unless given. */
  agents?: AgentView[];
  /** The agents' pipelines that can be chosen. */
  pipelines?: PipelineInfo[];
  /** How much is known of what agents asked; no log unless given. */
  past?: PastState;
  /** How many past questions there are; a few unless given. */
  nPast?: number;
  /** The stored query sets; empty unless set. */
  tune?: TuneState;
};

/** When everything in the fake library happened. */
export const START_MS = Date.UTC(2026, 10, 21, 9, 30);

/** An engine without commands. */
export class FakeEngine {
  readonly calls: { name: keyof Backend; args: unknown[] }[] = [];
  /** Rejects every call of this name until it is cleared. */
  failing: Partial<Record<keyof Backend, ErrorInfo>> = {};
  protected readonly options: FakeOptions;
  protected readonly chunks: FakeChunk[];
  protected holds: (path: string) => boolean = () => true;
  readonly #stateListeners = new Set<(state: LibraryState) => void>();
  readonly #activityListeners = new Set<(activity: Activity) => void>();
  readonly #jobs = new RunningJobs();
  readonly #followed = new Map<JobKind, number>();
  readonly #stops = new Map<JobKind, () => void>();
  readonly #lostListeners = new Set<(lost: LostAnswers | null) => void>();
  protected libraryState: LibraryState;

  constructor(options: FakeOptions = {}) {
    this.options = options;
    this.chunks = makeChunks(options.nChunks ?? 564);
    const problems = options.problems ?? [];
    const hasFolders = options.hasFolders ?? true;
    this.libraryState = {
      folders: hasFolders
        ? FOLDERS.map((folder) => ({
            ...folder,
            n_chunks: this.chunks.filter((chunk) => chunk.folder === folder.id).length,
          }))
        : [],
      n_files: hasFolders ? 10 : 0,
      n_chunks: hasFolders ? this.chunks.length : 0,
      n_problems: problems.length,
      model: "all-MiniLM-L6-v2",
      changing: null,
      change_failed: null,
      generation: 1,
      clustering: null,
      second_opinions: 0,
      phase: { kind: "working" },
      indexing: options.indexing ?? null,
      scanning: null,
      data_dir: "/home/robin/.local/share/memlens",
      data_bytes: 4_812_300,
      notices: [],
      read_only: options.readOnly ?? null,
      version: "0.1.0",
    };
  }

  /** Changes the library and notifies the window, as an event would. */
  changeState(change: Partial<LibraryState>): void {
    this.libraryState = { ...this.libraryState, ...change };
    for (const listener of this.#stateListeners) listener(this.libraryState);
  }

  /** Lets the notes whose path passes be all that the library holds, as if others had gone or those had come. */
  changeNotes(holds: (path: string) => boolean): void {
    this.holds = holds;
    this.changeState({ generation: this.libraryState.generation + 1 });
  }

  happen(activity: Activity): void {
    for (const listener of this.#activityListeners) listener(activity);
  }

  nCalls(name: keyof Backend): number {
    return this.calls.filter((call) => call.name === name).length;
  }

  /** Changes the progress of a job, as an event of the engine would. */
  progress(progress: JobProgress): void {
    this.#jobs.take(progress);
  }

  onProgress<Kind extends JobKind>(job: Kind, report: ProgressReport<Kind>) {
    const end = this.#jobs.follow(job, report);
    this.#followed.set(job, this.nFollowing(job) + 1);
    return () => {
      end();
      this.#followed.set(job, this.nFollowing(job) - 1);
    };
  }

  /** How many follow the progress of a job. */
  nFollowing(job: JobKind): number {
    return this.#followed.get(job) ?? 0;
  }

  stop(job: JobKind) {
    return this.answer("stop", [job], () => this.#stops.get(job)?.());
  }

  /** How often a job was asked to stop. */
  nStops(job: JobKind): number {
    return this.calls.filter(({ name, args }) => name === "stop" && args[0] === job).length;
  }

  /** Settles when the job is asked to stop. */
  protected whenStopped(job: JobKind): Promise<"stopped"> {
    return new Promise((resolve) => this.#stops.set(job, () => resolve("stopped")));
  }

  state() {
    return this.answer("state", [], () => this.libraryState);
  }

  openAgain() {
    return this.answer("openAgain", [], () => this.libraryState);
  }

  onState(listener: (state: LibraryState) => void) {
    this.#stateListeners.add(listener);
    return () => this.#stateListeners.delete(listener);
  }

  onActivity(listener: (activity: Activity) => void) {
    this.#activityListeners.add(listener);
    return () => this.#activityListeners.delete(listener);
  }

  onLost(listener: (lost: LostAnswers | null) => void) {
    this.#lostListeners.add(listener);
    return () => this.#lostListeners.delete(listener);
  }

  /** Has an edit take notes out of answers to past questions. */
  loseAnswers(lost: LostAnswers | null): void {
    for (const listener of this.#lostListeners) listener(lost);
  }

  protected async answer<T>(name: keyof Backend, args: unknown[], make: () => T | Promise<T>): Promise<T> {
    this.calls.push({ name, args });
    const latencyMs = this.options.latencyMs ?? 0;
    if (latencyMs > 0) await new Promise((resolve) => setTimeout(resolve, latencyMs));
    const failure = this.failing[name];
    if (failure !== undefined) throw failure;
    return make();
  }
}
