// By what the points of the map are coloured: the groups of the legend, and the group of each point.
import type { Colouring } from "../overview/address";
import { count } from "../shared/format";
import type { ChunkMap } from "./chunk-map";

export const COLOURINGS: readonly { id: Colouring; label: string }[] = [
  { id: "folder", label: "Folder" },
  { id: "agent", label: "Agent" },
  { id: "age", label: "Age" },
  { id: "cluster", label: "Said more than once" },
  { id: "found", label: "Found by past questions" },
];

/** A line of the legend. */
export type Group = {
  /** Unchanged while the library changes, so that the choice of one group stays. */
  id: string;
  name: string;
  /** Number of chunks. */
  n: number;
  /** Of the colours and shapes; null for the neutral ones of what has no group. */
  hue: number | null;
};

/** Colours that differ, or a row of colours from young to old. */
export type Palette = "hue" | "age";

export type Grouping = {
  palette: Palette;
  groups: readonly Group[];
  /** Position in `groups` of each point. */
  of: Uint8Array;
  /** The only folder of all points, where the groups are its sub-folders; null otherwise. */
  parent: string | null;
};

/** Groups with a colour of their own; the others are one group. */
export const HUES = 7;
const DAY_MS = 24 * 60 * 60 * 1_000;

/** Ages in days up to which a note belongs to a group, the youngest first. */
const AGES: readonly { id: string; name: string; days: number }[] = [
  { id: "week", name: "Last 7 days", days: 7 },
  { id: "month", name: "Last 30 days", days: 30 },
  { id: "quarter", name: "Last 90 days", days: 90 },
  { id: "year", name: "Last 365 days", days: 365 },
  { id: "older", name: "Older", days: Infinity },
];

type Key = {
  id: string;
  name: string;
  /** null for a neutral one; left out where it follows from the number of chunks. */
  hue?: number | null;
};
type Counted = Pick<Key, "name"> & { n: number; hue: number | null | undefined };

/** Groups the points. `today` is in milliseconds since 1970. Groups without a point are left out. */
export function groupingOf(map: ChunkMap, by: Colouring, today: number): Grouping {
  const { notes } = map.picture;
  switch (by) {
    case "folder":
      return byFolder(map);
    case "agent":
      return byNumber(
        map,
        ofNotes(
          map,
          notes.map(({ agent, agent_name }) =>
            agent === null
              ? { id: "", name: "No agent", hue: null }
              : { id: agent, name: agent_name ?? agent },
          ),
        ),
        "other agents",
      );
    case "age":
      return {
        ...ordered(
          map,
          notes.map(({ date }) => ageOf(date, new Date(today))),
          [...AGES.map(({ id }) => id), "undated"],
        ),
        palette: "age",
      };
    case "found":
      return ordered(
        map,
        notes.map(({ n_found, n_opened }) => foundOf(n_found, n_opened)),
        ["opened", "unopened", "found", "never", "unknown"],
      );
    case "cluster":
      return byCluster(map);
  }
}

function ageOf(date: string | null, today: Date): Key {
  if (date === null) return { id: "undated", name: "Without a known date", hue: null };
  const now = Date.UTC(today.getFullYear(), today.getMonth(), today.getDate());
  const days = Math.round((now - Date.parse(`${date}T00:00:00Z`)) / DAY_MS);
  const at = AGES.findIndex((age) => days < age.days);
  return { id: AGES[at]?.id ?? "older", name: AGES[at]?.name ?? "Older", hue: at };
}

/** What is null is not known: it is not the same as none. */
function foundOf(n_found: number | null, n_opened: number | null): Key {
  if ((n_opened ?? 0) > 0) return { id: "opened", name: "Opened", hue: 0 };
  if (n_found === null) return { id: "unknown", name: "Not known", hue: null };
  if (n_found === 0) return { id: "never", name: "Never found", hue: 2 };
  return n_opened === null
    ? { id: "found", name: "Found", hue: 1 }
    : { id: "unopened", name: "Found, not opened", hue: 1 };
}

/** The key of a point by that of its note. */
function ofNotes(map: ChunkMap, keys: readonly Key[]): (at: number) => Key {
  const none: Key = { id: "", name: "", hue: null };
  return (at) => keys[map.picture.note[at] ?? -1] ?? none;
}

/** Groups in a given order, with the hues of their keys. */
function ordered(map: ChunkMap, keys: readonly Key[], order: readonly string[]): Grouping {
  const keyOf = ofNotes(map, keys);
  const counts = countsOf(map, keyOf);
  const groups = order.flatMap((id) => {
    const found = counts.get(id);
    return found === undefined ? [] : [{ id, name: found.name, n: found.n, hue: found.hue ?? null }];
  });
  return placed(map, groups, (at) => keyOf(at).id);
}

/** By watched folder; where all points are of one, by its sub-folders, with the notes directly in it as a group of its name. */
function byFolder(map: ChunkMap): Grouping {
  const { notes } = map.picture;
  const [first] = notes;
  const isOne = notes.every(({ folder }) => folder === first?.folder);
  if (first === undefined || !isOne || !notes.some(({ path }) => path.includes("/")))
    return byNumber(
      map,
      ofNotes(
        map,
        notes.map(({ folder, folder_name }) => ({ id: folder, name: folder_name })),
      ),
      "other folders",
    );
  const keys = notes.map(({ folder, folder_name, path }) => {
    const end = path.indexOf("/");
    return end < 0
      ? { id: folder, name: folder_name }
      : { id: `${folder}/${path.slice(0, end)}`, name: path.slice(0, end + 1) };
  });
  return { ...byNumber(map, ofNotes(map, keys), "other sub-folders"), parent: first.folder_name };
}

function byCluster(map: ChunkMap): Grouping {
  const { cluster, clusters } = map.picture;
  const none: Key = { id: "", name: "Said once", hue: null };
  const keys = clusters.map(({ text }): Key => ({ id: `says ${text}`, name: text }));
  return byNumber(map, (at) => keys[cluster[at] ?? -1] ?? none, "other statements");
}

/** The largest groups each with a hue, then all others as one, then the neutral ones. Equal ones by name. */
function byNumber(map: ChunkMap, keyOf: (at: number) => Key, others: string): Grouping {
  const all = [...countsOf(map, keyOf)].map(([id, { name, n, hue }]) => ({ id, name, n, hue }));
  all.sort((a, b) => b.n - a.n || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  const named = all.filter(({ hue }) => hue !== null);
  const neutral = all.filter(({ hue }) => hue === null).map((group) => ({ ...group, hue: null }));
  const isAll = named.length <= HUES;
  const own = isAll ? named : named.slice(0, HUES - 1);
  const rest = named.slice(own.length);
  const groups: Group[] = own.map((group, hue) => ({ ...group, hue }));
  if (rest.length > 0)
    groups.push({
      id: "others",
      name: `${count(rest.length)} ${others}`,
      n: rest.reduce((sum, { n }) => sum + n, 0),
      hue: HUES - 1,
    });
  const isRest = new Set(rest.map(({ id }) => id));
  return placed(map, [...groups, ...neutral], (at) => {
    const id = keyOf(at).id;
    return isRest.has(id) ? "others" : id;
  });
}

function countsOf(map: ChunkMap, keyOf: (at: number) => Key): Map<string, Counted> {
  const counts = new Map<string, Counted>();
  for (let at = 0; at < map.n; at++) {
    const key = keyOf(at);
    const known = counts.get(key.id);
    if (known === undefined) counts.set(key.id, { name: key.name, n: 1, hue: key.hue });
    else known.n++;
  }
  return counts;
}

function placed(map: ChunkMap, groups: readonly Group[], idOf: (at: number) => string): Grouping {
  const position = new Map(groups.map(({ id }, at) => [id, at]));
  const of = new Uint8Array(map.n);
  for (let at = 0; at < map.n; at++) of[at] = position.get(idOf(at)) ?? 0;
  return { palette: "hue", groups, of, parent: null };
}
