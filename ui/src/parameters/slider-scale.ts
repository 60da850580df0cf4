import type { NumberKind } from "./rules";

/** Steps that PageUp and PageDown take at once. */
const PAGE_STEPS = 10;
/** How much smaller a step is while Shift is held. */
const FINE = 10;

/** The numbers that a slider runs between; null ends are those that the table allows. */
export function trackOf(kind: NumberKind, ends: { min: number; max: number } | null): NumberKind {
  if (ends === null) return kind;
  return { ...kind, min: Math.max(kind.min, ends.min), max: Math.min(kind.max, ends.max) };
}

/** Returns whether a value that the table allows lies beyond its slider's ends. */
export function isBeyond(track: NumberKind, value: number): boolean {
  return value < track.min || value > track.max;
}

/** Returns where a value is on its slider, in [0, 1]; values outside the range are at the ends. */
export function positionOf(kind: NumberKind, value: number): number {
  const position = kind.log
    ? Math.log(Math.max(value, kind.min) / kind.min) / Math.log(kind.max / kind.min)
    : (value - kind.min) / (kind.max - kind.min);
  return Math.min(1, Math.max(0, position));
}

/** Returns the value at a position in [0, 1], on the grid of steps. */
export function valueAt(kind: NumberKind, position: number, isFine: boolean): number {
  const raw = kind.log
    ? kind.min * Math.pow(kind.max / kind.min, position)
    : kind.min + position * (kind.max - kind.min);
  return onGrid(kind, raw, isFine);
}

/** Returns the value of a drag that moved to `position`; with Shift the way from `anchor` counts a tenth. */
export function draggedTo(kind: NumberKind, position: number, anchor: number | null): number {
  if (anchor === null) return valueAt(kind, position, false);
  const from = positionOf(kind, anchor);
  return valueAt(kind, from + (position - from) / FINE, true);
}

/**
 * What a key does to a slider's value; null when the key is none of a slider's.
 *
 * A value beyond the slider's ends comes back step by step, and goes no further out.
 */
export function valueAfterKey(kind: NumberKind, value: number, key: string, isFine: boolean): number | null {
  if (key === "Home") return kind.min;
  if (key === "End") return kind.max;
  const steps = stepsOf(key);
  if (steps === null) return null;
  const reach = { ...kind, min: Math.min(kind.min, value), max: Math.max(kind.max, value) };
  return onGrid(reach, value + steps * stepOf(kind, isFine), isFine);
}

function stepsOf(key: string): number | null {
  switch (key) {
    case "ArrowRight":
    case "ArrowUp":
      return 1;
    case "ArrowLeft":
    case "ArrowDown":
      return -1;
    case "PageUp":
      return PAGE_STEPS;
    case "PageDown":
      return -PAGE_STEPS;
    default:
      return null;
  }
}

function stepOf(kind: NumberKind, isFine: boolean): number {
  const step = isFine ? kind.step / FINE : kind.step;
  return kind.integer ? Math.max(1, Math.round(step)) : step;
}

function onGrid(kind: NumberKind, value: number, isFine: boolean): number {
  const step = stepOf(kind, isFine);
  const steps = Math.round((value - kind.min) / step);
  // Dividing by the reciprocal keeps 0.1 + 0.2 from becoming 0.30000000000000004.
  const perUnit = Math.round(1 / step);
  const stepped = step < 1 ? kind.min + steps / perUnit : kind.min + steps * step;
  const rounded = Number(stepped.toPrecision(12));
  return Math.min(kind.max, Math.max(kind.min, rounded));
}
