/** Two rankings of one question, and another program: a stand-in that sorts by a note's name. */
import type {
  ComparedRow,
  ComparedSide,
  Comparison,
  Change,
  Params,
  PipelineInfo,
  QueryChange,
  Ranking,
  Scores,
  SetComparison,
  SetSide,
  Summary,
} from "../../src/api/bindings";
import { DEFAULTS, PARAMETERS, STAGES } from "../../src/api/parameters";
import type { FakeChunk } from "./notes";
import { rank, retrieve } from "./ranking";

/** Memlens's own pipeline, and one of another program. */
export const PIPELINES: PipelineInfo[] = [
  {
    id: "memlens",
    label: "Memlens",
    parameters: [...PARAMETERS],
    stages: [...STAGES],
    yours: null,
    is_own: false,
  },
  { id: "shelf@1", label: "Shelf 1", parameters: [], stages: [], yours: null, is_own: false },
];

/** Numbers of rows that the other program returns, and of reported dropped rows. */
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
    ...{ model: "all-MiniLM-L6-v2-q8@57d50a19", n_ranked: order.length },
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
          put_below_by: query === REORDERED && place === 2 ? "MMR" : null,
          other: null,
        },
      ];
    }),
  };
}

/** A question whose third row MMR put below lower scores. */
export const REORDERED = "relay without repeats";

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

function scores(ndcg: number): Scores {
  return {
    ...{ "recall@1": ndcg, "recall@5": ndcg, "recall@10": ndcg, "mrr@10": ndcg, "ndcg@10": ndcg },
    ...{ "hit@1": ndcg, "hit@5": ndcg, "hit@10": ndcg, precision: ndcg },
    ...{ hit_file: Math.ceil(ndcg), "hit_file@1": ndcg, "hit_file@5": ndcg, returned: 6 },
  };
}

const mean = (of: readonly number[]) => of.reduce((sum, one) => sum + one, 0) / of.length;

function summary(of: readonly Scores[]): Summary {
  const all = scores(mean(of.map((one) => one["ndcg@10"])));
  return { n: of.length, n_undefined: 0, ...all, hit_file: mean(of.map((one) => one.hit_file)) };
}

function changed(of: readonly QueryChange[]): Change {
  const by = of.map(({ a, b }) => Math.sign(b["ndcg@10"] - a["ndcg@10"]));
  const n = (sign: number) => by.filter((one) => one === sign).length;
  return {
    n: of.length,
    a: mean(of.map(({ a }) => a["ndcg@10"])),
    b: mean(of.map(({ b }) => b["ndcg@10"])),
    ...{ wins: n(1), ties: n(0), losses: n(-1) },
  };
}

/** Both over the query set: the second finds more if the first is another program's. */
export function comparedOver(a: Ranking, b: Ranking): SetComparison {
  const query = (id: string, text: string, category: string, from: number, to: number): QueryChange => ({
    ...{ id, query: text, category, scope: id === "q2" ? { folder: "1", path: "protocols" } : null },
    ...{ a: scores(from), b: scores(to), overlap: 0.5 },
  });
  const isSame = a.pipeline === b.pipeline;
  const queries = [
    query("q1", "relay quiet hours", "direct", 0.25, isSame ? 0.25 : 1),
    query("q2", "who may open the door", "vague", 0.5, isSame ? 0.5 : 0),
    query("q3", "soup stock", "direct", 1, 1),
  ];
  const side = (named: string, scores: Scores[], n_nothing: number): SetSide => ({
    ...{
      named,
      pipeline: named,
      model: "all-MiniLM-L6-v2-q8@57d50a19",
      all: summary(scores),
      nonsense: { n: 2, n_nothing },
    },
  });
  const of = (category: string) => changed(queries.filter((one) => one.category === category));
  return {
    queries: "Judgments",
    n_queries: queries.length,
    a: side(
      a.pipeline,
      queries.map((one) => one.a),
      0,
    ),
    b: side(
      b.pipeline,
      queries.map((one) => one.b),
      1,
    ),
    overlap: 0.5,
    by_category: { direct: of("direct"), vague: of("vague") },
    all: changed(queries),
    verdict:
      "The difference may be chance: +0.012, 95 % −0.004 to +0.031. If it is real and as large as measured, about 120 more judged queries would tell.",
    per_query: queries,
    notices: ["3 queries are not judged yet; left out"],
  };
}
