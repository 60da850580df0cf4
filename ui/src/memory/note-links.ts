// What may become of a link in a note. Which note it means is resolved by the engine, for the reader and for the lists of links.

/** What may become of a link. */
export type LinkKind = "outside" | "inside" | "refused";

/** Addresses that a browser or mail program is asked to open, after the user said yes. */
const OUTSIDE = new Set(["http", "https", "mailto"]);

/** A single letter is a drive and no scheme, but no note is there that a link could name. */
const SCHEME = /^([a-z][a-z0-9+.-]*):/i;

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
  // Browsers leave these out of an address before they read its scheme. A name with a space is no scheme.
  // eslint-disable-next-line no-control-regex
  const read = address.replace(/[\u0000-\u001f\u007f-\u009f]/g, "").trim();
  const scheme = SCHEME.exec(read)?.[1]?.toLowerCase();
  if (scheme !== undefined) return OUTSIDE.has(scheme) ? "outside" : "refused";
  return read === "" || /^[/\\]{2}/.test(read) ? "refused" : "inside";
}
