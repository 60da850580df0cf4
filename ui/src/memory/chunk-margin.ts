// Which bracket of the margin is beside which line: chunks overlap, so their brackets need lanes.
import type { DocumentChunk } from "../api/bindings";

/** Lanes of brackets in the margin; a packer that overlaps neighbours needs two. */
export const LANES = 2;

/** A chunk with its place in the margin. */
export type PlacedChunk = {
  chunk: DocumentChunk;
  /** position in the document, 0-based */
  index: number;
  /** 0 is nearest to the text; null: no lane was free (pieces of one long line), so it has no bracket of its own */
  lane: number | null;
};

/** What one lane draws beside a line. */
export type Segment = { placed: PlacedChunk; starts: boolean; ends: boolean };

/** The brackets of one document. */
export class ChunkMargin {
  /** in the order of the document: start line, then end line, then as given */
  readonly chunks: readonly PlacedChunk[];
  readonly n_lanes: number;
  readonly #lanes: readonly (readonly PlacedChunk[])[];

  constructor(chunks: readonly DocumentChunk[]) {
    this.chunks = placed(chunks);
    const lanes: PlacedChunk[][] = Array.from({ length: LANES }, () => []);
    for (const chunk of this.chunks) if (chunk.lane !== null) lanes[chunk.lane]?.push(chunk);
    this.#lanes = lanes;
    this.n_lanes = lanes.filter((lane) => lane.length > 0).length;
  }

  /** Returns the segments beside a 1-based line, by lane; null where a lane is empty. */
  at(line: number): (Segment | null)[] {
    return this.#lanes.map((lane) => {
      const found = lane[lastStartingAt(lane, line)];
      if (found === undefined || found.chunk.end_line < line) return null;
      return { placed: found, starts: found.chunk.start_line === line, ends: found.chunk.end_line === line };
    });
  }

  /** Returns the chunks with a bracket that reach into the lines `[from, to]`, in order. */
  between(from: number, to: number): PlacedChunk[] {
    return this.#lanes.flatMap((lane) => {
      const found: PlacedChunk[] = [];
      for (let at = lastStartingAt(lane, to); at >= 0; at -= 1) {
        const placed = lane[at];
        // Chunks of one lane do not overlap: before this one none reaches so far.
        if (placed === undefined || placed.chunk.end_line < from) break;
        found.push(placed);
      }
      return found.reverse();
    });
  }

  /** Returns the chunks that start in the lines `[from, to]`, those without a lane included, in order. */
  startingIn(from: number, to: number): PlacedChunk[] {
    const found: PlacedChunk[] = [];
    for (let at = lastStartingAt(this.chunks, to); at >= 0; at -= 1) {
      const placed = this.chunks[at];
      if (placed === undefined || placed.chunk.start_line < from) break;
      found.push(placed);
    }
    return found.reverse();
  }

  /** Returns the chunks that start at a line, those without a lane included. */
  startingAt(line: number): PlacedChunk[] {
    return this.startingIn(line, line);
  }

  /**
   * Returns the chunk to choose for a line: the one that holds it and starts latest, since that one has most of what follows.
   *
   * With `after`, the next of the chunks that hold the line, in turn, so that a second click reaches the overlapping one.
   * null when no chunk holds the line.
   */
  choose(line: number, after: number | null = null): PlacedChunk | null {
    const holding = this.at(line).flatMap((segment) => (segment === null ? [] : [segment.placed]));
    if (holding.length === 0) return null;
    holding.sort((a, b) => b.index - a.index);
    const present = holding.findIndex((chunk) => chunk.index === after);
    return holding[(present + 1) % holding.length] ?? null;
  }
}

function placed(chunks: readonly DocumentChunk[]): PlacedChunk[] {
  const order = chunks
    .map((chunk, index) => ({ chunk, index }))
    .sort(
      (a, b) =>
        a.chunk.start_line - b.chunk.start_line || a.chunk.end_line - b.chunk.end_line || a.index - b.index,
    );
  const lastLine = new Array<number>(LANES).fill(0);
  return order.map(({ chunk }, index) => {
    const lane = lastLine.findIndex((line) => line < chunk.start_line);
    if (lane === -1) return { chunk, index, lane: null };
    lastLine[lane] = chunk.end_line;
    return { chunk, index, lane };
  });
}

/** Returns the position of the last chunk that starts at or before `line`; -1 when there is none. `chunks` is ordered by start line. */
function lastStartingAt(chunks: readonly PlacedChunk[], line: number): number {
  let low = -1;
  let high = chunks.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    const chunk = chunks[middle];
    if (chunk !== undefined && chunk.chunk.start_line <= line) low = middle;
    else high = middle - 1;
  }
  return low;
}
