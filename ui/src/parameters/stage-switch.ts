// One switch for each stage: what it stands at, and what it sets.
import type { Params, StageInfo, Value } from "../api/bindings";
import { OWN, type Pipeline, type Values } from "./pipeline";
import { parameterOf, withValue } from "./rules";

/**
 * The parameters without which a stage does nothing though it is switched on, by stage, with the value that switching it on begins with.
 *
 * Only of Memlens's own pipeline; an agent's stages do what their one toggle says.
 */
const STARTS: Partial<Record<string, { id: keyof Params; value: Value }>> = {
  rerank: { id: "rerank", value: "late" },
  decay: { id: "half_life_days", value: 30 },
  diversity: { id: "mmr_lambda", value: 0.7 },
  hook: { id: "hook", value: "on" },
  budget: { id: "budget_tokens", value: 2000 },
};

/** The parameter that a stage needs to do anything, and its value that stands for off; null where the toggle says it all. */
export function starterOf(
  pipeline: Pipeline,
  stage: string,
): { id: string; value: Value; off: Value } | null {
  const start = pipeline.id === OWN.id ? STARTS[stage] : undefined;
  if (start === undefined) return null;
  const { kind } = parameterOf(pipeline, start.id);
  return { ...start, off: kind.kind === "number" ? kind.off : "off" };
}

/** Whether a stage's switch is on: these values let it act. Facts may still give it nothing to do. */
export function isStageOn(pipeline: Pipeline, values: Values, { id, switch: toggle }: StageInfo): boolean {
  const starter = starterOf(pipeline, id);
  const isStarted = starter === null || values[starter.id] !== starter.off;
  return isStarted && (toggle === null || values[toggle] === true);
}

/** The values with a stage switched. Off keeps what its parameters stand at, so that on brings it back. */
export function withStage<V extends Values>(
  pipeline: Pipeline,
  values: V,
  stage: StageInfo,
  isOn: boolean,
): V {
  const toggled = stage.switch === null ? values : withValue(values, stage.switch, isOn);
  const starter = starterOf(pipeline, stage.id);
  if (!isOn || starter === null || toggled[starter.id] !== starter.off) return toggled;
  return withValue(toggled, starter.id, starter.value);
}
