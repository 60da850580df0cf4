// Rankings that the user can choose for a question: the parameters as set, a preset, another program.
import type { Params, PipelineInfo, Preset, Ranking } from "../api/bindings";
import { usesHook, usesProvider } from "../rerank/rerank-columns";

/** A ranking that the user can choose. */
export type Choice =
  | { kind: "now"; label: string; params: Params }
  | { kind: "preset"; label: string; params: Params }
  | { kind: "pipeline"; label: string; id: string; values: Ranking["values"] };

/** Ends the name of a ranking by the program's own config. */
const YOURS = " (yours)";

/** A choice's name among all. */
export function keyOf(choice: Choice): string {
  if (choice.kind !== "pipeline") return `${choice.kind} ${choice.label}`;
  return choice.label.endsWith(YOURS) ? `pipeline ${choice.id} yours` : `pipeline ${choice.id}`;
}

/** What a choice ranks by. */
export function rankingOf(choice: Choice): Ranking {
  return choice.kind === "pipeline"
    ? { pipeline: choice.id, values: choice.values }
    : { pipeline: "memlens", values: { ...choice.params } };
}

/** Whether ranking with it again needs the user's request: it emulates a program, asks a provider or runs a command. */
export function isDear(choice: Choice): boolean {
  return choice.kind === "pipeline" || usesProvider(choice.params) || usesHook(choice.params);
}

/** Everything that can be chosen, in the order in which it is offered. */
export function choicesOf(
  now: Params,
  saved: readonly Preset[],
  defaults: Params,
  pipelines: readonly Pick<PipelineInfo, "id" | "label" | "yours">[],
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
      .flatMap(({ id, label, yours }): Choice[] => {
        const published: Choice = { kind: "pipeline", label, id, values: {} };
        if (yours === null || yours.label === label) return [published];
        return [{ kind: "pipeline", label: yours.label, id, values: yours.values }, published];
      }),
  ];
}
