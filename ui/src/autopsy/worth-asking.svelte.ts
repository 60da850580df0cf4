// What is worth asking before a fact is known: the questions of agents, and the notes that one of them may have missed.
import type { Backend } from "../api/backend";
import type { ErrorInfo, NowResult, PastOnly, PastPlace, PastRow } from "../api/bindings";
import { Call } from "../shared/call.svelte";

type Calls = Pick<Backend, "pastQuestions" | "thenNow">;

/** Number of questions that are offered. */
const OFFERED_MAX = 6;
/** Number of notes that are offered for a question. */
const NOTES_MAX = 5;

/** A place in a note that may hold the fact. */
export type FactChoice = {
  /** What the autopsy is asked about: `path:line`. */
  fact: string;
  path: string;
  line: number;
  /** Why it is offered. */
  why: string;
  /** Best passage of the place; null if it is not known. */
  text: string | null;
};

/** Whether the agent got no result for the question. */
export function hasFoundNothing({ n_returned }: Pick<PastRow, "n_returned">): boolean {
  return n_returned === 0;
}

/** The questions, each text once: first those that found nothing, then the others, each in the order given. */
export function offeredOf(missed: readonly PastRow[], others: readonly PastRow[]): PastRow[] {
  const seen = new Set<string>();
  return [...missed, ...others]
    .filter(({ question }) => {
      const text = question.trim().toLowerCase();
      if (text === "" || seen.has(text)) return false;
      seen.add(text);
      return true;
    })
    .slice(0, OFFERED_MAX);
}

/** Places that may hold the fact: first what the agent opened after the question, then what the question finds now. */
export function choicesOf(opened: readonly PastPlace[], now: readonly NowResult[]): FactChoice[] {
  const places = [
    ...opened.map(({ path, start_line }) => ({
      path,
      line: start_line ?? 1,
      why: "opened then",
      text: null,
    })),
    // The name begins with the folder's where several are watched, so that it is one note's alone.
    ...now.flatMap(({ name, start_line, rank, text }) =>
      rank === null || start_line === null
        ? []
        : [{ path: name, line: start_line, why: `rank ${rank} now`, text }],
    ),
  ];
  const all = places.map((place) => ({ ...place, fact: `${place.path}:${place.line}` }));
  return all.filter(({ fact }, at) => all.findIndex((one) => one.fact === fact) === at).slice(0, NOTES_MAX);
}

/** The questions to choose from, and what the chosen one finds now. */
export class WorthAsking {
  readonly #listed: Call<[], readonly PastRow[]>;
  readonly #found: Call<[row: PastRow], readonly FactChoice[]>;
  #chosen = $state.raw<PastRow | null>(null);

  constructor(backend: Calls) {
    const rows = async (only: PastOnly) =>
      (await backend.pastQuestions({ text: "", agent: null, only }, { at: 0, open: null })).rows;
    this.#listed = new Call(
      async () => offeredOf(await rows("found_nothing"), await rows("searches")),
      "drop",
    );
    this.#found = new Call(async (row) => {
      const { now } = await backend.thenNow(row.id, null);
      return choicesOf(row.opened, now);
    }, "drop");
  }

  /** Questions to choose from; null until they are read. */
  get questions(): readonly PastRow[] | null {
    return this.#listed.data;
  }

  /** Why the questions could not be read. */
  get listError(): ErrorInfo | null {
    return this.#listed.error;
  }

  /** The chosen question; null before a choice. */
  get chosen(): PastRow | null {
    return this.#chosen;
  }

  /** Notes that may hold the fact which the chosen question should have found; null until they are known. */
  get choices(): readonly FactChoice[] | null {
    return this.#found.data;
  }

  get isFinding(): boolean {
    return this.#found.isRunning;
  }

  /** Why the chosen question could not be asked again. */
  get findError(): ErrorInfo | null {
    return this.#found.error;
  }

  /** Begins again, with a question if one is known. */
  start(row: PastRow | null): void {
    this.drop();
    if (row === null) void this.#listed.run();
    else this.choose(row);
  }

  /** Asks a question again, for the notes that it finds now. An opening of notes has no question. */
  choose(row: PastRow): void {
    this.#chosen = row;
    this.#found.reset();
    if (row.is_opening) this.#found.data = choicesOf(row.opened, []);
    else void this.#found.run(row);
  }

  /** Back to the list of questions. */
  back(): void {
    this.start(null);
  }

  drop(): void {
    this.#chosen = null;
    this.#found.reset();
  }
}
