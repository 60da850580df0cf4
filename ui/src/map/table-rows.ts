// The rows of the map as a table.
import type { MapNote } from "../api/bindings";
import { type ChunkMap, notesOf } from "./chunk-map";
import type { Grouping } from "./groups";
import { isShown } from "./marks";

export type TableRow = {
  note: MapNote;
  /** number of its chunks that are shown */
  n: number;
  /** point of the first of these */
  first: number;
  /** names of the groups of its chunks */
  group: string;
  /** the closest chunk of another note to any of its own; null if there is no other note */
  closest: { at: number; note: MapNote } | null;
};

/** The first `nMax` notes by title, and how many there are. */
export function tableRows(
  map: ChunkMap,
  grouping: Grouping,
  only: number | null,
  nMax: number,
): { rows: TableRow[]; n: number } {
  const points: number[] = [];
  for (let at = 0; at < map.n; at++) if (isShown({ grouping, only }, at)) points.push(at);
  const ofNote = new Map<MapNote, number[]>();
  for (const at of points) {
    const note = map.noteOf(at);
    if (note === undefined) continue;
    const known = ofNote.get(note);
    if (known === undefined) ofNote.set(note, [at]);
    else known.push(at);
  }
  const all = notesOf(map, points).sort((a, b) =>
    a.note.title < b.note.title ? -1 : a.note.title > b.note.title ? 1 : 0,
  );
  return {
    n: all.length,
    rows: all.slice(0, nMax).map(({ note, n, first }) => {
      const own = ofNote.get(note) ?? [];
      const groups = new Set(own.map((at) => grouping.groups[grouping.of[at] ?? -1]?.name ?? ""));
      return { note, n, first, group: [...groups].join(", "), closest: closestOf(map, own) };
    }),
  };
}

function closestOf(map: ChunkMap, points: readonly number[]): TableRow["closest"] {
  let least = Infinity;
  let closest: TableRow["closest"] = null;
  for (const point of points) {
    const found = map.nearestOther(point);
    const note = found === null ? undefined : map.noteOf(found.at);
    if (found === null || note === undefined || found.distance >= least) continue;
    [least, closest] = [found.distance, { at: found.at, note }];
  }
  return closest;
}
