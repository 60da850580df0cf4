// Drawing without WebGL: points are where they belong, in their colour, and fewer are drawn while a slow map moves.
import { beforeEach, expect, test, vi } from "vitest";
import type { Marks } from "./marks";
import type { Frame } from "./painter";
import { SoftwarePainter, stampOf } from "./software-painter";
import { Stage } from "./stage";

/** What a frame takes by WebGL, in milliseconds; null where there is no WebGL. */
const webgl = vi.hoisted(() => ({ frame_ms: null as number | null, clock_ms: 0 }));
vi.mock("./webgl-painter", () => ({
  WebglPainter: class {
    readonly kind = "webgl";
    readonly canvas = document.createElement("canvas");
    constructor() {
      if (webgl.frame_ms === null) throw new Error("this window has no WebGL 2");
    }
    paint(): void {
      webgl.clock_ms += webgl.frame_ms ?? 0;
    }
    finish(): void {
      // The frame is drawn when `paint` returns.
    }
    dispose(): void {
      this.canvas.remove();
    }
  },
}));

const SIZE = { width: 40, height: 20 };
let drawn: ImageData | null = null;

beforeEach(() => {
  drawn = null;
  webgl.frame_ms = null;
  HTMLCanvasElement.prototype.getContext = ((kind: string) =>
    kind === "2d"
      ? {
          createImageData: (width: number, height: number) => ({
            ...{ width, height },
            data: new Uint8ClampedArray(4 * width * height),
          }),
          putImageData: (image: ImageData) => (drawn = image),
        }
      : null) as unknown as typeof HTMLCanvasElement.prototype.getContext;
});

function marksAt(places: readonly (readonly [x: number, y: number])[], size = 4): Marks {
  return {
    n: places.length,
    at: new Float32Array(places.flat()),
    colour: new Uint8Array(places.flatMap(() => [200, 0, 0, 255])),
    size: new Float32Array(places.map(() => size)),
    shape: new Uint8Array(places.map(() => 1)),
  };
}

function frame(marks: Marks, n = marks.n): Frame {
  return {
    view: { x: 0, y: 0, scale: 10 },
    size: SIZE,
    density: 1,
    background: [255, 255, 255],
    layers: [{ marks, n }],
  };
}

function colourAt(x: number, y: number): number[] {
  const at = 4 * (y * SIZE.width + x);
  return [...(drawn?.data.slice(at, at + 4) ?? [])];
}

test("a point is drawn at its place, and the background elsewhere", () => {
  new SoftwarePainter().paint(frame(marksAt([[1, 0.5]])));
  expect(colourAt(30, 5)).toEqual([200, 0, 0, 255]);
  expect(colourAt(10, 15)).toEqual([255, 255, 255, 255]);
});

test("points at and beyond the edges are cut, not drawn on the other side", () => {
  new SoftwarePainter().paint(
    frame(
      marksAt([
        [2, 0],
        [-9, 0],
        [0, 9],
      ]),
    ),
  );
  expect(colourAt(39, 10)[1]).toBeLessThan(255);
  expect(colourAt(0, 10)).toEqual([255, 255, 255, 255]);
  expect(colourAt(0, 11)).toEqual([255, 255, 255, 255]);
});

test("only as many points as the frame says are drawn", () => {
  const marks = marksAt([
    [-1, 0],
    [1, 0],
  ]);
  new SoftwarePainter().paint(frame(marks, 1));
  expect(colourAt(10, 10)).toEqual([200, 0, 0, 255]);
  expect(colourAt(30, 10)).toEqual([255, 255, 255, 255]);
});

test("shapes differ, and a disc is full in its middle and empty in its corner", () => {
  const [disc, square, diamond, triangle, ring] = [0, 1, 2, 3, 4].map((shape) => stampOf(12, shape).cover);
  expect([disc?.[6 * 12 + 6], disc?.[0]]).toEqual([255, 0]);
  expect(ring?.[6 * 12 + 6]).toBe(0);
  expect(new Set([disc, square, diamond, triangle, ring].map((cover) => cover?.join())).size).toBe(5);
});

test("without WebGL the stage draws in software, and a slow map that moves draws fewer points", () => {
  const host = document.createElement("div");
  const stage = new Stage(host, () => undefined);
  expect(stage.kind).toBe("software");
  expect(host.querySelectorAll("canvas")).toHaveLength(1);
  const many = marksAt(Array.from({ length: 20_000 }, () => [0, 0] as const));
  // A clock by which each frame takes a second.
  let now = 0;
  vi.spyOn(performance, "now").mockImplementation(() => (now += 1_000));
  stage.paint(frame(many));
  expect(stage.nDrawn(20_000, false)).toBe(20_000);
  expect(stage.nDrawn(20_000, true)).toBe(5_000);
  stage.dispose();
  expect(host.querySelectorAll("canvas")).toHaveLength(0);
});

test.each([
  ["a small map is drawn in software", 4_999, 1, "software"],
  ["WebGL is kept for a large map if it is faster", 5_000, 1, "webgl"],
  ["WebGL is not kept if it is slower", 5_000, 400, "software"],
  ["where there is no WebGL, a large map is drawn in software", 5_000, null, "software"],
] as const)("%s", (_, n, frame_ms, kind) => {
  webgl.frame_ms = frame_ms;
  // Drawing in software takes 100 ms.
  vi.spyOn(performance, "now").mockImplementation(() => webgl.clock_ms);
  vi.spyOn(SoftwarePainter.prototype, "paint").mockImplementation(() => {
    webgl.clock_ms += 100;
  });
  const host = document.createElement("div");
  const stage = new Stage(host, () => undefined);
  const marks = marksAt(Array.from({ length: n }, () => [0, 0] as const));
  stage.paint(frame(marks));
  stage.paint(frame(marks));
  expect([stage.kind, host.querySelectorAll("canvas").length]).toEqual([kind, 1]);
});
