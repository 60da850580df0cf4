// What Tune draws and reads without a window: the scale of the curves, falls, nearest values, places, the lines of wins.
import { expect, test } from "vitest";
import type { Curve, QueryFigure, Sensitivity } from "../api/bindings";
import { CLERK } from "../../tests/fake/agent-pipeline";
import { OWN, pipelineOf } from "../parameters/pipeline";
import {
  FLOOR,
  fallOf,
  isFlat,
  LEFT,
  metricScale,
  nearest,
  placeAfterKey,
  RIGHT,
  valueScale,
} from "./curve-shape";
import { lineNear } from "./histograms";
import { changed, changeOf, figure, isMetric, wayOf } from "./metrics";
import { linesSaid, placeOf, stateSaid } from "./places";
import { sliderName } from "./slider-names";
import { liveValues } from "./tune.svelte";
import { winLines } from "./win-lines";

const curve = (values: number[], means: number[]): Curve => ({
  ...{ parameter: "fusion_k", label: "k", values, means, errors: means.map(() => 0.01) },
  ...{ present: values[0] ?? 0, default: 60, best: 0, gain: 0 },
});
const sensitivity = (curves: Curve[], present: number, pinned: number | null): Sensitivity => ({
  ...{ metric: "ndcg@10", n_queries: 10, present, pinned, curves, n_rankings: 1, micros: 1 },
});

test("a curve that is the same to three decimals everywhere is flat", () => {
  expect(isFlat(curve([1, 2], [0.6, 0.6004]))).toBe(true);
  expect(isFlat(curve([1, 2], [0.6, 0.601]))).toBe(false);
});

test("all curves share one scale, which shows what is compared and lets deep falls leave it", () => {
  const flat = curve([1, 2], [0.6, 0.62]);
  const falling = curve([1, 2, 3], [0.6, 0.5, 0]);
  const scale = metricScale(sensitivity([flat, falling], 0.6, 0.5));
  expect(scale.low).toBeGreaterThan(0);
  expect(scale.low).toBeLessThan(0.5);
  expect(scale.y(0.63)).toBeGreaterThanOrEqual(0);
  expect(scale.y(scale.low)).toBe(FLOOR);
  const x = valueScale(falling, undefined);
  expect(fallOf(falling, x, scale)).toEqual({ at: RIGHT, isRight: true, to: 0 });
  expect(fallOf(flat, x, scale)).toBeNull();
  const rising = curve([1, 2, 3], [0, 0.5, 0.6]);
  expect(fallOf(rising, x, scale)).toEqual({ at: LEFT, isRight: false, to: 0 });
});

test("noise in a flat curve does not look like a mountain", () => {
  const scale = metricScale(sensitivity([curve([1, 2], [0.6, 0.601])], 0.6, null));
  expect(Math.abs(scale.y(0.6) - scale.y(0.601))).toBeLessThan(1);
});

test("a flat curve at 1 leaves its room below: no metric is above 1", () => {
  const best = { ...curve([1, 2], [1, 1]), errors: [0, 0] };
  const { low, ticks } = metricScale(sensitivity([best], 1, 1));
  expect(low).toBeCloseTo(0.9);
  expect(ticks.map(({ text }) => text)).toEqual([".95", "1"]);
});

test("a slider with equal ratios has them in its chart; a value is found by its place", () => {
  const depth = OWN.parameters.find(({ id }) => id === "vector_depth");
  const values = curve([1, 10, 100], [0, 0, 0]);
  const x = valueScale(values, depth?.kind);
  expect(x(10)).toBeCloseTo((LEFT + RIGHT) / 2);
  expect(nearest(values.values, x(10) + 3, x)).toBe(1);
  expect(nearest(values.values, RIGHT + 50, x)).toBe(2);
  expect(valueScale(curve([5], [0]), undefined)(5)).toBe(LEFT);
});

test("keys stay within the places", () => {
  expect(placeAfterKey("ArrowRight", 3, 4)).toBe(3);
  expect(placeAfterKey("ArrowLeft", 0, 4)).toBe(0);
  expect(placeAfterKey("End", 0, 4)).toBe(3);
  expect(placeAfterKey("x", 0, 4)).toBeNull();
});

test("what is counted is shown as a count, and changes by whole queries", () => {
  expect(figure("hit@1", 43 / 57, 57)).toBe("43/57");
  expect([figure("hit@1", 0.25, 50_000), changed("hit@1", 0.25, 50_000)]).toEqual(["0.250", "+0.250"]);
  expect(figure("ndcg@10", 0.578, 57)).toBe("0.578");
  expect(figure("ndcg@10", null, 0)).toBe("–");
  expect(changed("hit@1", 2 / 57, 57)).toBe("+2");
  expect(changed("mrr@10", -0.01, 57)).toBe("−0.010");
  expect(changeOf("hit_file", 0.3334, 0.3333, 3)).toBe(0);
  expect(changeOf("hit_file", 0, 0, 0)).toBe(0);
  expect([wayOf(0.0004), wayOf(0.01), wayOf(-0.01)]).toEqual(["same", "up", "down"]);
  expect([isMetric("ndcg@10"), isMetric("toString"), isMetric(3)]).toEqual([true, false, false]);
});

test("a place is read as it is typed", () => {
  expect(placeOf(" people/anna.md:12–18 ")).toEqual({ path: "people/anna.md", start_line: 12, end_line: 18 });
  expect(placeOf("C:\\notes\\a b.md:7")).toEqual({ path: "C:\\notes\\a b.md", start_line: 7, end_line: 7 });
  for (const none of ["people", "a.md:0", "a.md:x", "a.md:9-3", ":4", ""]) expect(placeOf(none)).toBeNull();
  const whole = { path: "notes/a b.md", start_line: 1, end_line: 4_294_967_295 };
  expect(placeOf(" notes/a b.md ")).toEqual(whole);
  expect([whole, { ...whole, start_line: 4 }].map(linesSaid)).toEqual(["whole note", "from 4 on"]);
  const gold = { path: "a.md", start_line: 3, end_line: 3, origin: "given" } as const;
  expect(stateSaid({ ...gold, state: "moved", now: [5, 5] })).toBe("moved to 5");
  expect(stateSaid({ ...gold, state: "gone", now: null })).toBe("gone: no longer in the notes");
});

test("wins and losses stand in order, with what is not listed between them", () => {
  const query = (id: string, now: number, pinned: number): QueryFigure => ({
    ...{ id, query: id, category: null, now, pinned },
  });
  const figures = [query("a", 1, 0), query("b", 0.5, 0.4), query("c", 0, 1)];
  const lines = winLines(figures, { wins: 5, ties: 26, losses: 1 });
  expect(lines.map((line) => (line.kind === "query" ? line.figure.id : line))).toEqual([
    ...["a", "b"],
    { kind: "rest", nWins: 3, nTies: 26, nLosses: 0 },
    "c",
  ]);
  expect(winLines(figures, { wins: 2, ties: 0, losses: 1 }).map(({ kind }) => kind)).not.toContain("rest");
});

test("a slider keeps its own name where no other has it", () => {
  expect(sliderName({ parameter: "vector_depth", label: "Depth" }, OWN)).toBe("Vector depth");
  expect(sliderName({ parameter: "fusion_k", label: "k" }, OWN)).toBe("k");
  expect(sliderName({ parameter: "clerk.near_weight", label: "nearWeight" }, pipelineOf(CLERK))).toBe(
    "nearWeight",
  );
});

test("a drag is measured without what the lists or somebody outside would be asked for", () => {
  const before = OWN.defaults;
  const now = { ...before, fusion_k: 20, vector_unit: "chunk", rerank_max_docs: 5 } as const;
  expect(liveValues(OWN, now, before)).toEqual({ ...before, fusion_k: 20 });
  expect(liveValues(OWN, now, now)).toBe(now);
});

test("the line stands at the step that is nearest", () => {
  const at = (line: number) => ({
    ...{ line, precision: null, recall: null, relevant_kept: 0, not_relevant_kept: 0, nonsense_kept: 0 },
  });
  expect(lineNear([at(0.1), at(0.2), at(0.3)], 0.24)).toBe(1);
  expect(lineNear([at(0.1), at(0.2)], 9)).toBe(1);
});
