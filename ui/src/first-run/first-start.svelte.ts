// The page of the first start: what was found in the notes so far, and questions to begin with.
import type { Backend } from "../api/backend";
import type {
  AgentView,
  DriftAnswer,
  ErrorInfo,
  FolderTree,
  LibraryState,
  LoadedFile,
  Params,
  PastQuestions,
  SuggestedQuestion,
} from "../api/bindings";
import { Agents } from "../agents/agents.svelte";
import type { Contradictions } from "../drift/contradictions.svelte";
import { isWalked } from "../library/at-rest";
import { Actions, Call } from "../shared/call.svelte";
import { counted } from "../shared/format";
import {
  agentFindings,
  contradictionFindings,
  loadFindings,
  pastFindings,
  searchFindings,
  type Finding,
} from "./findings";

/** Up to so many observations are compared unasked; more take minutes. */
const COMPARED_MAX = 20_000;

/** What became of a watched agent's folders: "23 files", "1 folder missing". */
export function stateOf({ folders }: AgentView, library: LibraryState): string | null {
  const paths = new Set(folders.map(({ path }) => path));
  const own = library.folders.filter(({ path }) => paths.has(path));
  for (const status of ["missing", "paused", "waiting"] as const) {
    const n = own.filter((folder) => folder.status === status).length;
    if (n > 0) return `${counted(n, "folder")} ${status}`;
  }
  // Its folders may be parts of another watched one.
  if (own.length === 0) return null;
  return counted(
    own.reduce((n, folder) => n + folder.n_files, 0),
    "file",
  );
}

/** What the page shows besides the library. */
export class FirstStart {
  readonly agents: Agents;
  readonly #backend: Backend;
  readonly #contradictions: Contradictions;
  readonly #sample = new Actions();
  readonly #loaded: Call<[], readonly LoadedFile[]>;
  readonly #trees: Call<[], readonly FolderTree[]>;
  readonly #past: Call<[], PastQuestions>;
  readonly #drift: Call<[params: Params], DriftAnswer>;
  readonly #suggested: Call<[], readonly SuggestedQuestion[]>;

  constructor(backend: Backend, contradictions: Contradictions, onAdded: () => void) {
    this.#backend = backend;
    this.#contradictions = contradictions;
    this.agents = new Agents(backend, onAdded);
    // What cannot be read any more is not reported.
    this.#loaded = new Call(() => backend.agentsLoaded(), "drop");
    this.#trees = new Call(() => backend.tree(), "drop");
    this.#past = new Call(
      () => backend.pastQuestions({ text: "", agent: null, only: "all" }, { at: 0, open: null }),
      "drop",
    );
    this.#drift = new Call((params) => backend.drift(params), "drop");
    this.#suggested = new Call(() => backend.suggestedQuestions(), "drop");
  }

  /** What is known now of a library, in a fixed order. */
  findingsIn(library: LibraryState): Finding[] {
    const past = this.#past.data;
    const loaded = this.#loaded.data;
    return [
      ...loadFindings(loaded ?? [], library.folders),
      ...(isWalked(library) && loaded !== null ? searchFindings(this.#trees.data ?? [], loaded) : []),
      ...agentFindings(this.agents.view),
      ...(past === null ? [] : pastFindings(past)),
      ...contradictionFindings(this.#nContradictions),
    ];
  }

  get suggested(): readonly SuggestedQuestion[] {
    return this.#suggested.data ?? [];
  }
  /** Whether notes are being compared for contradictions, or the outcome is being read. */
  get isComparing(): boolean {
    return this.#contradictions.isComparing || this.#drift.isRunning;
  }
  /** Whether files and notes were read, so that an empty list says something. */
  get isRead(): boolean {
    return this.#loaded.data !== null && this.#trees.data !== null && this.#drift.data !== null;
  }
  /** Whether the notes as they are were compared. */
  get isCompared(): boolean {
    const answer = this.#drift.data;
    return answer !== null && (answer.n_observations === 0 || (answer.report !== null && !answer.is_stale));
  }
  get isOpeningSample(): boolean {
    return this.#sample.isRunning;
  }
  /** Why the sample notes could not be opened. */
  get sampleError(): ErrorInfo | null {
    return this.#sample.error;
  }

  get #nContradictions(): number {
    const answer = this.#drift.data;
    return answer === null || answer.report === null ? 0 : answer.totals.n_sure;
  }

  /** Copies the sample notes and watches them. */
  async openSample(): Promise<void> {
    if (this.#sample.isRunning) return;
    await this.#sample.run(() => this.#backend.openSampleNotes());
  }

  /** Looks for agents, and measures what they load. */
  async look(): Promise<void> {
    await Promise.all([this.agents.look(), this.#loaded.run()]);
  }

  /** Reads which notes there are. */
  async readNotes(): Promise<void> {
    await this.#trees.run();
  }

  /** Reads what agents asked. */
  async readPast(): Promise<void> {
    await Promise.all([this.#past.run(), this.#suggested.run()]);
  }

  /** Reads which notes contradict each other; compares them if none were, or notes changed since. */
  async readContradictions(params: Params): Promise<void> {
    if (!(await this.#drift.run(params)) || this.#drift.data === null) return;
    const { report, is_stale, n_observations } = this.#drift.data;
    const isDue = (report === null || is_stale) && n_observations > 0 && n_observations <= COMPARED_MAX;
    if (!isDue) return;
    await this.#contradictions.compare(params);
    // A newer reading takes what came out of it.
    if (!this.#drift.isRunning) await this.#drift.run(params);
  }
}
