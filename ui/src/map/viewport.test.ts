// The part of the map on screen: the whole map fits, a zoom holds its place, and the map is never out of sight.
import { expect, test } from "vitest";
import { fit, panBy, toMap, toPixel, zoomAt } from "./viewport";

const SIZE = { width: 800, height: 400 };
const BOX = { minX: -1, minY: -0.5, maxX: 1, maxY: 0.5 };
const WHOLE = fit(BOX, SIZE);

test("the whole map is in the middle with room around it", () => {
  const [left, right] = [toPixel(WHOLE, SIZE, -1, 0.5), toPixel(WHOLE, SIZE, 1, -0.5)];
  expect(left.x).toBeGreaterThan(0);
  expect(left.x + right.x).toBeCloseTo(SIZE.width);
  expect(left.y + right.y).toBeCloseTo(SIZE.height);
  expect(Math.min(left.x, left.y)).toBeCloseTo(24);
});

test("a map of one point is drawn in the middle", () => {
  const view = fit({ minX: 0.3, minY: 0.2, maxX: 0.3, maxY: 0.2 }, SIZE);
  expect(toPixel(view, SIZE, 0.3, 0.2)).toEqual({ x: 400, y: 200 });
});

test("up on the map is up on the screen, and a pixel leads back to its place", () => {
  expect(toPixel(WHOLE, SIZE, 0, 0.4).y).toBeLessThan(toPixel(WHOLE, SIZE, 0, -0.4).y);
  const at = toMap(WHOLE, SIZE, { x: 137, y: 251 });
  const back = toPixel(WHOLE, SIZE, at.x, at.y);
  expect(back.x).toBeCloseTo(137);
  expect(back.y).toBeCloseTo(251);
});

test("what is under the pointer stays there while the map is zoomed", () => {
  const pointer = { x: 300, y: 120 };
  const before = toMap(WHOLE, SIZE, pointer);
  const after = toMap(zoomAt(WHOLE, WHOLE, SIZE, pointer, 3), SIZE, pointer);
  expect(after.x).toBeCloseTo(before.x);
  expect(after.y).toBeCloseTo(before.y);
});

test("the map is not drawn smaller than the whole of it", () => {
  expect(zoomAt(WHOLE, WHOLE, SIZE, { x: 10, y: 10 }, 0.1).scale).toBe(WHOLE.scale);
});

test("the middle of the chart stays on the map", () => {
  const far = panBy(WHOLE, WHOLE, SIZE, { x: -1e6, y: 1e6 });
  const middle = toMap(far, SIZE, { x: 400, y: 200 });
  expect(middle.x).toBeLessThan(1.2);
  expect(middle.y).toBeLessThan(0.7);
});

test("dragging to the right shows what is on the left", () => {
  expect(panBy(WHOLE, WHOLE, SIZE, { x: 50, y: 0 }).x).toBeLessThan(WHOLE.x);
});
