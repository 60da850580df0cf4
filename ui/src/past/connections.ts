// The lines between an answer of then and one of now.
import type { Fate, ThenNow } from "../api/bindings";

/** How high a row is, px. */
export const ROW_PX = 92;

/** A line from a result of then to its place now. */
export type Connection = {
  /** Null if the answers cannot be compared: the line then joins results of the same lines. */
  fate: Fate | null;
  /** Its height at then, px; null: the result is new. */
  from: number | null;
  /** Its height at now, px. */
  to: number;
  /** The result's place in `then`. */
  then: number | null;
  /** Its place in `now`. */
  now: number;
};

/**
 * Every line: that of each result of then, and a stub for each new one. Of answers that cannot be compared only those of results that
 * both have.
 */
export function connectionsOf({ then, now }: Pick<ThenNow, "then" | "now">): Connection[] {
  const ofThen = then.flatMap((result, at): Connection[] =>
    result.fate === null && now[result.now]?.rank === null
      ? []
      : [
          {
            fate: result.fate,
            ...{ from: middleOf(at), to: middleOf(result.now) },
            ...{ then: at, now: result.now },
          },
        ],
  );
  const ofNew = now.flatMap((result, at): Connection[] =>
    result.fate === "new" ? [{ fate: "new", from: null, to: middleOf(at), then: null, now: at }] : [],
  );
  return [...ofThen, ...ofNew];
}

function middleOf(place: number): number {
  return place * ROW_PX + ROW_PX / 2;
}
