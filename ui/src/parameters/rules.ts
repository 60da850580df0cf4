import type { Fix, Params } from "../api/bindings";
import type { Parameter, ParameterKind, ParamId } from "../api/parameters";
import { PARAMETERS } from "../api/parameters";

/** A value of any parameter; the caller gives one of the parameter's kind. */
export type ParamValue = number | string | boolean | null;
export type NumberKind = Extract<ParameterKind, { kind: "number" }>;

const BY_ID = new Map(PARAMETERS.map((parameter) => [parameter.id, parameter]));

/** The line of the table; every id has one. */
export function parameterOf(id: ParamId): Parameter {
  const parameter = BY_ID.get(id);
  if (parameter === undefined) throw new Error(`the parameter table has no ${id}`);
  return parameter;
}

/** Copies `params` with one value replaced. */
export function withValue(params: Params, id: ParamId, value: ParamValue): Params {
  return { ...params, [id]: value };
}

/** Says why a set of parameters cannot be used; null when it can. The engine refuses the same. */
export function refusalOf(params: Params): string | null {
  if (params.vector_weight === 0 && params.text_weight === 0)
    return "Vector weight and text weight cannot both be 0, or nothing could be scored.";
  return null;
}

/**
 * Chooses what `id` needs to be read, where the present choice does not read it: the first that does, by the parameter's
 * line. Returns the parameters unchanged when nothing has to be switched.
 */
export function withChoiceFor(params: Params, id: ParamId): Params {
  const needs = parameterOf(id).needs;
  if (needs === null || needs.one_of.includes(String(params[needs.parameter]))) return params;
  const choice = needs.one_of[0];
  return choice === undefined ? params : withValue(params, needs.parameter, choice);
}

/** Tells whether two sets can share one candidate set: nothing of the retrieve phase differs. */
export function retrievesAlike(a: Params, b: Params): boolean {
  return PARAMETERS.every(
    (parameter) => parameter.phase !== "retrieve" || a[parameter.id] === b[parameter.id],
  );
}

/**
 * What can be ranked by while a step is under way: what asks somebody outside keeps its value until the release.
 *
 * Returns `current` itself where nothing of that kind is being changed.
 */
export function previewOf(current: Params, committed: Params): Params {
  const held = differingIds(current, committed).filter((id) => parameterOf(id).phase === "outside");
  return held.reduce((params, id) => withValue(params, id, committed[id]), current);
}

/** The ids that differ, in the table's order. */
export function differingIds(a: Params, b: Params): ParamId[] {
  return PARAMETERS.filter((parameter) => a[parameter.id] !== b[parameter.id]).map(
    (parameter) => parameter.id,
  );
}

/** What a number field accepts, for a person: "0 to 1", "whole numbers from 1 to 200, or off". */
export function rangeOf(kind: NumberKind): string {
  const whole = kind.integer ? "whole numbers from " : "";
  const off = kind.optional || kind.off !== null ? ", or off" : "";
  return `${whole}${kind.min} to ${kind.max}${off}`;
}

/**
 * Reads what a person typed into a number field.
 *
 * A decimal comma counts as a point. "off" and an empty field mean off where the parameter has an off.
 * Returns the message to show when the text is no accepted value.
 */
export function parseNumber(
  text: string,
  parameter: Parameter,
  kind: NumberKind,
): { value: number | null } | { message: string } {
  const word = text.trim().replace("−", "-").replace(",", ".");
  if (word === "" || word.toLowerCase() === "off") {
    if (kind.optional) return { value: null };
    if (kind.off !== null) return { value: kind.off };
  }
  const value = Number(word);
  const isAccepted =
    word !== "" &&
    Number.isFinite(value) &&
    value >= kind.min &&
    value <= kind.max &&
    (!kind.integer || Number.isInteger(value));
  if (isAccepted) return { value };
  return { message: `${parameter.label} takes ${rangeOf(kind)}.` };
}

/** The parameters with what the fixes set. */
export function withFixes(params: Params, fixes: readonly Fix[]): Params {
  return fixes.reduce((changed, fix) => withValue(changed, fix.parameter as ParamId, fix.to), params);
}
