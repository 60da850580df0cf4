import type { ParameterHistory } from "../parameters/parameter-history.svelte";
import type { PresetController } from "../presets/preset-controller.svelte";
import type { SearchController } from "./search-controller.svelte";

/** Pins the parameters as they stand, under the name of the preset that has them. */
export function pinPresent(
  search: SearchController,
  presets: PresetController,
  parameters: ParameterHistory,
): void {
  const params = parameters.current;
  search.pinTo({ name: presets.nameOf(params) ?? `${presets.chosen.name}, changed`, params });
}
