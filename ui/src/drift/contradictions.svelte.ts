import type { Backend } from "../api/backend";
import type {
  AggregationProgress,
  DriftAnswer,
  Drifted,
  DriftKind,
  DriftReport,
  DriftSide,
  ErrorInfo,
  NoteDrift,
  Params,
} from "../api/bindings";
import { Actions, Call } from "../shared/call.svelte";
import { chosenEditor } from "../shared/editor";
import { Job, reporting } from "../shared/job.svelte";

type Calls = Pick<
  Backend,
  | "dismissContradiction"
  | "resolveContradiction"
  | "drift"
  | "driftNow"
  | "openInEditor"
  | "onProgress"
  | "stop"
>;

/** `behind`: a note that was opened from the list is in front of it. */
export type Visibility = "closed" | "open" | "behind";

/**
 * `unsure`: pairs that may contradict each other; `resolved` and `dismissed`: those that the user marked as resolved by the newer
 * note, or as no contradiction.
 */
export type Section = "contradictions" | "changed" | "unsure" | "resolved" | "dismissed";

/** What the user can mark a pair as. */
export type Mark = "resolved" | "dismissed";

/** A sure contradiction or a change of which a side is in one note. */
export type OfNote = {
  own: DriftSide;
  other: DriftSide;
  kind: DriftKind;
  isChanged: boolean;
  /** null if it is not known. */
  newer: "own" | "other" | null;
};

/** What contradicts a note and what changed, as seen from it. */
export function ofNote(drift: NoteDrift, folder: string, path: string): OfNote[] {
  const seen = ({ a, b, kind, newer }: Drifted, isChanged: boolean): OfNote => {
    const isA = a.folder === folder && a.path === path;
    const isOwnNewer = newer === (isA ? "a" : "b");
    return {
      own: isA ? a : b,
      other: isA ? b : a,
      kind,
      isChanged,
      newer: newer === null ? null : isOwnNewer ? "own" : "other",
    };
  };
  return [
    ...drift.contradictions.map((drifted) => seen(drifted, false)),
    ...drift.changed.map((drifted) => seen(drifted, true)),
  ];
}

/** A side that was shown, so that the focus can return to it. */
export type ShownSide = { at: number; letter: "A" | "B" };

/** Entries that are drawn at first, and further ones on demand. */
export const PAGE = 50;

/** The contradictions among notes, and what is shown of them. */
export class Contradictions {
  readonly #backend: Calls;
  readonly #reading: Call<[params: Params], DriftAnswer>;
  readonly #comparing: Job<[params: Params], DriftAnswer, AggregationProgress>;
  /** The pass that is under way. */
  #pass: Promise<void> | null = null;
  readonly #editing = new Actions();
  #visibility = $state<Visibility>("closed");
  #section = $state<Section>("contradictions");
  /** The user chose the section, or the first answer did. */
  #isChosen = false;
  #folder = $state<string | null>(null);
  #agent = $state<string | null>(null);
  #kind = $state<DriftKind | null>(null);
  #nShown = $state(PAGE);
  /** The user stopped the last pass; only the user starts another in front. */
  #wasStopped = $state(false);
  /** The pair that the user marked last, until another list is shown. */
  #marked = $state.raw<{ as: Mark; id: string } | null>(null);
  readonly #marking = new Actions();
  /** How far the list was scrolled, and which side was shown from it, when a note came in front. */
  scrollTop = 0;
  shownSide: ShownSide | null = null;

  readonly #all = $derived.by((): readonly Drifted[] => {
    const report = this.report;
    if (report === null) return [];
    switch (this.#section) {
      case "contradictions":
        return report.contradictions.filter(({ sure }) => sure);
      case "unsure":
        return report.contradictions.filter(({ sure }) => !sure);
      case "changed":
        return report.changed;
      case "resolved":
        return report.resolved;
      case "dismissed":
        return report.dismissed;
    }
  });
  readonly #found = $derived(
    this.#all.filter(
      ({ a, b, kind }) =>
        (this.#folder === null || a.folder === this.#folder || b.folder === this.#folder) &&
        (this.#agent === null || a.agent === this.#agent || b.agent === this.#agent) &&
        (this.#kind === null || kind === this.#kind),
    ),
  );

  constructor(backend: Calls) {
    this.#backend = backend;
    this.#reading = new Call((params) => backend.drift(params));
    this.#comparing = new Job({
      work: (report, params) =>
        reporting(
          (report) => backend.onProgress("aggregation", report),
          report,
          () => backend.driftNow(params),
        ),
      stop: () => backend.stop("aggregation"),
    });
  }

  get visibility(): Visibility {
    return this.#visibility;
  }
  get answer(): DriftAnswer | null {
    return this.#reading.data;
  }
  /** null before the first pass. */
  get report(): DriftReport | null {
    return this.#reading.data?.report ?? null;
  }
  get error(): ErrorInfo | null {
    return this.#comparing.error ?? this.#reading.error;
  }
  get editorError(): ErrorInfo | null {
    return this.#editing.error;
  }
  get markingError(): ErrorInfo | null {
    return this.#marking.error;
  }
  get wasStopped(): boolean {
    return this.#wasStopped;
  }
  get isComparing(): boolean {
    return this.#comparing.isRunning;
  }
  get isStopping(): boolean {
    return this.#comparing.isStopping;
  }
  get progress(): AggregationProgress | null {
    return this.#comparing.progress;
  }

  /** How many each section has, also those that are not listed. */
  get counts(): Record<Section, number> {
    const totals = this.#reading.data?.totals;
    return {
      contradictions: totals?.n_sure ?? 0,
      changed: totals?.n_changed ?? 0,
      unsure: totals?.n_unsure ?? 0,
      resolved: totals?.n_resolved ?? 0,
      dismissed: totals?.n_dismissed ?? 0,
    };
  }
  /** How many of the section are not listed, because there are so many. */
  get nLeftOut(): number {
    if (this.report === null) return 0;
    return Math.max(0, this.counts[this.#section] - this.#all.length);
  }

  get section(): Section {
    return this.#section;
  }
  get folder(): string | null {
    return this.#folder;
  }
  get agent(): string | null {
    return this.#agent;
  }
  get kind(): DriftKind | null {
    return this.#kind;
  }
  /** The pair that the user marked last; null after the next act. */
  get marked(): { as: Mark; id: string } | null {
    return this.#marked;
  }
  get isFiltered(): boolean {
    return this.#folder !== null || this.#agent !== null || this.#kind !== null;
  }
  /** The agents of the section, sorted. */
  readonly agents = $derived([...new Set(this.#all.flatMap(({ a, b }) => [a.agent, b.agent]))].sort());
  /** The kinds of the section, in the order of the first entries. */
  readonly kinds = $derived([...new Set(this.#all.map(({ kind }) => kind))]);

  /** Newest first, as many as are drawn. */
  get shown(): readonly Drifted[] {
    return this.#found.slice(0, this.#nShown);
  }
  get nFound(): number {
    return this.#found.length;
  }
  /** How many the section has without filters. */
  get nAll(): number {
    return this.#all.length;
  }

  open(): void {
    if (this.#visibility === "closed") {
      this.#section = "contradictions";
      this.#isChosen = false;
      this.#choose();
    }
    this.#visibility = "open";
  }
  close(): void {
    this.#visibility = "closed";
    this.scrollTop = 0;
    this.shownSide = null;
  }
  /** A note was opened from the list. */
  leave(): void {
    this.#visibility = "behind";
  }

  show(section: Section): void {
    this.#section = section;
    this.#isChosen = true;
    this.#marked = null;
    this.#marking.dismissError();
    this.clearFilters();
  }
  filter({
    folder = this.#folder,
    agent = this.#agent,
    kind = this.#kind,
  }: {
    folder?: string | null;
    agent?: string | null;
    kind?: DriftKind | null;
  }): void {
    this.#folder = folder;
    this.#agent = agent;
    this.#kind = kind;
    this.#nShown = PAGE;
  }
  clearFilters(): void {
    this.filter({ folder: null, agent: null, kind: null });
  }
  showMore(): void {
    this.#nShown += PAGE;
  }

  /** Reads what the last pass found; without a pass so far, makes one. */
  async read(params: Params): Promise<void> {
    const isNew = await this.#reading.run(params);
    const answer = this.#reading.data;
    if (!isNew || answer === null) return;
    // A later pass succeeded.
    if (answer.report !== null && !answer.is_stale) {
      this.#comparing.dismissError();
      this.#wasStopped = false;
    }
    if (answer.report === null && answer.n_observations > 0 && !this.#wasStopped) await this.compare(params);
    this.#choose();
  }

  /** Opens on the first section that is not empty; later answers do not change it. */
  #choose(): void {
    if (this.#isChosen || this.report === null) return;
    this.#isChosen = true;
    if (this.counts[this.#section] > 0) return;
    const sections: readonly Section[] = ["contradictions", "changed", "unsure"];
    this.#section = sections.find((section) => this.counts[section] > 0) ?? this.#section;
  }

  /** Compares all observations now, or waits for the pass that does. What a stopped pass did not find stays as it was. */
  compare(params: Params): Promise<void> {
    this.#pass ??= this.#compare(params).finally(() => (this.#pass = null));
    return this.#pass;
  }

  async #compare(params: Params): Promise<void> {
    this.#wasStopped = false;
    if (!(await this.#comparing.run(params))) return;
    // An older answer on its way would replace this one.
    this.#reading.drop();
    this.#reading.data = this.#comparing.data;
  }

  stop(): void {
    this.#wasStopped = true;
    this.#comparing.stop();
  }

  /**
   * Marks a pair, until one of its sentences changes, or removes the mark. To resolve one, `id` is its `resolved_id`: another side
   * that becomes the newer one ends the mark too.
   */
  async mark(as: Mark, id: string, isMarked: boolean, params: Params): Promise<void> {
    this.#marked = null;
    await this.#marking.run(async () => {
      const answer =
        as === "resolved"
          ? await this.#backend.resolveContradiction(id, isMarked, params)
          : await this.#backend.dismissContradiction(id, isMarked, params);
      // An older answer on its way would replace this one.
      this.#reading.drop();
      this.#reading.data = answer;
      if (isMarked) this.#marked = { as, id };
    });
  }

  /** Opens a side in the user's editor at its line. */
  async edit({ folder, path, line }: DriftSide): Promise<void> {
    this.#editing.dismissError();
    await this.#editing.run(() => this.#backend.openInEditor(folder, path, line, chosenEditor()));
  }
}
