import type { Fix, Parameter, ParameterKind, Ranking, Value } from "../api/bindings";
import type { Pipeline, Values } from "./pipeline";

export type NumberKind = Extract<ParameterKind, { kind: "number" }>;

/** The line of a pipeline's table; every id of its values has one. */
export function parameterOf({ label, parameters }: Pipeline, id: string): Parameter {
  const parameter = parameters.find((one) => one.id === id);
  if (parameter === undefined) throw new Error(`the parameter table of ${label} has no ${id}`);
  return parameter;
}

/** Copies values with one replaced; `value` must be of the parameter's kind. */
export function withValue<V extends Values>(values: V, id: string, value: Value): V {
  return { ...values, [id]: value };
}

/** The names of the two weights of a sum, in every pipeline that has them. */
const WEIGHTS = /(^|\.)(vector|text)_weight$/;

/** Says why a set of values cannot be used; null when it can. The engine refuses the same. */
export function refusalOf(values: Values): string | null {
  const weights = Object.keys(values).filter((id) => WEIGHTS.test(id));
  if (weights.length > 0 && weights.every((id) => values[id] === 0))
    return "Vector weight and text weight cannot both be 0, or nothing could be scored.";
  return null;
}

/**
 * Chooses what `id` needs to be read, where the present choice does not read it: the first that does, by the parameter's
 * line. Returns the values unchanged when nothing has to be switched.
 */
export function withChoiceFor<V extends Values>(pipeline: Pipeline, values: V, id: string): V {
  const { needs } = parameterOf(pipeline, id);
  if (needs === null || needs.one_of.includes(String(values[needs.parameter]))) return values;
  const choice = needs.one_of[0];
  return choice === undefined ? values : withValue(values, needs.parameter, choice);
}

/** Returns whether two sets of a pipeline's values can share one candidate set: nothing of the retrieve phase differs. */
export function retrievesAlike({ parameters }: Pipeline, a: Values, b: Values): boolean {
  return parameters.every(({ phase, id }) => phase !== "retrieve" || a[id] === b[id]);
}

/**
 * What can be ranked by while a step is under way: what asks somebody outside keeps its value until the release.
 *
 * Returns `current` itself where nothing of that kind is being changed.
 */
export function previewOf<V extends Values>(pipeline: Pipeline, current: V, committed: V): V {
  const held = differingIds(current, committed).filter((id) => parameterOf(pipeline, id).phase === "outside");
  return held.reduce((values, id) => withValue(values, id, committed[id] ?? null), current);
}

/** Whether a value from outside is one that the parameter can have. */
export function acceptsValue({ kind }: Parameter, value: unknown): value is Value {
  switch (kind.kind) {
    case "toggle":
      return typeof value === "boolean";
    case "choice":
      return typeof value === "string" && kind.options.includes(value);
    case "number":
      if (value === null) return kind.optional;
      if (typeof value !== "number" || !Number.isFinite(value)) return false;
      if (value === kind.off) return true;
      return value >= kind.min && value <= kind.max && (!kind.integer || Number.isInteger(value));
  }
}

/** The ids that differ between two sets of one pipeline's values, in the table's order. */
export function differingIds(a: Values, b: Values): string[] {
  return Object.keys(a).filter((id) => a[id] !== b[id]);
}

/** Returns whether two rankings are by one pipeline and the same values. */
export function ranksAlike(a: Ranking, b: Ranking): boolean {
  return a.pipeline === b.pipeline && differingIds(a.values, b.values).length === 0;
}

/** What a number field accepts, for the user: "0 to 1", "whole numbers from 1 to 200, or off". */
export function rangeOf(kind: NumberKind): string {
  const whole = kind.integer ? "whole numbers from " : "";
  const off = kind.optional || kind.off !== null ? ", or off" : "";
  return `${whole}${kind.min} to ${kind.max}${off}`;
}

/**
 * Reads what the user typed into a number field.
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

/** The values with what the fixes set. */
export function withFixes<V extends Values>(values: V, fixes: readonly Fix[]): V {
  return fixes.reduce((changed, fix) => withValue(changed, fix.parameter, fix.to), values);
}
