// Which parameters differ between two settings, in the order of the table.
import type { Params, Phase } from "../api/bindings";
import type { Parameter, ParamId, StageInfo } from "../api/parameters";

/** A parameter that has another value in `to` than in `from`. */
export type Difference = {
  parameter: Parameter;
  /** null: it belongs to no stage of ranking (chunking) */
  stage: StageInfo | null;
  from: Params[ParamId];
  to: Params[ParamId];
};

/** Returns the parameters that differ, in pipeline order, which is the table's. */
export function differences(
  from: Params,
  to: Params,
  parameters: readonly Parameter[],
  stages: readonly StageInfo[],
): Difference[] {
  return parameters
    .filter((parameter) => from[parameter.id] !== to[parameter.id])
    .map((parameter) => ({
      parameter,
      stage: stages.find((stage) => stage.id === parameter.stage) ?? null,
      from: from[parameter.id],
      to: to[parameter.id],
    }));
}

/** Returns every parameter at its default. */
export function defaults(parameters: readonly Parameter[]): Params {
  return Object.fromEntries(parameters.map((parameter) => [parameter.id, parameter.default])) as Params;
}

/** States when a change of such a parameter takes effect. */
export function phaseWords(phase: Phase): string {
  switch (phase) {
    case "rank":
      return "at once";
    case "retrieve":
      return "runs the search again";
    case "index":
      return "needs a new index";
    case "outside":
      return "asks a model again";
  }
}

/** Notices for a reader of the file before using it. */
export function remarks(changed: readonly Difference[]): string[] {
  const ids = (which: readonly Difference[]) => which.map(({ parameter }) => parameter.id).join(", ");
  const index = changed.filter(({ parameter }) => parameter.phase === "index");
  return index.length > 0 ? [`${ids(index)}: the reader of this file must re-index.`] : [];
}
