import type { Backend } from "../api/backend";
import type {
  Comparison,
  ErrorInfo,
  Params,
  PipelineInfo,
  Preset,
  QueryChange,
  QueryScope,
} from "../api/bindings";
import { Call } from "../shared/call.svelte";
import { choicesOf, isDear, keyOf, rankingOf, type Choice } from "./choices";

/** What a comparison is of, and the library's generation when it was asked. */
type Asked = { wish: string; generation: number | null };

/** Two rankings of one question, asked again whenever the question, a side or the notes change, unless that is expensive. */
export class CompareController {
  readonly #reading: Call<[], PipelineInfo[]>;
  readonly #comparing: Call<[a: Choice, b: Choice, query: string], Comparison>;
  #query = $state("");
  #scope = $state.raw<QueryScope | null>(null);
  /** The names of what is compared; null before anything was chosen. */
  #a = $state<string | null>(null);
  #b = $state<string | null>(null);
  /** What was asked last; null before that. */
  #asked = $state.raw<Asked | null>(null);

  constructor(backend: Backend) {
    this.#reading = new Call(() => backend.pipelines());
    this.#comparing = new Call(
      (a, b, query) => backend.compare(query, rankingOf(a), rankingOf(b), this.#scope),
      "drop",
    );
  }

  get query(): string {
    return this.#query;
  }

  set query(query: string) {
    if (query !== this.#query) this.#scope = null;
    this.#query = query;
  }

  /** Where alone the question is asked; null for all notes. */
  get scope(): QueryScope | null {
    return this.#scope;
  }

  set scope(scope: QueryScope | null) {
    this.#scope = scope;
  }

  /** Takes up a query of a query set, as it was asked there. */
  take({ query, scope }: QueryChange): void {
    this.#query = query;
    this.#scope = scope;
  }

  get comparison(): Comparison | null {
    return this.#comparing.data;
  }

  get error(): ErrorInfo | null {
    return this.#comparing.error ?? this.#reading.error;
  }

  get isAsking(): boolean {
    return this.#comparing.isRunning;
  }

  /** Takes up which programs can be emulated; without them, presets can still be compared. */
  async readPipelines(): Promise<void> {
    await this.#reading.run();
  }

  /** Everything that a side can be, in the order in which it is offered. */
  choices(now: Params, saved: readonly Preset[], defaults: Params): Choice[] {
    return choicesOf(now, saved, defaults, this.#reading.data ?? []);
  }

  /** The choices of both sides: the first emulated program against the parameters as set, until others are chosen. */
  sides(choices: readonly Choice[]): { a: Choice; b: Choice } | null {
    const named = (key: string | null) => choices.find((choice) => keyOf(choice) === key);
    const [first] = choices;
    if (first === undefined) return null;
    const other = choices.find((choice) => choice.kind === "pipeline") ?? choices[1] ?? first;
    return { a: named(this.#a) ?? other, b: named(this.#b) ?? first };
  }

  choose(side: "a" | "b", choice: Choice): void {
    if (side === "a") this.#a = keyOf(choice);
    else this.#b = keyOf(choice);
  }

  swap(sides: { a: Choice; b: Choice }): void {
    [this.#a, this.#b] = [keyOf(sides.b), keyOf(sides.a)];
  }

  /** Whether notes have changed since the comparison, and repeating it needs the user's request. */
  isOutdated(a: Choice, b: Choice, generation: number | null): boolean {
    return !this.isAsking && this.#awaitsPerson(a, b, generation);
  }

  /** Compares; what is on the screen already is not asked for again. `generation` is the library's. */
  async ask(a: Choice, b: Choice, generation: number | null): Promise<void> {
    const wish = this.#wish(a, b);
    const isAsked = wish === this.#asked?.wish && generation === this.#asked.generation;
    const hasFailed = this.comparison === null && !this.isAsking;
    if ((isAsked && !hasFailed) || this.#awaitsPerson(a, b, generation)) return;
    await this.askAgain(a, b, generation);
  }

  /** Compares, whatever is on the screen. */
  async askAgain(a: Choice, b: Choice, generation: number | null): Promise<void> {
    const query = this.#query.trim();
    if (query === "") return;
    this.#asked = { wish: this.#wish(a, b), generation };
    if (await this.#comparing.run(a, b, query)) this.#reading.dismissError();
  }

  #wish(a: Choice, b: Choice): string {
    return JSON.stringify([this.#query.trim(), rankingOf(a), rankingOf(b), this.#scope]);
  }

  /** Whether only the notes have changed since the comparison, and repeating it is expensive. */
  #awaitsPerson(a: Choice, b: Choice, generation: number | null): boolean {
    if (this.#asked === null || generation === this.#asked.generation) return false;
    return (isDear(a) || isDear(b)) && this.#wish(a, b) === this.#asked.wish;
  }
}
