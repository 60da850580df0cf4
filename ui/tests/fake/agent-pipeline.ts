/**
 * A small second pipeline: two lists, their sum, a factor that nobody can set, an order that can be switched on, two cuts.
 *
 * It names none of our stages, so that whatever shows it cannot lean on them.
 */
import type {
  Columns,
  Emulated,
  Journey,
  JourneyStep,
  Parameter,
  PipelineInfo,
  Ranking,
  StageId,
  StageInfo,
  StageSummary,
  Value,
} from "../../src/api/bindings";
import { cellsOf, marksIn, type FakeSet } from "./ranking";

const stage = (id: string, label: string, sentence: string, on: string | null = null): StageInfo => ({
  id: `clerk.${id}`,
  label,
  switch: on,
  sentence,
});

const parameter = (
  id: string,
  stage: string,
  label: string,
  kind: Parameter["kind"],
  value: Value,
  sentence: string,
): Parameter => ({
  ...{ id: `clerk.${id}`, stage: `clerk.${stage}`, phase: "rank", label, unit: null },
  ...{ kind, default: value, sentence, needs: null },
});

const number = (min: number, max: number, step: number): Parameter["kind"] => ({
  ...{ kind: "number", min, max, step },
  ...{ integer: step === 1, off: null, optional: false, log: false },
});

export const CLERK: PipelineInfo = {
  id: "clerk@1.2",
  label: "Clerk 1.2",
  stages: [
    stage("near", "Meaning", "The cosine of question and chunk."),
    stage("words", "Words", "What a search for all words finds."),
    stage("mix", "Mix", "Meaning and words, by their weights."),
    stage("age", "Age", "Older notes count half; always on."),
    stage("spread", "Spread", "Moves the second row to the top.", "clerk.spread_on"),
    stage("floor", "minScore", "Drops rows below minScore."),
    stage("top", "maxResults", "Keeps the first rows."),
  ],
  parameters: [
    parameter("near_weight", "mix", "nearWeight", number(0, 1, 0.05), 0.7, "How much meaning counts."),
    parameter("spread_on", "spread", "spread.enabled", { kind: "toggle" }, false, "Whether rows are moved."),
    parameter("min_score", "floor", "minScore", number(0, 1, 0.01), 0.2, "Drops rows below this score."),
    parameter("max_results", "top", "maxResults", number(1, 50, 1), 6, "How many rows are kept."),
  ],
  yours: null,
  is_own: false,
};

export const EMULATED: Emulated = {
  label: "Clerk embeds with words-3: order is approximate",
  why: "Our model stands in for words-3.",
};

type Clerk = { near: number; spread: boolean; min: number; top: number };

function valuesOf({ values }: Pick<Ranking, "values">): Clerk {
  const of = (id: string) =>
    values[`clerk.${id}`] ?? CLERK.parameters.find((one) => one.id === `clerk.${id}`)?.default;
  return {
    near: Number(of("near_weight")),
    spread: of("spread_on") === true,
    min: Number(of("min_score")),
    top: Number(of("max_results")),
  };
}

const byValue = (values: readonly (number | null)[]) =>
  values
    .flatMap((value, slot) => (value === null ? [] : [{ value, slot }]))
    .toSorted((a, b) => b.value - a.value || a.slot - b.slot)
    .map(({ slot }) => slot);

function ranksOf(n: number, order: readonly number[]): (number | null)[] {
  const ranks: (number | null)[] = Array.from({ length: n }, () => null);
  for (const [at, slot] of order.entries()) ranks[slot] = at + 1;
  return ranks;
}

export function rankClerk(set: FakeSet, ranking: Ranking): Columns {
  const { near, spread, min, top } = valuesOf(ranking);
  const n = set.rows.length;
  const nothing = <T>(): (T | null)[] => Array.from({ length: n }, () => null);
  const cosine = set.rows.map((row) => row.cosine);
  const words = set.rows.map(({ bm25 }) => (bm25 === null ? null : bm25 / (1 + bm25)));
  const mix = set.rows.map((_, slot) => near * (cosine[slot] ?? 0) + (1 - near) * (words[slot] ?? 0));
  // Every third row is old.
  const score = mix.map((value, slot) => (slot % 3 === 2 ? value / 2 : value));
  const aged = byValue(score);
  const spreadOut =
    spread && aged.length > 1 ? [...aged.slice(1, 2), ...aged.slice(0, 1), ...aged.slice(2)] : aged;
  const reached = spreadOut.filter((slot) => (score[slot] ?? 0) >= min);
  const kept = reached.slice(0, top);
  const dropped_by: (StageId | null)[] = nothing();
  const reason: (string | null)[] = nothing();
  for (const [at, slot] of spreadOut.entries()) {
    if ((score[slot] ?? 0) < min) {
      dropped_by[slot] = "clerk.floor";
      reason[slot] = `below minScore: ${(score[slot] ?? 0).toFixed(3)} < ${min}`;
    } else if (at >= top) {
      dropped_by[slot] = "clerk.top";
      reason[slot] = `place ${at + 1} of ${top}`;
    }
  }
  const [rest, late] = [
    spreadOut.filter((slot) => dropped_by[slot] === "clerk.floor"),
    spreadOut.filter((slot) => dropped_by[slot] === "clerk.top"),
  ];
  const own = (id: string, value: (number | null)[], order: readonly number[], is_list = false) =>
    cellsOf(`clerk.${id}`, { is_list, value, rank: ranksOf(n, order) });
  const summary = (id: string, n_in: number, n_out: number, note: string | null = null): StageSummary => ({
    id: `clerk.${id}`,
    label: CLERK.stages.find((one) => one.id === `clerk.${id}`)?.label ?? id,
    status: id === "spread" && !spread ? { kind: "skipped", why: "off" } : { kind: "applied" },
    ...{ n_in, n_out, n_dropped: n_in - n_out, micros: 12, note },
  });
  return {
    stages: [
      summary("near", set.nChunks, n),
      summary("words", set.nChunks, words.filter((value) => value !== null).length),
      summary("mix", n, n),
      summary("age", n, n, "every third is old"),
      summary("spread", n, n),
      summary("floor", n, reached.length),
      summary("top", reached.length, kept.length),
    ],
    order: [...kept, ...late, ...rest],
    n_kept: kept.length,
    copies: [],
    cells: [
      own("near", cosine, byValue(cosine), true),
      own("words", words, byValue(words), true),
      own("mix", mix, byValue(mix)),
      own("age", score, aged),
      ...(spread ? [own("spread", score, spreadOut)] : []),
    ],
    rerank_scale: null,
    n_pending: 0,
    hook_pending: false,
    score,
    parts: mix.map((_, slot) => [
      { stage: "clerk.near", amount: near * (cosine[slot] ?? 0) },
      { stage: "clerk.words", amount: (1 - near) * (words[slot] ?? 0) },
      { stage: "clerk.age", amount: (score[slot] ?? 0) - (mix[slot] ?? 0) },
    ]),
    dropped_by,
    reason,
    remark: nothing(),
    tokens_used: kept.reduce((sum, slot) => sum + (set.rows[slot]?.tokens ?? 0), 0),
    min_score_mark: 0.3,
  };
}

export function clerkJourney(set: FakeSet, ranking: Ranking, slot: number): Journey {
  const columns = rankClerk(set, ranking);
  const row = set.rows[slot];
  if (row === undefined) throw new Error(`there is no row ${slot}`);
  const place = columns.order.indexOf(slot);
  const dropped_by = columns.dropped_by[slot] ?? null;
  const text = set.texts[slot] ?? "";
  const steps = columns.stages.map((one): JourneyStep => {
    const column = columns.cells.find(({ stage }) => stage === one.id);
    return {
      ...{ stage: one.id, label: one.label, status: one.status, rank_before: null, score_before: null },
      rank_after: column?.rank[slot] ?? null,
      score_after: column?.value[slot] ?? null,
      dropped: one.id === dropped_by,
      sentence: one.id === dropped_by ? (columns.reason[slot] ?? "") : `${one.label} as Clerk has it`,
    };
  });
  const score = columns.score[slot] ?? 0;
  let at = 0;
  const bars = (columns.parts[slot] ?? []).map(({ stage, amount }) => {
    const label = CLERK.stages.find((one) => one.id === stage)?.label ?? stage;
    return { stage, label, rank: null, from: at, to: (at += amount), total: false };
  });
  return {
    ...{ slot, row, rank: place < columns.n_kept ? place + 1 : null, score, dropped_by },
    reason: columns.reason[slot] ?? null,
    steps,
    bars: [...bars, { stage: "clerk.top", label: "Final", rank: null, from: 0, to: score, total: true }],
    formula: [{ stage: "clerk.mix", label: "Mix", expression: "0.7 × meaning + 0.3 × words", value: score }],
    ...{ min_score: null, short_by: null, neighbour: null, facts: [], text, missing: null, window: null },
    marks: marksIn(text, set.words),
    ...{ supporters: [], n_supporters: 0 },
  };
}
