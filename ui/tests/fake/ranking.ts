/**
 * A small stand-in for the engine's ranking: enough that sliders move rows for the right reasons.
 *
 * Formulas follow the pipeline's; only vectors are made up, from shared words and a fixed noise.
 */
import type {
  Bar,
  CellColumn,
  Columns,
  FormulaLine,
  Journey,
  Params,
  Part,
  QueryWord,
  Row,
  Snippet,
  StageId,
  StageSummary,
  Status,
} from "../../src/api/bindings";
import { STAGES } from "../../src/api/parameters";
import { ranksOf as listRanks } from "../../src/search/row-order";
import { shareOf } from "../../src/rerank/rerank-columns";
import { randomFrom, STOP_WORDS, wordsOf, type FakeChunk } from "./notes";
import { rerankKey, scaleBy, type KnownScores } from "./rerank";

const LIST_MAX = 1_000;
const K1 = 1.2;
const B = 0.75;

/** What a search froze: the candidates, their text and the query's words. */
export type FakeSet = {
  query: string;
  rows: Row[];
  texts: string[];
  words: QueryWord[];
  bm25Ideal: number;
  nChunks: number;
  params: Params;
  /** By `rerankKey`; grows as the reranker answers. */
  known: Map<string, KnownScores>;
  /** Orders that the hook was given; it sends the first row to the end. */
  hooked: Set<string>;
};

export function retrieve(query: string, chunks: FakeChunk[], params: Params): FakeSet {
  const typed = [...new Set(query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])];
  const words: QueryWord[] = typed.map((word) => {
    const term = wordsOf(word)[0] ?? word;
    const n = chunks.filter((chunk) => chunk.words.includes(term)).length;
    return { typed: word, term, weight: STOP_WORDS.has(word) ? 0.25 : 1, n_chunks: n };
  });
  const idf = (word: QueryWord) =>
    word.weight * Math.log(1 + (chunks.length - word.n_chunks + 0.5) / (word.n_chunks + 0.5));
  const averageLength =
    chunks.reduce((sum, chunk) => sum + chunk.words.length, 0) / Math.max(1, chunks.length);
  const bm25Ideal = words.reduce((sum, word) => sum + idf(word) * (K1 + 1), 0);
  const noise = randomFrom([...query].reduce((sum, letter) => sum * 31 + (letter.codePointAt(0) ?? 0), 7));
  const scored = chunks.map((chunk) => {
    const held = words.filter((word) => chunk.words.includes(word.term));
    const isListed = held.length > 0 && (params.bm25_join === "or" || held.length === words.length);
    const bm25 = held.reduce((sum, word) => {
      const tf = chunk.words.filter((other) => other === word.term).length;
      return (
        sum + (idf(word) * tf * (K1 + 1)) / (tf + K1 * (1 - B + (B * chunk.words.length) / averageLength))
      );
    }, 0);
    const share =
      held.filter((word) => word.weight === 1).length /
      Math.max(1, words.filter((word) => word.weight === 1).length);
    const cosine =
      0.02 + 0.42 * share + 0.3 * noise() * noise() + (params.vector_unit === "chunk" ? 0.08 * noise() : 0);
    return { chunk, held, bm25: isListed ? bm25 : null, cosine };
  });
  const byCosine = scored.toSorted((a, b) => b.cosine - a.cosine).slice(0, LIST_MAX);
  const byBm25 = scored
    .filter((hit) => hit.bm25 !== null)
    .toSorted((a, b) => (b.bm25 ?? 0) - (a.bm25 ?? 0))
    .slice(0, LIST_MAX);
  const candidates = [...new Set([...byCosine, ...byBm25])];
  const rows = candidates.map(({ chunk, held, bm25, cosine }): Row => {
    const { chunk: id, folder, folder_name, path, start_line, end_line, source, heading, tokens } = chunk;
    return {
      chunk: id,
      folder,
      folder_name,
      path,
      start_line,
      end_line,
      source,
      heading,
      tokens,
      cosine,
      bm25,
      matched: held.map((word) => word.typed),
    };
  });
  return {
    query,
    rows,
    texts: candidates.map(({ chunk }) => chunk.text),
    words,
    bm25Ideal,
    nChunks: chunks.length,
    params,
    known: new Map(),
    hooked: new Set(),
  };
}

/** The matched words in a text, stop words left out. */
export function marksIn(text: string, words: QueryWord[]): [number, number][] {
  const terms = new Set(words.filter((word) => word.weight === 1).map((word) => word.term));
  return [...text.matchAll(/[\p{L}\p{N}]+/gu)].flatMap((match): [number, number][] => {
    const isTerm = terms.has(wordsOf(match[0])[0] ?? "");
    return isTerm ? [[match.index, match.index + match[0].length]] : [];
  });
}

/** Ranks by one value, best first, 1-based; `depth` cuts. */
function ranksOf(values: (number | null)[], depth: number): (number | null)[] {
  const ranks: (number | null)[] = values.map(() => null);
  values
    .flatMap((value, slot) => (value === null ? [] : [{ value, slot }]))
    .toSorted((a, b) => b.value - a.value || a.slot - b.slot)
    .slice(0, depth)
    .forEach(({ slot }, at) => (ranks[slot] = at + 1));
  return ranks;
}

function minMax(values: (number | null)[]): (value: number | null) => number {
  const present = values.filter((value) => value !== null);
  const low = Math.min(...present);
  const high = Math.max(...present);
  return (value) => (value === null ? 0 : high === low ? 1 : 0.05 + (0.95 * (value - low)) / (high - low));
}

/** A column of the table; what is left out is empty. */
export function cellsOf(key: string, cells: Partial<CellColumn>): CellColumn {
  return { key, stage: key, is_list: false, before: [], rank: [], value: [], state: [], ...cells };
}

/** The number that a column shows of a row. */
export function valueIn(columns: Columns, key: string, slot: number): number | null {
  return columns.cells.find((cells) => cells.key === key)?.value[slot] ?? null;
}

export function rank(set: FakeSet, params: Params): Columns {
  const vectorRank = params.vector_on
    ? ranksOf(
        set.rows.map((row) => row.cosine),
        params.vector_depth,
      )
    : set.rows.map(() => null);
  const bm25Rank = params.bm25_on
    ? ranksOf(
        set.rows.map((row) => row.bm25),
        params.bm25_depth,
      )
    : set.rows.map(() => null);
  const isIn = set.rows.map((_, slot) => vectorRank[slot] !== null || bm25Rank[slot] !== null);
  const inList = (values: (number | null)[], ranks: (number | null)[]) =>
    values.map((value, slot) => (ranks[slot] === null ? null : value));
  const cosines = set.rows.map((row) => row.cosine);
  const texts = set.rows.map((row) => row.bm25);
  const relativeVector = minMax(inList(cosines, vectorRank));
  const relativeText = minMax(inList(texts, bm25Rank));
  const sides =
    params.bm25_on && set.bm25Ideal > 0 ? params.vector_weight + params.text_weight : params.vector_weight;
  const reciprocal = (rank: number | null | undefined) =>
    rank === null || rank === undefined ? 0 : 1 / (params.fusion_k + rank);
  const rrf = set.rows.map((_, slot) => {
    if (!isIn[slot]) return null;
    const sum =
      params.vector_weight * reciprocal(vectorRank[slot]) + params.text_weight * reciprocal(bm25Rank[slot]);
    return (sum * (params.fusion_k + 1)) / (params.vector_weight + params.text_weight);
  });
  const halves = set.rows.map((row, slot): { vector: number; text: number } => {
    const cosine = row.cosine ?? 0;
    const bm25 = row.bm25 ?? 0;
    switch (params.fusion) {
      case "calibrated":
        return {
          vector: (params.vector_weight * cosine) / sides,
          text: set.bm25Ideal > 0 ? (params.text_weight * bm25) / set.bm25Ideal / sides : 0,
        };
      case "rrf": {
        const scale = (params.fusion_k + 1) / (params.vector_weight + params.text_weight);
        return {
          vector: params.vector_weight * reciprocal(vectorRank[slot]) * scale,
          text: params.text_weight * reciprocal(bm25Rank[slot]) * scale,
        };
      }
      case "relative":
        return {
          vector: (params.vector_weight * relativeVector(vectorRank[slot] === null ? null : cosine)) / sides,
          text: (params.text_weight * relativeText(bm25Rank[slot] === null ? null : bm25)) / sides,
        };
      case "weighted":
        return { vector: params.vector_weight * cosine, text: (params.text_weight * bm25) / (1 + bm25) };
    }
  });
  const fused = halves.map((half, slot) => (isIn[slot] ? half.vector + half.text : null));
  const parts = halves.map((half, slot): Part[] =>
    isIn[slot]
      ? [
          { stage: "vector" as const, amount: half.vector },
          { stage: "bm25" as const, amount: half.text },
        ].filter((part) => part.amount !== 0)
      : [],
  );
  const byFused = set.rows
    .map((_, slot) => slot)
    .toSorted((a, b) => (fused[b] ?? -1) - (fused[a] ?? -1) || a - b);
  const reranked = rerankBy(set, params, byFused, fused);
  const { order, score } = reranked;

  const droppedBy: (StageId | null)[] = set.rows.map((_, slot) => (isIn[slot] ? null : "fusion"));
  const reason: (string | null)[] = set.rows.map((row, slot) =>
    isIn[slot] ? null : outsideReason(row, params),
  );
  const drop = (slot: number, stage: StageId, why: string) => {
    droppedBy[slot] = stage;
    reason[slot] = why;
  };
  const alive = () => order.filter((slot) => droppedBy[slot] === null);
  const summaries: StageSummary[] = [];
  const summary = (
    id: StageId,
    status: Status,
    nIn: number,
    nOut: number,
    micros: number | null,
    note: string | null = null,
  ) =>
    summaries.push({
      id,
      label: STAGES.find((stage) => stage.id === id)?.label ?? id,
      status,
      n_in: nIn,
      n_out: nOut,
      n_dropped: Math.max(0, nIn - nOut),
      micros,
      note,
    });
  const applied: Status = { kind: "applied" };
  const off = (why: string): Status => ({ kind: "skipped", why });
  const listed = (ranks: (number | null)[]) => ranks.filter((rank) => rank !== null).length;
  const nIn = alive().length;

  for (const stage of STAGES) {
    const before = alive();
    switch (stage.id) {
      case "vector":
        summary("vector", params.vector_on ? applied : off("off"), set.nChunks, listed(vectorRank), 2_340);
        break;
      case "bm25":
        summary(
          "bm25",
          set.words.length === 0 ? off("no letters or digits") : params.bm25_on ? applied : off("off"),
          set.nChunks,
          listed(bm25Rank),
          410,
        );
        break;
      case "fusion": {
        const nBoth = vectorRank.filter((rank, slot) => rank !== null && bm25Rank[slot] !== null).length;
        summary("fusion", params.fusion_on ? applied : off("off"), nIn, nIn, 11, `${nBoth} in both`);
        break;
      }
      case "repeats":
        summary(
          "repeats",
          params.repeats_on
            ? params.repeat_share === 1
              ? off("share is 1, and no row has copies")
              : applied
            : off("off"),
          before.length,
          before.length,
          6,
          params.repeats_on ? "2 moved to the end" : null,
        );
        break;
      case "threshold": {
        const best = score[before[0] ?? -1] ?? 0;
        for (const slot of params.threshold_on ? before : []) {
          const value = score[slot] ?? 0;
          if (value < params.min_score)
            drop(slot, "threshold", `below min score: ${value.toFixed(3)} < ${params.min_score.toFixed(2)}`);
          else if (value < params.min_score_of_best * best)
            drop(slot, "threshold", `below ${params.min_score_of_best} of the best score`);
        }
        summary("threshold", params.threshold_on ? applied : off("off"), before.length, alive().length, 2);
        break;
      }
      case "limit":
        if (params.limit_on)
          for (const [at, slot] of before.entries())
            if (at >= params.max_results)
              drop(slot, "limit", `rank ${at + 1} > max results ${params.max_results}`);
        summary("limit", params.limit_on ? applied : off("off"), before.length, alive().length, 1);
        break;
      case "budget": {
        const isOn = params.budget_on && params.budget_tokens > 0;
        let left = params.budget_tokens;
        for (const slot of isOn ? before : []) {
          const tokens = set.rows[slot]?.tokens ?? 0;
          if (tokens <= left) left -= tokens;
          else drop(slot, "budget", `does not fit: ${tokens} tokens, ${left} left`);
        }
        summary("budget", isOn ? applied : off("off: 0 tokens"), before.length, alive().length, 1);
        break;
      }
      case "rerank":
        summary("rerank", reranked.status, before.length, before.length, null, reranked.note);
        break;
      case "hook": {
        const isOn = params.hook_on && params.hook === "on";
        summary("hook", isOn ? applied : off("off"), before.length, before.length, null);
        break;
      }
      case "corroboration":
      case "feedback":
      case "decay":
      case "diversity":
        summary(stage.id, off("off"), before.length, before.length, null);
        break;
    }
  }
  const isHookOn = params.hook_on && params.hook === "on" && alive().length > 0;
  const isHooked = set.hooked.has(alive().join());
  const kept = isHookOn && isHooked ? [...alive().slice(1), ...alive().slice(0, 1)] : alive();
  const late: StageId[] = ["budget", "limit", "threshold", "repeats", "fusion"];
  const dropped = order
    .filter((slot) => droppedBy[slot] !== null)
    .toSorted((a, b) => late.indexOf(droppedBy[a] ?? "fusion") - late.indexOf(droppedBy[b] ?? "fusion"));
  const withoutText = set.rows.flatMap((row, slot) =>
    row.bm25 === null && fused[slot] !== null ? [fused[slot] ?? 0] : [],
  );
  return {
    stages: summaries,
    order: [...kept, ...dropped],
    n_kept: kept.length,
    copies: [],
    cells: [
      cellsOf("vector", { is_list: params.vector_on, rank: vectorRank }),
      cellsOf("bm25", { is_list: params.bm25_on, rank: bm25Rank }),
      cellsOf("rrf", { stage: "fusion", rank: ranksOf(rrf, Infinity), value: rrf }),
      cellsOf("fusion", { rank: ranksOf(fused, Infinity), value: fused }),
      ...reranked.cells,
    ],
    score,
    parts,
    ...reranked.columns,
    hook_pending: isHookOn && !isHooked,
    dropped_by: droppedBy,
    reason,
    remark: set.rows.map((_, slot) =>
      kept.indexOf(slot) === 3 && params.repeats_on
        ? "moved to the end: 71 % of its text is already shown by rank 2"
        : null,
    ),
    tokens_used: kept.reduce((sum, slot) => sum + (set.rows[slot]?.tokens ?? 0), 0),
    min_score_mark: withoutText.length > 0 ? Math.round(Math.max(...withoutText) * 1000) / 1000 : null,
  };
}

/** Blends what is known of the sent rows, best first; what has no score keeps its fused order below them. */
function rerankBy(set: FakeSet, params: Params, byFused: number[], fused: (number | null)[]) {
  const scale = params.rerank_on ? scaleBy(params) : null;
  if (scale === null)
    return {
      order: byFused,
      score: fused,
      cells: [],
      columns: { rerank_scale: null, n_pending: 0 },
      status: { kind: "skipped", why: "off" } satisfies Status,
      note: null,
    };
  const reached = byFused.filter((slot) => fused[slot] !== null);
  const nSent = params.rerank_max_docs === 0 ? 3 * params.max_results : params.rerank_max_docs;
  const sent = new Set(reached.slice(0, nSent));
  const known = set.known.get(rerankKey(params));
  const rawOf = (slot: number) => (sent.has(slot) ? (known?.bySlot.get(slot) ?? null) : null);
  const pending = [...sent].filter((slot) => rawOf(slot) === null);
  const isFallback = pending.length > 0 && known !== undefined && known.failure !== null;
  const score = fused.map((value, slot) => {
    const raw = isFallback ? null : rawOf(slot);
    return value === null || raw === null
      ? value
      : (1 - params.rerank_share) * value + params.rerank_share * shareOf(scale, raw);
  });
  const isScored = (slot: number) => !isFallback && rawOf(slot) !== null;
  const order = byFused.toSorted(
    (a, b) =>
      Number(isScored(b)) - Number(isScored(a)) ||
      (isScored(a) ? (score[b] ?? 0) - (score[a] ?? 0) : 0) ||
      byFused.indexOf(a) - byFused.indexOf(b),
  );
  const isReached = new Set(reached);
  const rankIn = (slots: number[]) =>
    set.rows.map((_, slot) => (isReached.has(slot) ? slots.indexOf(slot) + 1 : null));
  const status: Status =
    isFallback && known.failure !== null ? { kind: "fallback", why: known.failure } : { kind: "applied" };
  return {
    order,
    score,
    cells: [
      cellsOf("rerank", {
        before: rankIn(byFused),
        rank: rankIn(order),
        value: set.rows.map((_, slot) => rawOf(slot)),
        state: set.rows.map((_, slot) =>
          !isReached.has(slot)
            ? null
            : !sent.has(slot)
              ? ("not_sent" as const)
              : rawOf(slot) === null
                ? ("pending" as const)
                : ("scored" as const),
        ),
      }),
    ],
    columns: { rerank_scale: scale, n_pending: pending.length },
    status,
    note: `${sent.size} sent`,
  };
}

/** The rows that these parameters send. */
export function sentBy(set: FakeSet, params: Params): ReadonlySet<number> {
  const state = rank(set, params).cells.find(({ key }) => key === "rerank")?.state ?? [];
  return new Set(
    set.rows.flatMap((_, slot) => (state[slot] === "pending" || state[slot] === "scored" ? [slot] : [])),
  );
}

function outsideReason(row: Row, params: Params): string {
  return row.bm25 === null
    ? `beyond vector depth ${params.vector_depth}, none of the question's words`
    : `beyond vector depth ${params.vector_depth} and BM25 depth ${params.bm25_depth}`;
}

export function journeyOf(set: FakeSet, params: Params, slot: number): Journey {
  const columns = rank(set, params);
  const row = set.rows[slot];
  if (row === undefined) throw new Error(`there is no row ${slot}`);
  const place = columns.order.indexOf(slot);
  const finalRank = place < columns.n_kept ? place + 1 : null;
  const fused = valueIn(columns, "fusion", slot);
  const bars: Bar[] = [];
  let at = 0;
  for (const part of columns.parts[slot] ?? []) {
    const ranks = listRanks(columns, part.stage);
    const label = part.stage === "vector" ? "Vector" : "BM25";
    const listRank = ranks[slot] ?? null;
    bars.push({
      stage: part.stage,
      label,
      rank: listRank === null ? "not listed" : `rank ${listRank}`,
      from: at,
      to: at + part.amount,
      total: false,
    });
    at += part.amount;
  }
  if (fused !== null)
    bars.push(
      { stage: "fusion", label: "Fused", rank: null, from: 0, to: fused, total: true },
      { stage: "budget", label: "Final", rank: null, from: 0, to: fused, total: true },
    );
  const formula: FormulaLine[] =
    fused === null
      ? []
      : [
          {
            stage: "fusion",
            label: "Fused",
            expression: formulaOf(set, params, columns, slot),
            value: fused,
          },
        ];
  const neighbourSlot = finalRank === null ? undefined : columns.order[finalRank === 1 ? 1 : finalRank - 2];
  const neighbourScore = neighbourSlot === undefined ? null : (columns.score[neighbourSlot] ?? null);
  const droppedAt = STAGES.findIndex((stage) => stage.id === columns.dropped_by[slot]);
  return {
    slot,
    row,
    rank: finalRank,
    score: columns.score[slot] ?? null,
    dropped_by: columns.dropped_by[slot] ?? null,
    reason: columns.reason[slot] ?? null,
    steps: columns.stages.map((stage, index) => {
      const info = STAGES[index];
      const isGone = droppedAt >= 0 && index > droppedAt;
      const isAfterFusion = index >= 2;
      const before = index > 2 && !isGone ? (listRanks(columns, "fusion")[slot] ?? null) : null;
      const after =
        index === 0
          ? listRanks(columns, "vector")[slot]
          : index === 1
            ? listRanks(columns, "bm25")[slot]
            : isGone || index === droppedAt
              ? null
              : listRanks(columns, "fusion")[slot];
      return {
        stage: stage.id,
        label: info?.label ?? stage.id,
        status: stage.status,
        rank_before: before,
        rank_after: after ?? null,
        score_before: index > 2 && !isGone ? fused : null,
        score_after: index === 0 ? row.cosine : index === 1 ? row.bm25 : isGone ? null : fused,
        dropped: index === droppedAt,
        sentence: isGone
          ? "did not reach this stage"
          : index === droppedAt
            ? (columns.reason[slot] ?? "")
            : stage.status.kind !== "applied"
              ? stage.status.why
              : index === 0
                ? `cosine ${row.cosine?.toFixed(3)}, best window lines ${row.start_line}–${row.end_line}`
                : index === 1
                  ? row.matched.length > 0
                    ? `holds ${row.matched.map((word) => `“${word}”`).join(", ")}`
                    : "holds none of the question's words"
                  : isAfterFusion && index === 2
                    ? `${params.fusion} of vector and BM25`
                    : "kept as it is",
      };
    }),
    bars,
    formula,
    min_score: params.threshold_on ? params.min_score : null,
    short_by: null,
    neighbour:
      fused === null || neighbourScore === null
        ? null
        : finalRank === 1
          ? `${(fused - neighbourScore).toFixed(3)} above rank 2`
          : `${(neighbourScore - fused).toFixed(3)} below rank ${(finalRank ?? 2) - 1}`,
    facts: [
      { label: "Heading", value: row.heading === "" ? "none" : row.heading },
      { label: "Words found", value: row.matched.length === 0 ? "none" : row.matched.join(", ") },
      { label: "Best window", value: `lines ${row.start_line} to ${row.end_line}` },
    ],
    text: set.texts[slot] ?? "",
    missing: null,
    marks: marksIn(set.texts[slot] ?? "", set.words),
    window: [row.start_line, row.end_line],
    supporters: [],
    n_supporters: 0,
  };
}

function formulaOf(set: FakeSet, params: Params, columns: Columns, slot: number): string {
  const row = set.rows[slot];
  const cosine = (row?.cosine ?? 0).toFixed(4);
  const bm25 = (row?.bm25 ?? 0).toFixed(4);
  const { vector_weight: v, text_weight: t, fusion_k: k } = params;
  switch (params.fusion) {
    case "calibrated":
      return `(${v} · ${cosine} + ${t} · ${bm25} / ${set.bm25Ideal.toFixed(4)}) / ${(v + t).toFixed(2)}`;
    case "rrf":
      return `${k + 1} · (${v}/(${k}+${listRanks(columns, "vector")[slot] ?? "–"}) + ${t}/(${k}+${listRanks(columns, "bm25")[slot] ?? "–"})) / ${(v + t).toFixed(2)}`;
    case "relative":
      return `${v} · minmax(${cosine}) + ${t} · minmax(${bm25})`;
    case "weighted":
      return `${v} · ${cosine} + ${t} · ${bm25} / (1 + ${bm25})`;
  }
}

/** The beginning of each row's text, with its marks. */
export function snippetsOf(set: FakeSet, slots: readonly number[]): Snippet[] {
  return slots.map((slot) => {
    const text = (set.texts[slot] ?? "").slice(0, 280);
    return { slot, text, missing: null, marks: marksIn(text, set.words), on_disk: "as_indexed" };
  });
}
