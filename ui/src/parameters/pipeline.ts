import type { Parameter, Params, PipelineInfo, Ranking, StageInfo, Value } from "../api/bindings";
import { DEFAULTS, PARAMETERS, STAGES } from "../api/parameters";

/** Values of a pipeline's parameters, by id. */
export type Values = Readonly<Record<string, Value>>;

/** A way to rank: Memlens's own, or an agent's. */
export type Pipeline<V extends Values = Values> = {
  id: string;
  label: string;
  /** In the order of the stages. */
  parameters: readonly Parameter[];
  stages: readonly StageInfo[];
  defaults: V;
};

/** Memlens's own. */
export const OWN: Pipeline<Params> = {
  id: "memlens",
  label: "Memlens",
  parameters: PARAMETERS,
  stages: STAGES,
  defaults: DEFAULTS,
};

export function pipelineOf({ id, label, parameters, stages }: PipelineInfo): Pipeline {
  const defaults = Object.fromEntries(parameters.map((parameter) => [parameter.id, parameter.default]));
  return { id, label, parameters, stages, defaults };
}

/** The values of Memlens's own parameters; null where another pipeline ranks. */
export function ownParams({ pipeline, values }: Ranking): Params | null {
  // The window makes such rankings of whole `Params` alone.
  return pipeline === OWN.id ? (values as Params) : null;
}

/** A pipeline's name without its version. */
export function programOf({ label }: Pick<Pipeline, "label">): string {
  return label.replace(/ [\d.]+$/, "");
}
