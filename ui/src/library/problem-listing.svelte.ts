import type { FileProblem } from "../api/bindings";
import { FindAsTyped } from "../shared/find-as-typed";

/** How many problems are listed at first, and how many more each time. */
const STEP = 500;

/** Which of all problems are listed: those with the words in them, the first of them until more are asked for. */
export class ProblemListing {
  readonly #all: () => readonly FileProblem[];
  #text = $state("");
  /** The words that are looked for; others may be typed already. */
  #sought = $state("");
  #nMost = $state(STEP);
  readonly #finding = new FindAsTyped(() => {
    if (this.#sought === this.#text) return;
    this.#sought = this.#text;
    this.#nMost = STEP;
  });
  readonly #found = $derived.by(() => having(this.#all(), this.#sought));
  readonly #listed = $derived(this.#found.slice(0, this.#nMost));

  /** `all` returns the problems in their order. */
  constructor(all: () => readonly FileProblem[]) {
    this.#all = all;
  }

  /** What stands in the find box. */
  get text(): string {
    return this.#text;
  }

  /** The problems with the words in them. */
  get found(): readonly FileProblem[] {
    return this.#found;
  }

  /** Those of them that are listed. */
  get listed(): readonly FileProblem[] {
    return this.#listed;
  }

  /** How many more are listed next; 0 once all are. */
  get nNext(): number {
    return Math.min(STEP, this.#found.length - this.#listed.length);
  }

  /** Whether there are more than are listed at first, or words leave some out. */
  get isLong(): boolean {
    return this.#text !== "" || this.#all().length > STEP;
  }

  find(text: string): void {
    this.#text = text;
    if (text === "") this.#finding.now();
    else this.#finding.typed(this.#all().length);
  }

  more(): void {
    this.#nMost += STEP;
  }

  /** Lists no more than at first; the words stay. */
  fewer(): void {
    this.#nMost = STEP;
  }
}

/** Returns the problems whose path, folder and message together hold every word, in any case; no word keeps all. */
function having(problems: readonly FileProblem[], text: string): readonly FileProblem[] {
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  if (words.length === 0) return problems;
  return problems.filter(({ path, folder_name, message }) => {
    const said = `${path}\n${folder_name}\n${message}`.toLowerCase();
    return words.every((word) => said.includes(word));
  });
}
