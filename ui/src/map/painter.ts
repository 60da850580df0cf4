// What draws the points: a canvas in software, or WebGL.
import type { Marks, Rgb } from "./marks";
import type { Size, Viewport } from "./viewport";

/** Marks, of which the first `n` are drawn. */
export type Layer = { marks: Marks; n: number };

export type Frame = {
  view: Viewport;
  /** in CSS pixels */
  size: Size;
  /** pixels of the screen for each CSS pixel */
  density: number;
  background: Rgb;
  layers: readonly Layer[];
};

export interface Painter {
  readonly kind: "webgl" | "software";
  readonly canvas: HTMLCanvasElement;
  /** Draws a frame. */
  paint(frame: Frame): void;
  /** Waits until the last frame was drawn, to measure it. */
  finish(): void;
  dispose(): void;
}

/** A canvas of the size of a frame, in pixels of the screen. */
export function resize(canvas: HTMLCanvasElement, { size, density }: Frame): void {
  const width = Math.max(1, Math.round(size.width * density));
  const height = Math.max(1, Math.round(size.height * density));
  if (canvas.width !== width) canvas.width = width;
  if (canvas.height !== height) canvas.height = height;
}
