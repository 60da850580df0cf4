// Which parameters auto-tune may move, by the rules of the engine: what a ranking reads at all, and what it tries by default.
import type { Parameter } from "../api/bindings";
import type { Pipeline, Values } from "../parameters/pipeline";
import { lookOf } from "../shared/looks";

/** The live sliders and choices that these values read. */
export function tunable(pipeline: Pipeline, values: Values): Parameter[] {
  const isOff = (id: string | null) => id !== null && (values[id] === false || values[id] === "off");
  return pipeline.parameters.filter(({ id, stage, phase, kind, needs }) => {
    const holder = pipeline.stages.find((one) => one.id === stage);
    if (phase !== "rank" || kind.kind === "toggle" || holder === undefined) return false;
    if (isOff(holder.switch) || (stage === "rerank" && isOff("rerank"))) return false;
    const isNumber = kind.kind !== "number" || typeof values[id] === "number";
    return isNumber && (needs === null || needs.one_of.includes(String(values[needs.parameter])));
  });
}

/** Those of them that are tried unless the user says otherwise: no metric of the best ten rewards a stage that only cuts. */
export function usuallyTuned(pipeline: Pipeline, values: Values): string[] {
  const place = (stage: string | null) => pipeline.stages.findIndex(({ id }) => id === stage);
  const reranker = values["rerank"];
  const isReranked =
    typeof reranker === "string" &&
    reranker !== "off" &&
    values["rerank_on"] !== false &&
    values["rerank_share"] !== 0;
  return tunable(pipeline, values)
    .filter(({ stage }) => stage !== null && lookOf(stage)?.only_cuts !== true)
    .filter(({ stage }) => !isReranked || place(stage) >= place("rerank"))
    .map(({ id }) => id);
}
