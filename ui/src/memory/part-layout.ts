// Where things are in a part of a rendered note: lines begin where the page has laid them out, brackets follow them.
import type { PlacedChunk } from "./chunk-margin";

/** Where a line of the file begins in its part, in pixels from the part's top: upper edge and middle of its first row. */
export type LineMark = { line: number; top: number; middle: number };

/** A part as it was laid out; its lines are `[from, to]`. */
export type PartLayout = { from: number; to: number; height: number; marks: readonly LineMark[] };

/** A stretch of the margin, in pixels from the part's top. */
export type Stretch = { top: number; height: number };

/** What a bracket keeps from the borders of its part. */
const BEGIN_PX = 4;
const END_PX = 3;

/** Returns where a line begins; what is above the part begins at its top, a line without a row of its own with the next. */
export function topOf({ from, height, marks }: PartLayout, line: number): number {
  if (line <= from) return 0;
  return marks.find((mark) => mark.line >= line)?.top ?? height;
}

/** Returns where a line has ended: at the next line, or at the part's end. */
export function bottomOf({ to, height, marks }: PartLayout, line: number): number {
  if (line >= to) return height;
  return marks.find((mark) => mark.line > line)?.top ?? height;
}

/** Returns the stretch that a chunk's lines fill; never less than none. */
export function stretchOf(layout: PartLayout, { chunk }: PlacedChunk): Stretch {
  const top = topOf(layout, chunk.start_line);
  return { top, height: Math.max(0, bottomOf(layout, chunk.end_line) - top) };
}

/** Returns the stretch of a chunk's bracket, which keeps a little from the chunks above and below. */
export function bracketOf(
  layout: PartLayout,
  placed: PlacedChunk,
): Stretch & { starts: boolean; ends: boolean } {
  const { top, height } = stretchOf(layout, placed);
  const starts = placed.chunk.start_line >= layout.from;
  const ends = placed.chunk.end_line <= layout.to;
  const above = starts ? BEGIN_PX : 0;
  const below = ends ? END_PX : 0;
  return { top: top + above, height: Math.max(0, height - above - below), starts, ends };
}

/** Returns the chunks that start in the part, together where they start at one height. */
export function tagsOf(
  layout: PartLayout,
  starting: readonly PlacedChunk[],
): { top: number; chunks: readonly PlacedChunk[] }[] {
  const tags: { top: number; chunks: PlacedChunk[] }[] = [];
  for (const placed of starting) {
    const top = topOf(layout, placed.chunk.start_line);
    const last = tags.at(-1);
    if (last?.top === top) last.chunks.push(placed);
    else tags.push({ top, chunks: [placed] });
  }
  return tags;
}

/** Returns the line at a height: the last that begins above it. */
export function lineAt({ from, marks }: PartLayout, y: number): number {
  return marks.findLast((mark) => mark.top <= y)?.line ?? from;
}
