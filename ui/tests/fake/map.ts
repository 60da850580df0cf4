import type { MapLayout, MapNote, MapPicture, NoteQuery } from "../../src/api/bindings";
import { NOTE_ROWS, pageOf } from "./overview";

/** Chunks of each note. */
const CHUNKS = 3;

/**
 * The map of the notes of a query. The chunks of note n are at x = n / 10 - 0.4, one above the other; by neighbours they are the other
 * way up.
 */
export function mapOf(query: NoteQuery, layout: MapLayout): MapPicture {
  const { rows } = pageOf(query, 0);
  const notes = rows.map(({ folder, folder_name, path, title, agent, agent_name, date }): MapNote => ({
    ...{ folder, folder_name, path, title, agent, agent_name, date },
    ...{ n_found: path.length % 2, n_opened: path.length % 3 === 0 ? 1 : 0 },
  }));
  const chunks = rows.flatMap((row, note) =>
    Array.from({ length: CHUNKS }, (_, at) => ({ note, at, id: CHUNKS * NOTE_ROWS.indexOf(row) + at })),
  );
  const up = layout === "neighbours" ? -1 : 1;
  return {
    layout,
    x: chunks.map(({ id }) => Math.floor(id / CHUNKS) / 10 - 0.4),
    y: chunks.map(({ at }) => (up * (at - 1)) / 2),
    chunk: chunks.map(({ id }) => id),
    line: chunks.map(({ at }) => 1 + 10 * at),
    note: chunks.map(({ note }) => note),
    cluster: chunks.map(({ id }) => (id < 2 ? 0 : null)),
    notes,
    clusters: [{ text: "Signe is allergic to walnuts.", n: 2 }],
    is_compared: true,
    found_unknown: null,
    total: CHUNKS * NOTE_ROWS.length,
    n_unread: 0,
    sampled: null,
    variance: layout === "components" ? [0.2, 0.1] : null,
    neighbours: { state: layout === "neighbours" ? "stored" : "missing", n_added: 0 },
    notices: [],
  };
}
