// The help for a control: the same text at the foot of the rail and as the control's description for screen readers.
import type { Parameter, StageInfo } from "../api/bindings";
import { parameterValue } from "../shared/format";
import type { Pipeline, Values } from "./pipeline";
import { isStageOn, starterOf } from "./stage-switch";
import { differingIds, parameterOf, withChoiceFor } from "./rules";

export type Help = {
  name: string;
  /** Its default with the unit; null for a stage. */
  standard: string | null;
  text: string;
};

/** The help as one text. */
export function helpText({ standard, text }: Help): string {
  return standard === null ? text : `${text} Default ${standard}.`;
}

/** `more` are sentences about this control alone. */
export function parameterHelp(
  pipeline: Pipeline,
  values: Values,
  parameter: Parameter,
  more: readonly string[] = [],
): Help {
  const unit = parameter.unit === null ? "" : ` ${parameter.unit}`;
  const effect = effectOf(pipeline, values, parameter);
  return {
    name: parameter.label,
    standard: `${parameterValue(parameter, parameter.default)}${unit}`,
    text: [parameter.sentence, RUNS[parameter.phase], ...(effect === null ? [] : [effect]), ...more].join(
      " ",
    ),
  };
}

export function stageHelp(pipeline: Pipeline, values: Values, stage: StageInfo): Help {
  const isOn = isStageOn(pipeline, values, stage);
  const idle = isOn ? [] : idleOf(pipeline, values, stage);
  const text =
    idle.length === 0
      ? stage.sentence
      : `${stage.sentence} ${idle.join(", ")}: no effect while this stage is off.`;
  return { name: stage.label, standard: null, text };
}

const RUNS: Record<Parameter["phase"], string> = {
  rank: "Live.",
  retrieve: "Asks the index again on release.",
  outside: "Asks the model again on release.",
  index: "The notes must be indexed again.",
};

/** Why a parameter has no effect with these values, and what changes that; null if it has one. */
function effectOf(pipeline: Pipeline, values: Values, parameter: Parameter): string | null {
  const stage = pipeline.stages.find(({ id }) => id === parameter.stage);
  const switched = withChoiceFor(pipeline, values, parameter.id);
  if (stage !== undefined && !isStageOn(pipeline, switched, stage)) {
    const starter = starterOf(pipeline, stage.id);
    const isSwitchedOff = stage.switch !== null && values[stage.switch] !== true;
    return starter?.id === parameter.id && !isSwitchedOff
      ? `${stage.label} is off; another value switches it on.`
      : `No effect while ${stage.label} is off.`;
  }
  const [other] = differingIds(values, switched);
  if (other === undefined) return null;
  const { label } = parameterOf(pipeline, other);
  return `No effect while ${label} is ${String(values[other])}; a change switches ${label} to ${String(switched[other])}.`;
}

/** The values of a stage that differ from their defaults. */
function idleOf({ parameters, ...pipeline }: Pipeline, values: Values, stage: StageInfo): string[] {
  const starter = starterOf({ parameters, ...pipeline }, stage.id);
  return parameters
    .filter(({ id, stage: of, phase }) => of === stage.id && phase !== "index" && id !== stage.switch)
    .filter(({ id, default: value }) => id !== starter?.id && values[id] !== value)
    .map((parameter) => `${parameter.label} ${parameterValue(parameter, values[parameter.id] ?? null)}`);
}
