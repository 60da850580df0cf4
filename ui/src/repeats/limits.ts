// The limit from which on two statements count as the same, by one of two measures, and its words.
import type { AgreementStep, Params } from "../api/bindings";
import { alike, FINGERPRINT_BITS } from "../shared/alike";
import { counted, percent, unrounded } from "../shared/format";

export type Measure = Params["agreement_measure"];

/** The measure that decides, and the limit of each. */
export type Limits = Pick<Params, "agreement_measure" | "simhash_distance" | "word_overlap">;

export const MEASURES: readonly { id: Measure; label: string; about: string }[] = [
  {
    id: "words",
    label: "Shared words",
    about: "the share of their different words that both have",
  },
  {
    id: "simhash",
    label: "Word fingerprints",
    about: "SimHash: 64 bits made from the words of a text; little can be read from those of short texts",
  },
];

export function limitsOf({ agreement_measure, simhash_distance, word_overlap }: Params): Limits {
  return { agreement_measure, simhash_distance, word_overlap };
}

/** The value of a measure's parameter. */
export function limitOf(limits: Limits, measure: Measure): number {
  return measure === "words" ? limits.word_overlap : limits.simhash_distance;
}

/** Lets a measure decide, with this limit. */
export function withLimit(limits: Limits, measure: Measure, limit: number): Limits {
  return measure === "words"
    ? { ...limits, agreement_measure: measure, word_overlap: limit }
    : { ...limits, agreement_measure: measure, simhash_distance: limit };
}

export function isSameLimit(a: Limits, b: Limits): boolean {
  return (
    a.agreement_measure === b.agreement_measure &&
    limitOf(a, a.agreement_measure) === limitOf(b, b.agreement_measure)
  );
}

/** What a limit asks of two statements, after "count as the same if". */
export function limitText(measure: Measure, limit: number): string {
  if (measure === "words")
    return limit >= 1 ? "they have the same words" : `at least ${percent(limit)} of their words are in both`;
  if (limit === 0) return "their word fingerprints are equal";
  return `their word fingerprints are at least ${alike(limit)} alike`;
}

/** The same as the engine counts it, for tooltips. */
export function exactLimit(measure: Measure, limit: number): string {
  if (measure === "words") return `at least ${unrounded(limit)} of the words in both`;
  return `at most ${counted(limit, "bit")} of ${FINGERPRINT_BITS} apart`;
}

/** How near a statement is to another, by both measures. */
export function nearnessText(overlap: number, bits: number): string {
  const words = overlap >= 1 ? "the same words" : `${percent(overlap)} of words shared`;
  return `${words}, ${bits === 0 ? "equal fingerprints" : `fingerprints ${alike(bits)} alike`}`;
}

/** The step of a limit: the last one that asks no less. */
export function stepAt(steps: readonly AgreementStep[], measure: Measure, limit: number): number {
  const asksLess = steps.findIndex((step) => (measure === "words" ? step.limit < limit : step.limit > limit));
  return Math.max(0, (asksLess < 0 ? steps.length : asksLess) - 1);
}

/** How many join at each step; `alone` were there before the first. */
export function joinedAt(steps: readonly AgreementStep[], alone: number): number[] {
  return steps.map(({ n }, at) => n - (steps[at - 1]?.n ?? alone));
}
