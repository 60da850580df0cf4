// What is drawn for each point: its place, colour, size and shape.
import type { ChunkMap } from "./chunk-map";
import type { Grouping } from "./groups";

export type Rgb = readonly [red: number, green: number, blue: number];

/** Colours of the legend, in the order of its groups, and what the chart is drawn on. */
export type Colours = { groups: readonly Rgb[]; background: Rgb; ink: Rgb };

/** Points to be drawn, the last one on top. */
export type Marks = {
  n: number;
  /** x and y on the map, for each point */
  at: Float32Array;
  /** red, green, blue and opacity, for each point */
  colour: Uint8Array;
  /** diameter in CSS pixels */
  size: Float32Array;
  /** position in `SHAPES` */
  shape: Uint8Array;
};

/** Shapes besides colours, so that no group is known by its colour alone. */
export const SHAPES = ["disc", "square", "diamond", "triangle", "ring"] as const;
const RING = SHAPES.indexOf("ring");

/** Position in `SHAPES` of a group's points. */
export function shapeOf(hue: number | null): number {
  return hue === null ? 0 : hue % (SHAPES.length - 1);
}

/** Points are smaller where there are many. */
export function pointSize(n: number): number {
  return n <= 500 ? 8 : n <= 5_000 ? 6 : n <= 30_000 ? 4 : 3;
}

const OPACITY = { full: 235, many: 190, dimmed: 56 };
/** Of a candidate of the question: the first one is the largest. */
const CANDIDATE = { most: 16, least: 7 };
/** From this rank on, candidates are of the least size. */
const RANK_MAX = 30;
/** Odd multiplier of a sequence that visits every position once and in no order that is of the notes. */
const STRIDE = 0x9e3779b1;

export type Shown = {
  map: ChunkMap;
  grouping: Grouping;
  colours: Colours;
  /** the only group that is shown; null for all */
  only: number | null;
  /** the points of the lasso; null for no lasso */
  chosen: ReadonlySet<number> | null;
  /** rank, 1-based, of each candidate of the question; null where none is shown */
  ranks: ReadonlyMap<number, number> | null;
};

/** Whether a point is drawn: it is in the group that is shown, or is a candidate of the question. */
export function isShown({ grouping, only }: Pick<Shown, "grouping" | "only">, at: number): boolean {
  return only === null || grouping.of[at] === only;
}

/**
 * The points that are shown, in an order of which every beginning is spread over all notes. Those of the lasso and of the question
 * are apart: they are drawn whatever the sample, over the others.
 */
export function marksOf(shown: Shown): { base: Marks; top: Marks } {
  const { map, chosen, ranks } = shown;
  const top: number[] = [];
  const base: number[] = [];
  for (const at of spread(map.n)) {
    if (!isShown(shown, at)) continue;
    (ranks?.has(at) === true || chosen?.has(at) === true ? top : base).push(at);
  }
  // The best candidate is drawn last.
  top.sort((a, b) => (ranks?.get(b) ?? Infinity) - (ranks?.get(a) ?? Infinity) || a - b);
  const isDimmed = chosen !== null || ranks !== null;
  const opacity = isDimmed ? OPACITY.dimmed : map.n > 5_000 ? OPACITY.many : OPACITY.full;
  return {
    base: marks(shown, base, () => opacity),
    top: marks(shown, top, () => OPACITY.full),
  };
}

/** One point that the pointer or the keyboard is on, as a ring around it. */
export function aimMark({ map, colours }: Pick<Shown, "map" | "colours">, at: number | null): Marks {
  const made = empty(at === null ? 0 : 1);
  if (at === null) return made;
  made.at.set([map.picture.x[at] ?? 0, map.picture.y[at] ?? 0]);
  made.colour.set([...colours.ink, 255]);
  made.size[0] = 16;
  made.shape[0] = RING;
  return made;
}

function marks(shown: Shown, points: readonly number[], opacityOf: (at: number) => number): Marks {
  const { map, grouping, colours, ranks } = shown;
  const { x, y } = map.picture;
  const made = empty(points.length);
  const usual = pointSize(map.n);
  points.forEach((at, i) => {
    const group = grouping.of[at] ?? 0;
    const colour = colours.groups[group] ?? colours.ink;
    const rank = ranks?.get(at);
    made.at[2 * i] = x[at] ?? 0;
    made.at[2 * i + 1] = y[at] ?? 0;
    made.colour[4 * i] = colour[0];
    made.colour[4 * i + 1] = colour[1];
    made.colour[4 * i + 2] = colour[2];
    made.colour[4 * i + 3] = opacityOf(at);
    made.size[i] = rank === undefined ? usual : candidateSize(rank);
    made.shape[i] = shapeOf(grouping.groups[group]?.hue ?? null);
  });
  return made;
}

/** Diameter of a candidate of the question in pixels. */
export function candidateSize(rank: number): number {
  const share = Math.min(Math.max(rank - 1, 0), RANK_MAX) / RANK_MAX;
  return CANDIDATE.most - share * (CANDIDATE.most - CANDIDATE.least);
}

function empty(n: number): Marks {
  return {
    n,
    at: new Float32Array(2 * n),
    colour: new Uint8Array(4 * n),
    size: new Float32Array(n),
    shape: new Uint8Array(n),
  };
}

/** All positions, each once, spread over the whole from the first ones on; the same order each time. */
export function spread(n: number): number[] {
  const keys = new Uint32Array(n);
  for (let at = 0; at < n; at++) keys[at] = Math.imul(at + 1, STRIDE) >>> 0;
  return Array.from({ length: n }, (_, at) => at).sort((a, b) => (keys[a] ?? 0) - (keys[b] ?? 0) || a - b);
}
