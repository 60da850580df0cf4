import type { Curve } from "../api/bindings";
import type { Pipeline } from "../parameters/pipeline";

/** A slider's name where it stands without its stage: "Vector depth" where two are called "Depth". */
export function sliderName(
  curve: Pick<Curve, "parameter" | "label">,
  { parameters, stages }: Pipeline,
): string {
  const isShared = parameters.some(({ id, label }) => id !== curve.parameter && label === curve.label);
  const stage = parameters.find(({ id }) => id === curve.parameter)?.stage;
  const of = stages.find(({ id }) => id === stage)?.label;
  return isShared && of !== undefined ? `${of} ${curve.label.toLowerCase()}` : curve.label;
}
