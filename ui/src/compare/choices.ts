// What a question can be ranked by, where a person chooses: the parameters as set, a preset, another program.
import type { Params, Preset, Ranking } from "../api/bindings";
import { usesHook, usesProvider } from "../rerank/rerank-columns";

/** What a person can choose to rank by. */
export type Choice =
  | { kind: "now"; label: string; params: Params }
  | { kind: "preset"; label: string; params: Params }
  | { kind: "pipeline"; label: string; id: string };

/** A choice's name among all. */
export function keyOf(choice: Choice): string {
  return choice.kind === "pipeline" ? `pipeline ${choice.id}` : `${choice.kind} ${choice.label}`;
}

/** What a choice ranks by. */
export function rankingOf(choice: Choice): Ranking {
  return choice.kind === "pipeline"
    ? { pipeline: choice.id, values: {} }
    : { pipeline: "memlens", values: { ...choice.params } };
}

/** Whether ranking by it again is for the person to say: it emulates a program, asks a provider or runs a command. */
export function isDear(choice: Choice): boolean {
  return choice.kind === "pipeline" || usesProvider(choice.params) || usesHook(choice.params);
}

/** Everything that can be chosen, in the order in which it is offered. */
export function choicesOf(
  now: Params,
  saved: readonly Preset[],
  defaults: Params,
  pipelines: readonly { id: string; label: string }[],
): Choice[] {
  const own = "memlens";
  return [
    { kind: "now", label: "Parameters as set now", params: now },
    { kind: "preset", label: "Default", params: defaults },
    ...saved
      .filter((preset) => preset.name !== "Default")
      .map((preset): Choice => ({ kind: "preset", label: preset.name, params: preset.params })),
    ...pipelines
      .filter((pipeline) => pipeline.id !== own)
      .map((pipeline): Choice => ({ kind: "pipeline", label: pipeline.label, id: pipeline.id })),
  ];
}
