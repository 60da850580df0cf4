import type { FileProblem } from "../api/bindings";
import { FindAsTyped } from "../shared/find-as-typed";
import { keyed, type KeyedProblem } from "./problem-keys";

/** About as many problems as a dialog has in sight; more of them are found by their words. */
const LONG = 10;

/** Which of all problems are listed: those with the words in them. */
export class ProblemListing {
  readonly #all: () => readonly FileProblem[];
  #text = $state("");
  /** The words that are looked for; others may be typed already. */
  #sought = $state("");
  readonly #finding = new FindAsTyped(() => (this.#sought = this.#text));
  readonly #keyed = $derived.by(() => keyed(this.#all()));
  readonly #found = $derived.by(() => having(this.#keyed, this.#sought));

  /** `all` returns the problems in their order. */
  constructor(all: () => readonly FileProblem[]) {
    this.#all = all;
  }

  /** Text of the find box. */
  get text(): string {
    return this.#text;
  }

  /** The words that those found have in them. */
  get sought(): string {
    return this.#sought;
  }

  /** The problems with the words in them. */
  get found(): readonly KeyedProblem[] {
    return this.#found;
  }

  /** Whether there are more than are in sight at once, or words leave some out. */
  get isLong(): boolean {
    return this.#text !== "" || this.#all().length > LONG;
  }

  find(text: string): void {
    this.#text = text;
    if (text === "") this.#finding.now();
    else this.#finding.typed(this.#all().length);
  }
}

/** Returns the problems whose path, folder and message together contain every word, ignoring case; without words all. */
function having(problems: readonly KeyedProblem[], text: string): readonly KeyedProblem[] {
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  if (words.length === 0) return problems;
  return problems.filter(({ problem: { path, folder_name, message } }) => {
    const said = `${path}\n${folder_name}\n${message}`.toLowerCase();
    return words.every((word) => said.includes(word));
  });
}
