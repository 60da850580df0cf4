/** Two rankings of one question, and another program: a stand-in that sorts by a note's name. */
import type {
  ComparedRow,
  ComparedSide,
  Comparison,
  Params,
  PipelineInfo,
  Ranking,
} from "../../src/api/bindings";
import { DEFAULTS, PARAMETERS, STAGES } from "../../src/api/parameters";
import type { FakeChunk } from "./notes";
import { rank, retrieve } from "./ranking";

/** Memlens's own pipeline, and one of another program. */
export const PIPELINES: PipelineInfo[] = [
  { id: "memlens", label: "Memlens", parameters: [...PARAMETERS], stages: [...STAGES] },
  { id: "shelf@1", label: "Shelf 1", parameters: [], stages: [] },
];

/** How many rows the other program keeps, and how many dropped ones are told. */
const SHELF_KEPT = 5;
const DROPPED = 10;

function side(query: string, chunks: FakeChunk[], ranking: Ranking): ComparedSide {
  const params = { ...DEFAULTS, ...(ranking.values as Partial<Params>) };
  const set = retrieve(query, chunks, params);
  const columns = rank(set, params);
  const isShelf = ranking.pipeline !== "memlens";
  const order = isShelf
    ? [...columns.order].sort((a, b) => (set.rows[a]?.path ?? "").localeCompare(set.rows[b]?.path ?? ""))
    : columns.order;
  const nKept = isShelf ? Math.min(SHELF_KEPT, order.length) : columns.n_kept;
  return {
    label: isShelf ? "Shelf 1" : "Memlens",
    n_ranked: order.length,
    notices: isShelf ? ["Shelf 1, emulated over 12 notes."] : [],
    rows: order.slice(0, nKept + DROPPED).flatMap((slot, place): ComparedRow[] => {
      const row = set.rows[slot];
      if (row === undefined) return [];
      const isKept = place < nKept;
      return [
        {
          folder: row.folder,
          path: row.path,
          start_line: row.start_line,
          end_line: row.end_line,
          source: row.source,
          text: set.texts[slot] ?? "",
          rank: isKept ? place + 1 : null,
          score: columns.score[slot] ?? null,
          reason: isKept ? null : `rank ${place + 1} > ${nKept}`,
          other: null,
        },
      ];
    }),
  };
}

export function compared(query: string, chunks: FakeChunk[], a: Ranking, b: Ranking): Comparison {
  const [left, right] = [side(query, chunks, a), side(query, chunks, b)];
  for (const [place, row] of left.rows.entries()) {
    const other = right.rows.findIndex((one) => one.path === row.path && one.start_line === row.start_line);
    if (other < 0) continue;
    row.other = other;
    const same = right.rows[other];
    if (same !== undefined) same.other = place;
  }
  const isKept = (of: ComparedSide, place: number | null) =>
    place !== null && (of.rows[place]?.rank ?? null) !== null;
  const keptOf = (of: ComparedSide) => of.rows.filter((row) => row.rank !== null);
  const nBoth = keptOf(left).filter((row) => isKept(right, row.other)).length;
  return {
    a: left,
    b: right,
    n_both: nBoth,
    n_entered: keptOf(right).length - nBoth,
    n_left: keptOf(left).length - nBoth,
    overlap: keptOf(left).length === 0 ? 0 : nBoth / keptOf(left).length,
  };
}
