// How alike two texts are by the fingerprints of their words (SimHash).
import { percent } from "./format";

export const FINGERPRINT_BITS = 64;

/** The share of equal bits of two fingerprints, rounded down, so that "at least" holds and each number of bits is another share. */
export function alike(bits: number): string {
  return percent((FINGERPRINT_BITS - bits) / FINGERPRINT_BITS);
}

/** The same as the engine counts it, for tooltips. */
export function bitsApart(bits: number): string {
  return `${bits} of ${FINGERPRINT_BITS} bits apart`;
}
