// Where a curve of the sensitivity chart stands: one scale of the metric for all, and each parameter's own range.
import { scaleLinear, scaleLog } from "d3-scale";
import { area, line } from "d3-shape";
import type { Curve, Parameter, Sensitivity } from "../api/bindings";

export const WIDTH = 236;
export const HEIGHT = 98;
export const LEFT = 22;
export const RIGHT = 232;
const TOP = 6;
export const FLOOR = 84;
/** The scale ends this much below what is compared, in amounts of what is above it. */
const BELOW = 1.5;
/** The least that a scale covers, so that noise does not look like a mountain. */
const SPAN_MIN = 0.1;
const TICKS = 3;

export type MetricScale = {
  y: (value: number) => number;
  low: number;
  ticks: { at: number; text: string }[];
};

/** The scale of the metric that all curves share. What falls far below what is compared leaves it. */
export function metricScale({ curves, present, pinned }: Sensitivity): MetricScale {
  const levels = pinned === null ? [present] : [present, pinned];
  const points = curves.flatMap(({ means, errors }) =>
    means.map((mean, at) => [mean, errors[at] ?? 0] as const),
  );
  const high = Math.max(...levels, ...points.map(([mean, error]) => mean + error));
  const lowest = Math.min(...levels, ...points.map(([mean, error]) => mean - error));
  const compared = Math.min(...levels);
  const span = Math.max(high - compared, SPAN_MIN);
  // No metric is above 1, so a flat curve at 1 leaves its room below.
  const top = Math.min(Math.max(high, compared + SPAN_MIN), Math.max(1, high));
  const low = Math.max(0, Math.min(compared, top - SPAN_MIN, Math.max(lowest, compared - BELOW * span)));
  const y = scaleLinear()
    .domain([low, Math.max(top, low + SPAN_MIN)])
    .range([FLOOR, TOP]);
  const format = y.tickFormat(TICKS);
  const ticks = y
    .ticks(TICKS)
    .filter((tick) => tick > low)
    .map((tick) => ({ at: y(tick), text: tick === 1 ? "1" : format(tick).replace(/^0\./, ".") }));
  return { y, low, ticks };
}

/** Where the values of a parameter stand; equal ratios are equal distances where its slider has it so. */
export function valueScale(
  { values }: Curve,
  kind: Parameter["kind"] | undefined,
): (value: number) => number {
  const [first = 0, last = 1] = [values[0], values.at(-1)];
  const isLog = kind?.kind === "number" && kind.log && first > 0;
  const scale = isLog ? scaleLog() : scaleLinear();
  return scale.domain(first === last ? [first, first + 1] : [first, last]).range([LEFT, RIGHT]);
}

/** Whether the mean is the same, to three decimals, at every value that was tried. */
export function isFlat({ means }: Curve): boolean {
  return Math.max(...means) - Math.min(...means) < 0.0005;
}

/** The path of the means. */
export function linePath({ values, means }: Curve, x: (value: number) => number, { y }: MetricScale): string {
  const path = line<number>()
    .x((value) => x(value))
    .y((_, at) => y(means[at] ?? 0));
  return path(values) ?? "";
}

/** The outline of one standard error to both sides. */
export function bandPath(
  { values, means, errors }: Curve,
  x: (value: number) => number,
  { y }: MetricScale,
): string {
  const path = area<number>()
    .x((value) => x(value))
    .y0((_, at) => y((means[at] ?? 0) - (errors[at] ?? 0)))
    .y1((_, at) => y((means[at] ?? 0) + (errors[at] ?? 0)));
  return path(values) ?? "";
}

/** Where a curve leaves the scale at its end, and the value that it falls to; null where it stays. */
export function fallOf(
  { values, means }: Curve,
  x: (value: number) => number,
  { low }: MetricScale,
): { at: number; isRight: boolean; to: number } | null {
  const last = means.at(-1);
  if (last !== undefined && last < low) {
    const from = means.findLastIndex((mean) => mean >= low) + 1;
    return { at: x(values[from] ?? 0), isRight: true, to: last };
  }
  const [first] = means;
  if (first === undefined || first >= low) return null;
  const to = means.findIndex((mean) => mean >= low);
  return { at: x(values[Math.max(0, to - 1)] ?? 0), isRight: false, to: first };
}

/** The place, among ascending values, of the one that is nearest on the scale. */
export function nearest(values: readonly number[], at: number, x: (value: number) => number): number {
  let best = 0;
  for (const [place, value] of values.entries()) {
    if (Math.abs(x(value) - at) < Math.abs(x(values[best] ?? value) - at)) best = place;
  }
  return best;
}

/** The place that a key moves to among `n`; null for a key that moves nothing. */
export function placeAfterKey(key: string, place: number, n: number): number | null {
  const PAGE = 5;
  const to = (next: number) => Math.min(n - 1, Math.max(0, next));
  switch (key) {
    case "ArrowRight":
    case "ArrowUp":
      return to(place + 1);
    case "ArrowLeft":
    case "ArrowDown":
      return to(place - 1);
    case "PageUp":
      return to(place + PAGE);
    case "PageDown":
      return to(place - PAGE);
    case "Home":
      return 0;
    case "End":
      return n - 1;
    default:
      return null;
  }
}
