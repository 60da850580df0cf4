// Which part of the map is shown first: all of it, or all but a few points that are far from the others.
import type { ChunkMap } from "./chunk-map";
import { type Box, fit, isInPicture, type Size, type Viewport } from "./viewport";

/** At each side, this share of the points may be far from the others. */
const FAR_SHARE = 0.01;
/** In a small map, as many as a note's few chunks, but no more than this share. */
const FAR_FEW = 3;
const FAR_SHARE_OF_FEW = 0.05;
/** A side's points are far if they are farther from the others than this share of the others' extent. */
const FAR = 0.25;
/** Room beside the others at a side with far points, as a share of their extent. */
const ROOM = 0.05;
/** Points are left out only if the others are drawn larger by this. */
const GAIN_MIN = 1.5;

/** The box of the points without those that are far from the others; the whole box if none is. */
export function bulk(map: ChunkMap): Box {
  const nFar = Math.max(
    Math.floor(map.n * FAR_SHARE),
    Math.min(FAR_FEW, Math.floor(map.n * FAR_SHARE_OF_FEW)),
  );
  if (nFar === 0) return map.box;
  const [x, y] = [Float64Array.from(map.picture.x).sort(), Float64Array.from(map.picture.y).sort()];
  const inner = (places: Float64Array) => ({
    from: places[nFar] ?? 0,
    to: places[places.length - 1 - nFar] ?? 0,
  });
  const [across, up] = [inner(x), inner(y)];
  const extent = Math.max(across.to - across.from, up.to - up.from);
  const lower = (from: number, least: number) =>
    from - least <= FAR * extent ? least : from - ROOM * extent;
  const upper = (to: number, most: number) => (most - to <= FAR * extent ? most : to + ROOM * extent);
  const { minX, minY, maxX, maxY } = map.box;
  return {
    minX: lower(across.from, minX),
    maxX: upper(across.to, maxX),
    minY: lower(up.from, minY),
    maxY: upper(up.to, maxY),
  };
}

/** What a chart of a size shows first of a map with its bulk, and how many of the points for which `counts` are outside of it. */
export function firstView(
  map: ChunkMap,
  box: Box,
  size: Size,
  counts: (at: number) => boolean,
): { view: Viewport; nOutside: number } {
  const whole = fit(map.box, size);
  const near = fit(box, size);
  if (near.scale < GAIN_MIN * whole.scale) return { view: whole, nOutside: 0 };
  const { x, y } = map.picture;
  let nOutside = 0;
  for (let at = 0; at < map.n; at++)
    if (counts(at) && !isInPicture(near, size, x[at] ?? 0, y[at] ?? 0)) nOutside++;
  return { view: near, nOutside };
}
