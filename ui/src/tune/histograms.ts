// The calibrator's histograms: three over one scale of scores, each as high as its own fullest bin.
import { scaleLinear } from "d3-scale";
import type { Calibration, LineFigures } from "../api/bindings";

export const WIDTH = 500;
export const HEIGHT = 178;
export const LEFT = 104;
export const RIGHT = 488;
export const BASE = 154;
const BAND = 50;
const BAR_MAX = 42;
const TICKS = 7;

export type Band = {
  kind: "relevant" | "not_relevant" | "nonsense";
  label: string;
  n: number;
  peak: number;
  base: number;
  bars: { x: number; y: number; width: number; height: number; middle: number }[];
};

/** Where a score stands. */
export function scoreScale({ edges }: Calibration) {
  const [first = 0, last = 1] = [edges[0], edges.at(-1)];
  return scaleLinear().domain([first, last]).range([LEFT, RIGHT]);
}

export function ticksOf(calibration: Calibration): { at: number; text: string }[] {
  const x = scoreScale(calibration);
  const text = x.tickFormat(TICKS);
  return x.ticks(TICKS).map((tick) => ({ at: x(tick), text: text(tick) }));
}

/** The three histograms, from above; those without a row are left out but for the relevant ones. */
export function bandsOf(calibration: Calibration): Band[] {
  const x = scoreScale(calibration);
  const { edges } = calibration;
  const band = (
    kind: Band["kind"],
    label: string,
    counts: readonly number[],
    n: number,
    place: number,
  ): Band => {
    const peak = Math.max(0, ...counts);
    const base = 4 + (place + 1) * BAND;
    const bars = counts.flatMap((count, at) => {
      const [from, to] = [edges[at], edges[at + 1]];
      if (count === 0 || from === undefined || to === undefined) return [];
      const height = (count / peak) * BAR_MAX;
      return [
        {
          x: x(from),
          y: base - height,
          width: Math.max(0.5, x(to) - x(from) - 1),
          height,
          middle: (from + to) / 2,
        },
      ];
    });
    return { kind, label, n, peak, base, bars };
  };
  return [
    band("relevant", "Relevant", calibration.relevant, calibration.n_relevant, 0),
    band("not_relevant", "Not relevant", calibration.not_relevant, calibration.n_not_relevant, 1),
    band("nonsense", "Nonsense", calibration.nonsense, calibration.n_nonsense, 2),
  ];
}

/** The place of the line that is nearest to a score. */
export function lineNear(lines: readonly LineFigures[], score: number): number {
  let best = 0;
  for (const [place, { line }] of lines.entries()) {
    if (Math.abs(line - score) < Math.abs((lines[best]?.line ?? line) - score)) best = place;
  }
  return best;
}
