import type { Parameter, Params, PipelineInfo, Ranking, StageInfo, Value, YourConfig } from "../api/bindings";
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
  /** The values it starts with: those of the program's own config on this machine, else the published ones. */
  defaults: V;
  /** The program's own config on this machine; null if there is none. */
  yours: YourConfig | null;
  /** Its name with the published values. */
  published: string;
  /** Whether its program uses it on this machine. */
  isOwn: boolean;
};

/** Memlens's own. */
export const OWN: Pipeline<Params> = {
  id: "memlens",
  label: "Memlens",
  parameters: PARAMETERS,
  stages: STAGES,
  defaults: DEFAULTS,
  yours: null,
  published: "Memlens",
  isOwn: false,
};

export function pipelineOf({ id, label, parameters, stages, yours, is_own }: PipelineInfo): Pipeline {
  const published = Object.fromEntries(parameters.map((parameter) => [parameter.id, parameter.default]));
  return {
    id,
    label: yours?.label ?? label,
    parameters,
    stages,
    defaults: { ...published, ...yours?.values },
    yours,
    published: label,
    isOwn: is_own,
  };
}

/** Id of the agent whose pipeline it is. */
export function agentOf({ id }: Pick<Pipeline, "id">): string {
  return id.split("@")[0] ?? id;
}

/** Why the version of a program on this machine is assumed, as a sentence; null if it is known, or none is there. */
export function assumedSaid({ yours, published }: Pick<Pipeline, "yours" | "published">): string | null {
  if (yours === null || yours.version_assumed === null) return null;
  return `${yours.path}: ${yours.version_assumed}; ${published} is assumed.`;
}

/** The name of the values that a pipeline starts with. */
export function startName({ yours, label, published }: Pipeline): string {
  return yours === null || label === published ? "Default" : "Yours";
}

/** Whether two pipelines start with the same values, of the same config. */
export function isSameStart(one: Pipeline, other: Pipeline): boolean {
  return (
    one.label === other.label &&
    one.isOwn === other.isOwn &&
    JSON.stringify([one.yours, one.defaults]) === JSON.stringify([other.yours, other.defaults])
  );
}

/** The values of Memlens's own parameters; null where another pipeline ranks. */
export function ownParams({ pipeline, values }: Ranking): Params | null {
  // The window makes such rankings of whole `Params` alone.
  return pipeline === OWN.id ? (values as Params) : null;
}

/** A pipeline's name without its version. */
export function programOf({ label }: Pick<Pipeline, "label">): string {
  return label.replace(/ [\d.]+( \(yours\))?$/, "");
}
