import type { Params } from "../api/bindings";
import type { ParameterHistory } from "../parameters/parameter-history.svelte";
import type { Pipelines } from "../parameters/pipelines.svelte";
import { differingIds, parameterOf } from "../parameters/rules";
import { startName, type Pipeline, type Values } from "../parameters/pipeline";
import type { PresetController } from "../presets/preset-controller.svelte";
import { counted, parameterValue } from "../shared/format";
import type { SearchController } from "./search-controller.svelte";

/** Pins the current parameters, named after the preset with these values, or after the differences from one. */
export function pinPresent(
  search: SearchController,
  presets: PresetController,
  parameters: ParameterHistory<Params>,
  pipelines: Pipelines,
): void {
  if (pipelines.agent !== null) {
    const { current, pipeline } = pipelines.chosen;
    search.pinTo({
      name: nameOf(pipeline, startName(pipeline), pipeline.defaults, current),
      params: current,
    });
    return;
  }
  const params = parameters.current;
  const name =
    presets.nameOf(params) ?? nameOf(parameters.pipeline, presets.name, presets.chosen.params, params);
  search.pinTo({ name, params });
}

/** "Default, Min score 0.20", "Default, 3 changes": the preset's own button says no more than that it was changed since. */
function nameOf(pipeline: Pipeline, preset: string, from: Values, to: Values): string {
  const changed = differingIds(to, from);
  const [first] = changed;
  if (first === undefined) return preset;
  if (changed.length > 1) return `${preset}, ${counted(changed.length, "change")}`;
  const parameter = parameterOf(pipeline, first);
  return `${preset}, ${parameter.label} ${parameterValue(parameter, to[first] ?? null)}`;
}
