// Names and questions come from files: signs that are not seen, or that turn the direction of what follows, are written out.

/** Direction marks and overrides, zero-width characters, tags and other invisible characters; joiners are handled below. */
const UNSEEN =
  // eslint-disable-next-line no-control-regex, no-misleading-character-class
  /[\u0000-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]/gu;

const ZWNJ = "\u200c";
const ZWJ = "\u200d";

/** A letter outside of ASCII, a mark on one, or an emoji: joiners belong between these. */
const JOINED = /[\p{L}\p{M}\p{Extended_Pictographic}\p{Emoji_Modifier}]/u;

/** The text with each such sign as its code point: `a⟨U+202E⟩b`. */
export function visible(text: string): string {
  return text.replace(UNSEEN, (sign, at: number) => {
    const isJoiner = sign === ZWNJ || sign === ZWJ;
    if (isJoiner && joins(lastOf(text.slice(0, at))) && joins(firstOf(text.slice(at + 1)))) return sign;
    return `⟨U+${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟩`;
  });
}

function joins(sign: string): boolean {
  return sign > "\u007f" && JOINED.test(sign);
}

function firstOf(text: string): string {
  return String.fromCodePoint(text.codePointAt(0) ?? 0);
}

function lastOf(text: string): string {
  return Array.from(text.slice(-2)).at(-1) ?? "";
}
