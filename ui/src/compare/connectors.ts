// The lines between two rankings, which connect each row with its place in the other.
import type { ComparedRow, ComparedSide } from "../api/bindings";

/** How high a row is, px. */
export const ROW_PX = 48;
/** Height of the band below the returned rows in px. */
export const BAND_PX = 28;

/** What became of a row from A to B. */
export type Fate = "rose" | "fell" | "same" | "entered" | "left" | "neither";

/** One line between the two rankings. */
export type Connector = {
  fate: Fate;
  /** Its height at A, px; null: it begins in the middle, as A has no such row. */
  from: number | null;
  /** Its height at B, px; null: it ends in the middle. */
  to: number | null;
  /** The row's place in A's rows. */
  a: number | null;
  /** The row's place in B's rows. */
  b: number | null;
};

/** Number of returned rows of a side; they come first. */
export function keptOf(side: ComparedSide): number {
  return side.rows.filter((row) => row.rank !== null).length;
}

/** The middle of a row, px from the first row's top. */
export function middleOf(place: number, nKept: number): number {
  return place * ROW_PX + (place >= nKept ? BAND_PX : 0) + ROW_PX / 2;
}

/** What became of a row that A has as `a` and B as `b`. */
export function fateOf(a: ComparedRow | null, b: ComparedRow | null): Fate {
  const [before, after] = [a?.rank ?? null, b?.rank ?? null];
  if (before !== null && after !== null) return after < before ? "rose" : after > before ? "fell" : "same";
  if (after !== null) return "entered";
  return before === null ? "neither" : "left";
}

/** Every line; those of rows that neither side returns come first, so that the others are drawn on top. */
export function connectorsOf(a: ComparedSide, b: ComparedSide): Connector[] {
  const [nA, nB] = [keptOf(a), keptOf(b)];
  const ofA = a.rows.map((row, at): Connector => {
    const other = row.other === null ? null : (b.rows[row.other] ?? null);
    return {
      fate: fateOf(row, other),
      from: middleOf(at, nA),
      to: row.other === null || other === null ? null : middleOf(row.other, nB),
      a: at,
      b: other === null ? null : row.other,
    };
  });
  const ofB = b.rows.flatMap((row, at): Connector[] =>
    row.other === null ? [{ fate: fateOf(null, row), from: null, to: middleOf(at, nB), a: null, b: at }] : [],
  );
  const weight = (one: Connector) => (one.fate === "neither" ? 0 : 1);
  return [...ofA, ...ofB].sort((one, other) => weight(one) - weight(other));
}

/** The path of a line across a gap of this width, as SVG. */
export function pathOf({ from, to }: Pick<Connector, "from" | "to">, width: number): string {
  const STUB = 14;
  if (from === null) return `M${width - STUB} ${to} H${width}`;
  if (to === null) return `M0 ${from} H${STUB}`;
  return `M0 ${from} C${width / 2} ${from} ${width / 2} ${to} ${width} ${to}`;
}
