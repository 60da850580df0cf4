// One switch for each stage: what it is at, and what it sets.
import type { StageInfo, Value } from "../api/bindings";
import { lookOf } from "../shared/looks";
import type { Pipeline, Values } from "./pipeline";
import { parameterOf, withValue } from "./rules";

/** The parameter that a stage needs to do anything, and its value that stands for off; null where the toggle says it all. */
export function starterOf(
  pipeline: Pipeline,
  stage: string,
): { id: string; value: Value; off: Value } | null {
  const start = lookOf(stage)?.start ?? null;
  if (start === null) return null;
  const { kind } = parameterOf(pipeline, start.parameter);
  return { id: start.parameter, value: start.value, off: kind.kind === "number" ? kind.off : "off" };
}

/** Whether a stage's switch is on: these values let it act. Facts may still give it nothing to do. */
export function isStageOn(pipeline: Pipeline, values: Values, { id, switch: toggle }: StageInfo): boolean {
  const starter = starterOf(pipeline, id);
  const isStarted = starter === null || values[starter.id] !== starter.off;
  return isStarted && (toggle === null || values[toggle] === true);
}

/** The values with a stage switched. Off keeps what its parameters are at, so that on brings it back. */
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
