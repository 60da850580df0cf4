import type { Params } from "../api/bindings";
import type { ParameterHistory } from "../parameters/parameter-history.svelte";
import type { Pipelines } from "../parameters/pipelines.svelte";
import type { PresetController } from "../presets/preset-controller.svelte";
import type { SearchController } from "./search-controller.svelte";

/** Pins the parameters as they stand, under the name of the preset that has them; an agent has none but its defaults. */
export function pinPresent(
  search: SearchController,
  presets: PresetController,
  parameters: ParameterHistory<Params>,
  pipelines: Pipelines,
): void {
  if (pipelines.agent !== null) {
    const { current, changed } = pipelines.chosen;
    search.pinTo({ name: changed.length === 0 ? "Default" : "Default, changed", params: current });
    return;
  }
  const params = parameters.current;
  search.pinTo({ name: presets.nameOf(params) ?? `${presets.chosen.name}, changed`, params });
}
