// Where a link in a note leads: out of the window, to a line or heading, to another note, or nowhere.
import type { FolderState, FolderTree } from "../api/bindings";
import { findEntry } from "./tree-rows";

/** What may become of a link. */
export type LinkKind = "outside" | "inside" | "refused";

/** A place that a link inside the memory names; `part` is what is behind `#`, "" without one. */
export type LinkedNote = { folder: string; path: string; part: string };

/** Addresses that a browser or mail program is asked to open, after the user said yes. */
const OUTSIDE = new Set(["http", "https", "mailto"]);

/** A single letter is a drive and no scheme, but no note is there that a link could name. */
const SCHEME = /^\s*([a-z][a-z0-9+.-]*):/i;

/** The longest address that is followed, in characters. */
const ADDRESS_CHARS_MAX = 2_048;

/**
 * Returns what may become of an address: of schemes only `http`, `https` and `mailto` lead out; without one it is a path.
 *
 * `//host/path` takes the page's own scheme and is refused, as every other scheme is, and so is what is no address by its
 * length: a definition of a megabyte may be named a thousand times.
 */
export function linkKind(address: string): LinkKind {
  if (address.length > ADDRESS_CHARS_MAX) return "refused";
  // Browsers leave these out of an address before they read its scheme.
  // eslint-disable-next-line no-control-regex
  const read = address.replace(/[\u0000-\u0020\u007f-\u009f]/g, "");
  const scheme = SCHEME.exec(read)?.[1]?.toLowerCase();
  if (scheme !== undefined) return OUTSIDE.has(scheme) ? "outside" : "refused";
  return read === "" || /^[/\\]{2}/.test(read) ? "refused" : "inside";
}

/**
 * Returns the note that an address inside the memory names, as seen from the note at `path` in `folder`.
 *
 * A path is looked for beside the note first, then from the watched folder on, then as an absolute path into any watched
 * folder, each also with `.md` behind it. null where no watched folder holds it.
 */
export function linkedNote(
  address: string,
  folder: string,
  path: string,
  trees: readonly FolderTree[],
): LinkedNote | null {
  const hash = address.indexOf("#");
  const part = hash === -1 ? "" : decoded(address.slice(hash + 1));
  const name = decoded((hash === -1 ? address : address.slice(0, hash)).replace(/\?.*$/s, ""));
  if (name === "") return { folder, path, part };
  for (const place of placesOf(name, folder, path, trees)) {
    for (const ending of ["", ".md"]) {
      const entry = findEntry(trees, place.folder, place.path + ending);
      if (entry !== null && !entry.is_folder) return { folder: place.folder, path: entry.path, part };
    }
  }
  return null;
}

function placesOf(
  name: string,
  folder: string,
  path: string,
  trees: readonly FolderTree[],
): { folder: string; path: string }[] {
  const home = trees.find((tree) => tree.folder.id === folder)?.folder;
  const beside = home === undefined ? null : joined(`${home.path}/${path}/..`, name);
  const absolute = [name.startsWith("/") ? joined("", name) : beside];
  const fromRoot = joined("", name);
  return [
    ...absolute.flatMap((place) => (place === null ? [] : inFolders(place, trees))),
    ...(fromRoot === null ? [] : [{ folder, path: fromRoot.slice(1) }]),
  ];
}

/** A watched folder may be in another, so a path may have a place in several. */
function inFolders(place: string, trees: readonly FolderTree[]): { folder: string; path: string }[] {
  return trees.flatMap(({ folder }: { folder: FolderState }) =>
    place.startsWith(`${folder.path}/`)
      ? [{ folder: folder.id, path: place.slice(folder.path.length + 1) }]
      : [],
  );
}

/** Returns an absolute path without `.` and `..`; null where it would leave the root. */
function joined(base: string, name: string): string | null {
  const names: string[] = [];
  for (const step of `${base}/${name}`.split("/")) {
    if (step === "" || step === ".") continue;
    if (step !== "..") names.push(step);
    else if (names.pop() === undefined) return null;
  }
  return `/${names.join("/")}`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Returns the line that `#L12` or `#12` names; null when it is none. */
export function lineOfPart(part: string): number | null {
  const line = /^L?(\d{1,9})$/i.exec(part)?.[1];
  return line === undefined || Number(line) === 0 ? null : Number(line);
}

/** Returns what a heading is called in an address, as GitHub makes it: small letters, spaces as hyphens, no other signs. */
export function headingName(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, "")
    .replaceAll(" ", "-");
}
