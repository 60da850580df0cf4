// The chunks of a picture as points, with an index of their places.
import { polygonContains } from "d3-polygon";
import KDBush from "kdbush";
import type { MapNote, MapPicture } from "../api/bindings";
import type { Box } from "./viewport";

/** A corner of a lasso, on the map. */
export type Corner = readonly [x: number, y: number];

/** All points of a picture. A point is named by its position in the picture. */
export class ChunkMap {
  readonly picture: MapPicture;
  readonly box: Box;
  readonly #index: KDBush;
  /** Position of each chunk, by its id. */
  readonly #at: ReadonlyMap<string, number>;

  constructor(picture: MapPicture) {
    this.picture = picture;
    const { x, y, chunk } = picture;
    const box = { minX: Infinity, minY: Infinity, maxX: -Infinity, maxY: -Infinity };
    const index = new KDBush(x.length);
    for (let at = 0; at < x.length; at++) {
      const [px, py] = [x[at] ?? 0, y[at] ?? 0];
      box.minX = Math.min(box.minX, px);
      box.maxX = Math.max(box.maxX, px);
      box.minY = Math.min(box.minY, py);
      box.maxY = Math.max(box.maxY, py);
      index.add(px, py);
    }
    this.#index = index.finish();
    this.box = x.length === 0 ? { minX: -1, minY: -1, maxX: 1, maxY: 1 } : box;
    this.#at = new Map(chunk.map((id, at) => [String(id), at]));
  }

  get n(): number {
    return this.picture.x.length;
  }

  /** The note of a point; undefined if there is no such point. */
  noteOf(at: number): MapNote | undefined {
    return this.picture.notes[this.picture.note[at] ?? -1];
  }

  /** The point of a chunk; undefined if it is not on the map. */
  pointOf(chunk: string): number | undefined {
    return this.#at.get(chunk);
  }

  /** The closest point within a distance for which `counts`; of equally close ones the first in the picture; null if none. */
  nearest(x: number, y: number, distance: number, counts: (at: number) => boolean): number | null {
    let best: number | null = null;
    let least = Infinity;
    for (const at of this.#index.within(x, y, distance)) {
      if (!counts(at)) continue;
      const away = Math.hypot((this.picture.x[at] ?? 0) - x, (this.picture.y[at] ?? 0) - y);
      if (away < least || (away === least && best !== null && at < best)) [best, least] = [at, away];
    }
    return best;
  }

  /** The closest point of another note; of equally close ones the first in the picture; null if there is no other note. */
  nearestOther(at: number): { at: number; distance: number } | null {
    const { x, y, note } = this.picture;
    if (this.picture.notes.length < 2) return null;
    const [px, py] = [x[at] ?? 0, y[at] ?? 0];
    const { minX, minY, maxX, maxY } = this.box;
    const far = Math.hypot(maxX - minX, maxY - minY);
    // As wide as a few points are apart, then twice as wide until another note is found.
    for (let distance = Math.max(far / Math.sqrt(this.n), Number.EPSILON); ; distance *= 2) {
      const found = this.nearest(px, py, distance, (other) => note[other] !== note[at]);
      if (found !== null)
        return { at: found, distance: Math.hypot((x[found] ?? 0) - px, (y[found] ?? 0) - py) };
      if (distance > far) return null;
    }
  }

  /** The points inside a lasso for which `counts`, in the order of the picture. A lasso of fewer than three corners has none. */
  inLasso(lasso: readonly Corner[], counts: (at: number) => boolean): number[] {
    if (lasso.length < 3) return [];
    const [xs, ys] = [lasso.map(([x]) => x), lasso.map(([, y]) => y)];
    const [minX, minY] = [Math.min(...xs), Math.min(...ys)];
    const [maxX, maxY] = [Math.max(...xs), Math.max(...ys)];
    const polygon = lasso.map(([x, y]): [number, number] => [x, y]);
    return this.#index
      .range(minX, minY, maxX, maxY)
      .filter(
        (at) => counts(at) && polygonContains(polygon, [this.picture.x[at] ?? 0, this.picture.y[at] ?? 0]),
      )
      .sort((a, b) => a - b);
  }
}

/** A note with how many of some points are its own. */
export type NoteCount = { note: MapNote; n: number; first: number };

/** The notes of some points, those with most of them first; equal ones by title and path. */
export function notesOf(map: ChunkMap, points: readonly number[]): NoteCount[] {
  const counts = new Map<number, NoteCount>();
  for (const at of points) {
    const position = map.picture.note[at] ?? -1;
    const note = map.picture.notes[position];
    if (note === undefined) continue;
    const known = counts.get(position);
    if (known === undefined) counts.set(position, { note, n: 1, first: at });
    else known.n++;
  }
  return [...counts.values()].sort(
    (a, b) =>
      b.n - a.n ||
      compare(a.note.title, b.note.title) ||
      compare(a.note.path, b.note.path) ||
      a.first - b.first,
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
