// A small stand-in for the engine's "why not": it tries the sliders one after another, then two together.
import type { ChunkWhy, FileProblem, Fix, Parameter, Ranking, WhyAnswer } from "../../src/api/bindings";
import { PARAMETERS } from "../../src/api/parameters";
import { OWN } from "../../src/parameters/pipeline";
import { CLERK } from "./agent-pipeline";
import { journeyBy, rankBy } from "./any-pipeline";
import type { FakeSet } from "./ranking";

/** The parameters that are tried. */
const TRIED = [
  ...["min_score", "max_results", "budget_tokens", "vector_depth", "bm25_depth"],
  ...["clerk.min_score", "clerk.max_results"],
];
/** Paths of this folder count as left out by a rule. */
const LEFT_OUT = "drafts/";
const FIXES_MAX = 3;

type Asked = { folder: string | null; path: string; line: number | null; chunk: string | null };

export function whyNotOf(
  set: FakeSet,
  ranking: Ranking,
  asked: Asked,
  problems: readonly FileProblem[],
): WhyAnswer {
  const { path, line } = asked;
  const folder = asked.folder ?? (path.startsWith("/") ? "" : "notes");
  const said = (sentence: string, why: WhyAnswer["why"]): WhyAnswer => ({
    folder,
    path,
    line,
    sentence,
    why,
    advice: null,
    on_disk: null,
    load_cap: null,
  });
  if (folder === "") return said("It is not in a watched folder.", { kind: "not_watched" });
  if (path.startsWith(LEFT_OUT))
    return said("It is left out of the library with drafts around it: drafts/ in .memlensignore.", {
      kind: "left_out",
      path: "drafts",
      reason: "drafts/ in .memlensignore",
    });
  const problem = problems.find((one) => one.path === path && one.severity === "error");
  if (problem !== undefined)
    return said(`It could not be read: ${problem.message}.`, {
      kind: "unreadable",
      reason: problem.message,
    });
  const slots = set.rows.flatMap((row, slot) => {
    const isThere = row.folder === folder && row.path === path;
    return isThere && (line === null || (row.start_line <= line && line <= row.end_line)) ? [slot] : [];
  });
  if (slots.length === 0) return said("Nothing is there by that name.", { kind: "gone" });
  const order = rankBy(set, ranking).order;
  const bestFirst = slots.toSorted((a, b) => order.indexOf(a) - order.indexOf(b));
  const explained = bestFirst.find((slot) => set.rows[slot]?.chunk === asked.chunk) ?? bestFirst[0];
  const chunks = bestFirst.map((slot) => chunkWhy(set, ranking, slot, slot === explained));
  const sentence = `The best of its ${chunks.length} chunks was ${chunks[0]?.sentence}.`;
  return said(sentence, { kind: "searched", chunks, n_chunks: chunks.length });
}

function chunkWhy(set: FakeSet, ranking: Ranking, slot: number, isExplained: boolean): ChunkWhy {
  const journey = journeyBy(set, ranking, slot);
  if (journey.rank !== null) {
    const sentence = `found at rank ${journey.rank}`;
    return { kept: true, sentence, journey, slot, fixes: isExplained ? [] : null, pair: null, advice: null };
  }
  const sentence = `lost at ${journey.dropped_by}: ${journey.reason}`;
  if (!isExplained) return { kept: false, sentence, journey, slot, fixes: null, pair: null, advice: null };
  const isKept = (tried: Ranking) => journeyBy(set, tried, slot).rank !== null;
  const fixes = TRIED.flatMap((id) => fixBy(ranking, id, isKept))
    .toSorted((a, b) => a.n_steps - b.n_steps)
    .slice(0, FIXES_MAX);
  const pair = fixes.length > 0 ? null : pairBy(ranking, isKept);
  const advice =
    fixes.length > 0 || pair !== null
      ? null
      : "No single change of a parameter brings it back: reword the question with more of the note’s own words.";
  return { kept: false, sentence, journey, slot, fixes, pair, advice };
}

function tableOf({ pipeline }: Ranking): readonly Parameter[] {
  return pipeline === OWN.id ? PARAMETERS : CLERK.parameters;
}

function withValue(ranking: Ranking, id: string, value: number): Ranking {
  return { ...ranking, values: { ...ranking.values, [id]: value } };
}

/** The values of a parameter from the present one outwards, by doubling steps. */
function valuesOf(parameter: Parameter, from: number): { value: number; n_steps: number }[] {
  const { kind } = parameter;
  if (kind.kind !== "number") return [];
  const values: { value: number; n_steps: number }[] = [];
  for (let n_steps = 1; n_steps * kind.step <= kind.max - kind.min; n_steps *= 2)
    for (const sign of [-1, 1]) {
      const value = Number((from + sign * n_steps * kind.step).toFixed(6));
      if (value >= kind.min && value <= kind.max) values.push({ value, n_steps });
    }
  values.push({ value: kind.min, n_steps: (from - kind.min) / kind.step });
  values.push({ value: kind.max, n_steps: (kind.max - from) / kind.step });
  return values.filter(({ n_steps }) => n_steps > 0);
}

function fixBy(ranking: Ranking, id: string, isKept: (tried: Ranking) => boolean): Fix[] {
  const parameter = tableOf(ranking).find((one) => one.id === id);
  const from = ranking.values[id] ?? parameter?.default;
  if (parameter === undefined || typeof from !== "number") return [];
  const found = valuesOf(parameter, from).find(({ value }) => isKept(withValue(ranking, id, value)));
  return found === undefined ? [] : [fixOf(parameter, from, found)];
}

function fixOf(parameter: Parameter, from: number, to: { value: number; n_steps: number }): Fix {
  return {
    parameter: parameter.id,
    label: parameter.label,
    stage: parameter.stage,
    from,
    to: to.value,
    n_steps: to.n_steps,
    queries_again: parameter.phase === "retrieve",
    price: {
      ...{ n_kept: 10, n_dropped: 0, n_brought: 1, n_moved: 0 },
      ...{ sentence: "also brings 1 other row", metric: { set: "Judgments", before: 0.612, after: 0.603 } },
    },
  };
}

function pairBy(ranking: Ranking, isKept: (tried: Ranking) => boolean): [Fix, Fix] | null {
  const minScore = PARAMETERS.find((one) => one.id === "min_score");
  const from = ranking.values["min_score"];
  if (minScore === undefined || typeof from !== "number" || from === 0) return null;
  const [second] = fixBy(withValue(ranking, "min_score", 0), "max_results", isKept);
  if (second === undefined) return null;
  return [fixOf(minScore, from, { value: 0, n_steps: from * 100 }), second];
}
