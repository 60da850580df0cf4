// What the Memory view shows beside a note, in the window's address, so that back and forward work.
import type { CardId, MapLayout, NoDay, NoteQuery, NoteSort } from "../api/bindings";

/** A query with every part. */
export type FullQuery = Required<NoteQuery>;

/** By what the points of the map are coloured. */
export type Colouring = "folder" | "agent" | "age" | "cluster" | "found";

/** How the map is drawn. */
export type MapLook = {
  colour: Colouring;
  /** null: by neighbours once that is computed */
  layout: MapLayout | null;
  /** id of the only group that is shown; null for all */
  only: string | null;
};

/** The cards, or the list or the map of a query. */
export type OverviewPlace =
  { kind: "cards" } | { kind: "list"; query: FullQuery } | { kind: "map"; query: FullQuery; look: MapLook };

/** A note that was opened from one of these. */
export type NotePlace = { kind: "note"; folder: string; path: string; line: number | null };

/** The list of contradictions. */
export type ContradictionsPlace = { kind: "contradictions" };

/** What the Memory view can show. */
export type MemoryPlace = OverviewPlace | NotePlace | ContradictionsPlace;

export const CONTRADICTIONS: ContradictionsPlace = { kind: "contradictions" };
export const CARDS: OverviewPlace = { kind: "cards" };

const CARD_IDS: readonly CardId[] = [
  ...(["new", "not_loaded", "not_searched", "never_found", "largest"] as const),
  ...(["oldest", "said_again", "contradictions", "problems", "languages"] as const),
];
const SORTS: readonly NoteSort[] = [
  ...(["title", "path", "agent", "date", "seen", "size"] as const),
  ...(["words", "chunks", "found", "opened", "language"] as const),
];
const COLOURINGS: readonly Colouring[] = ["folder", "agent", "age", "cluster", "found"];
const LAYOUTS: readonly MapLayout[] = ["components", "neighbours"];
const NO_DAYS: readonly NoDay[] = ["undated", "implausible"];
const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** A query that chooses every note. */
export const ALL_NOTES: FullQuery = {
  card: null,
  agent: null,
  folder: null,
  tag: null,
  language: null,
  from: null,
  to: null,
  no_day: null,
  has_problem: false,
  text: "",
  sort: null,
  is_reversed: false,
};

/** The map as it is drawn at first. */
export const FIRST_LOOK: MapLook = { colour: "folder", layout: null, only: null };

/** Returns the part of the address behind `#`. */
export function addressOf(place: MemoryPlace): string {
  if (place.kind === "contradictions") return "memory=contradictions";
  if (place.kind === "cards") return "memory=cards";
  if (place.kind === "note") {
    const { folder, path, line } = place;
    const parts = new URLSearchParams({ memory: "note", folder, path });
    if (line !== null) parts.set("line", String(line));
    return parts.toString();
  }
  const { query } = place;
  const parts = new URLSearchParams({ memory: place.kind });
  for (const key of ["card", "agent", "folder", "tag", "language", "from", "to", "no_day", "sort"] as const) {
    const value = query[key];
    if (value !== null) parts.set(key, value);
  }
  if (query.has_problem) parts.set("problem", "1");
  if (query.text !== "") parts.set("text", query.text);
  if (query.is_reversed) parts.set("reversed", "1");
  if (place.kind === "map") {
    const { colour, layout, only } = place.look;
    if (colour !== FIRST_LOOK.colour) parts.set("colour", colour);
    if (layout !== null) parts.set("layout", layout);
    if (only !== null) parts.set("only", only);
  }
  return parts.toString();
}

/** Whether a text is a day of the calendar, as YYYY-MM-DD. */
export function isDay(text: string): boolean {
  if (!DAY.test(text)) return false;
  // 30 February is read as a day of March.
  const at = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text);
}

/** Returns the place of an address; the cards for one that names none. What is not known in it is left out. */
export function placeOf(hash: string): MemoryPlace {
  const parts = new URLSearchParams(hash.replace(/^#/, ""));
  if (parts.get("memory") === "contradictions") return CONTRADICTIONS;
  if (parts.get("memory") === "note") {
    const [folder, path, line] = [parts.get("folder"), parts.get("path"), Number(parts.get("line"))];
    if (folder === null || path === null) return CARDS;
    return { kind: "note", folder, path, line: Number.isSafeInteger(line) && line > 0 ? line : null };
  }
  const kind = parts.get("memory");
  if (kind !== "list" && kind !== "map") return CARDS;
  const day = (key: string) => {
    const value = parts.get(key);
    return value !== null && isDay(value) ? value : null;
  };
  const query: FullQuery = {
    ...ALL_NOTES,
    card: CARD_IDS.find((id) => id === parts.get("card")) ?? null,
    agent: parts.get("agent"),
    folder: parts.get("folder"),
    tag: parts.get("tag"),
    language: parts.get("language"),
    from: day("from"),
    to: day("to"),
    no_day: NO_DAYS.find((why) => why === parts.get("no_day")) ?? null,
    has_problem: parts.get("problem") === "1",
    text: parts.get("text") ?? "",
    sort: SORTS.find((sort) => sort === parts.get("sort")) ?? null,
    is_reversed: parts.get("reversed") === "1",
  };
  if (kind === "list") return { kind, query };
  return {
    kind,
    query,
    look: {
      colour: COLOURINGS.find((colour) => colour === parts.get("colour")) ?? FIRST_LOOK.colour,
      layout: LAYOUTS.find((layout) => layout === parts.get("layout")) ?? null,
      only: parts.get("only"),
    },
  };
}
