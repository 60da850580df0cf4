// What the map shows first: all, unless a few points would leave little room for the others.
import { expect, test } from "vitest";
import { mapOf } from "../../tests/fake/map";
import { ALL_NOTES } from "../overview/address";
import { ChunkMap } from "./chunk-map";
import { bulk, firstView } from "./first-view";
import { fit } from "./viewport";

const SIZE = { width: 800, height: 400 };
const all = () => true;

/** Points in a square from 0 to 1, with others. */
function mapWith(n: number, others: readonly [x: number, y: number][]): ChunkMap {
  const square = Array.from({ length: n }, (_, at): [number, number] => [(at * 0.618) % 1, (at * 0.382) % 1]);
  const points = [...square, ...others];
  return new ChunkMap({
    ...mapOf(ALL_NOTES, "components"),
    x: points.map(([x]) => x),
    y: points.map(([, y]) => y),
    chunk: points.map((_, at) => at),
    note: points.map(() => 0),
  });
}

function check(map: ChunkMap, nOutside: number) {
  const first = firstView(map, bulk(map), SIZE, all);
  expect(first.nOutside).toBe(nOutside);
  const whole = fit(map.box, SIZE).scale;
  if (nOutside === 0) expect(first.view.scale).toBe(whole);
  else expect(first.view.scale).toBeGreaterThan(1.5 * whole);
}

test("points without any far from the others are all in the picture", () => check(mapWith(100, []), 0));
test("one far point of a small map is outside", () => check(mapWith(40, [[0.5, 9]]), 1));
test("the few chunks of one far note are outside", () =>
  check(
    mapWith(100, [
      [0.5, 9],
      [0.5, 9.1],
      [0.4, 9.2],
    ]),
    3,
  ));
test("a point that takes little room stays in the picture", () => check(mapWith(40, [[0.5, 1.2]]), 0));
test("a point beside, where the chart has room, stays in the picture", () =>
  check(mapWith(40, [[2, 0.5]]), 0));
test("of very few points none is outside", () => check(mapWith(10, [[0.5, 9]]), 0));
test("a far group of many points stays in the picture", () =>
  check(
    mapWith(
      100,
      Array.from({ length: 10 }, (_, at): [number, number] => [at / 10, 9]),
    ),
    0,
  ));
test("all points in one place are in the picture", () =>
  check(
    mapWith(
      0,
      Array.from({ length: 40 }, () => [1, 1]),
    ),
    0,
  ));
test("without points there is a picture", () => check(mapWith(0, []), 0));

test("only points that are shown are counted", () => {
  const map = mapWith(40, [[0.5, 9]]);
  expect(firstView(map, bulk(map), SIZE, (at) => at < 40).nOutside).toBe(0);
});

test("a chart without a size leaves nothing out", () => {
  const map = mapWith(40, []);
  expect(firstView(map, bulk(map), { width: 0, height: 0 }, all).nOutside).toBe(0);
});
