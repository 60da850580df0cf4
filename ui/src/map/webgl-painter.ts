// Draws points with WebGL.
import {
  type BufferInfo,
  createBufferInfoFromArrays,
  createProgramInfo,
  drawBufferInfo,
  type ProgramInfo,
  setBuffersAndAttributes,
  setUniforms,
} from "twgl.js";
import type { Marks } from "./marks";
import { type Frame, type Painter, resize } from "./painter";

const VERTEX = `#version 300 es
in vec2 place;
in vec4 colour;
in float size;
in float shape;
uniform vec2 middle;
uniform vec2 scale;
uniform float density;
out vec4 paint;
flat out int form;
flat out float side;
void main() {
  gl_Position = vec4((place - middle) * scale, 0.0, 1.0);
  side = max(1.0, size * density);
  gl_PointSize = side;
  paint = colour;
  form = int(shape);
}`;

// The shapes are those of SHAPES, with an edge of one pixel.
const FRAGMENT = `#version 300 es
precision highp float;
in vec4 paint;
flat in int form;
flat in float side;
out vec4 shown;
void main() {
  vec2 from = abs(gl_PointCoord - 0.5);
  float away = length(from);
  float inside = 0.5 - away;
  if (form == 1) inside = 0.42 - max(from.x, from.y);
  else if (form == 2) inside = (0.5 - from.x - from.y) * 0.7071;
  else if (form == 3) inside = min(0.92 - gl_PointCoord.y, ((gl_PointCoord.y - 0.02) * 0.55 - from.x) * 0.876);
  else if (form == 4) inside = min(0.5 - away, away - (0.5 - 2.0 / side));
  float share = clamp(inside * side + 0.5, 0.0, 1.0) * paint.a;
  if (share <= 0.0) discard;
  shown = vec4(paint.rgb * share, share);
}`;

export class WebglPainter implements Painter {
  readonly kind = "webgl";
  readonly canvas: HTMLCanvasElement;
  readonly #gl: WebGL2RenderingContext;
  readonly #program: ProgramInfo;
  readonly #onlost: () => void;
  readonly #buffers = new Map<Marks, BufferInfo>();

  /** `onlost` is called if the graphics card takes the context away. Throws if there is no WebGL 2. */
  constructor(onlost: () => void) {
    this.canvas = document.createElement("canvas");
    const gl = this.canvas.getContext("webgl2", {
      alpha: false,
      antialias: false,
      depth: false,
      // The window is painted again without a new frame, by WebKit without a graphics card from the drawing buffer itself.
      preserveDrawingBuffer: true,
    });
    if (!gl) throw new Error("this window has no WebGL 2");
    this.#onlost = onlost;
    this.canvas.addEventListener("webglcontextlost", onlost);
    this.#gl = gl;
    this.#program = createProgramInfo(gl, [VERTEX, FRAGMENT]);
  }

  paint(frame: Frame): void {
    const gl = this.#gl;
    resize(this.canvas, frame);
    const { width, height } = this.canvas;
    const { view, density } = frame;
    const [red, green, blue] = frame.background;
    gl.viewport(0, 0, width, height);
    gl.clearColor(red / 255, green / 255, blue / 255, 1);
    gl.clear(gl.COLOR_BUFFER_BIT);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    gl.useProgram(this.#program.program);
    setUniforms(this.#program, {
      middle: [view.x, view.y],
      scale: [(2 * view.scale * density) / width, (2 * view.scale * density) / height],
      density,
    });
    this.#forget(frame);
    for (const { marks, n } of frame.layers) {
      if (n === 0) continue;
      const buffers = this.#buffersOf(marks);
      setBuffersAndAttributes(gl, this.#program, buffers);
      drawBufferInfo(gl, buffers, gl.POINTS, n);
    }
  }

  finish(): void {
    const gl = this.#gl;
    // Reading a pixel waits for the drawing; `finish` does not everywhere.
    gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
  }

  dispose(): void {
    this.canvas.removeEventListener("webglcontextlost", this.#onlost);
    this.canvas.remove();
    this.#gl.getExtension("WEBGL_lose_context")?.loseContext();
  }

  /** Frees what the frame does not draw. */
  #forget({ layers }: Frame): void {
    for (const [marks, { attribs }] of this.#buffers) {
      if (layers.some((layer) => layer.marks === marks)) continue;
      for (const { buffer } of Object.values(attribs ?? {})) this.#gl.deleteBuffer(buffer);
      this.#buffers.delete(marks);
    }
  }

  #buffersOf(marks: Marks): BufferInfo {
    const known = this.#buffers.get(marks);
    if (known !== undefined) return known;
    const { at, colour, size, shape } = marks;
    const made = createBufferInfoFromArrays(this.#gl, {
      place: { numComponents: 2, data: at },
      colour: { numComponents: 4, data: colour, normalize: true },
      size: { numComponents: 1, data: size },
      shape: { numComponents: 1, data: shape, normalize: false },
    });
    this.#buffers.set(marks, made);
    return made;
  }
}
