// Draws points into the pixels of a canvas. Without a graphics card this is many times faster than WebGL.
import { SHAPES } from "./marks";
import { type Frame, type Painter, resize } from "./painter";

/** How much of each pixel of a square a shape covers, in `[0, 255]`. */
type Stamp = { side: number; cover: Uint8Array };

/** Parts of a pixel, in each direction, by which its coverage is counted. */
const PARTS = 4;

export class SoftwarePainter implements Painter {
  readonly kind = "software";
  readonly canvas: HTMLCanvasElement;
  readonly #context: CanvasRenderingContext2D;
  readonly #stamps = new Map<number, Stamp>();
  #image: ImageData | null = null;

  /** Throws if the engine has no canvas. */
  constructor() {
    this.canvas = document.createElement("canvas");
    const context = this.canvas.getContext("2d", { alpha: false });
    if (!context) throw new Error("this window cannot draw");
    this.#context = context;
  }

  paint(frame: Frame): void {
    resize(this.canvas, frame);
    const { width, height } = this.canvas;
    if (this.#image?.width !== width || this.#image.height !== height)
      this.#image = this.#context.createImageData(width, height);
    const { data } = this.#image;
    const [red, green, blue] = frame.background;
    new Uint32Array(data.buffer).fill(((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0);
    const { view, density } = frame;
    const scale = view.scale * density;
    for (const { marks, n } of frame.layers) {
      const { at, colour, size, shape } = marks;
      for (let i = 0; i < n; i++) {
        const x = width / 2 + ((at[2 * i] ?? 0) - view.x) * scale;
        const y = height / 2 - ((at[2 * i + 1] ?? 0) - view.y) * scale;
        const { side, cover } = this.#stamp(Math.max(1, Math.round((size[i] ?? 1) * density)), shape[i] ?? 0);
        const [left, top] = [Math.round(x - side / 2), Math.round(y - side / 2)];
        if (left >= width || top >= height || left + side <= 0 || top + side <= 0) continue;
        const opacity = colour[4 * i + 3] ?? 0;
        const [r, g, b] = [colour[4 * i] ?? 0, colour[4 * i + 1] ?? 0, colour[4 * i + 2] ?? 0];
        const [fromX, toX] = [Math.max(0, -left), Math.min(side, width - left)];
        const toY = Math.min(side, height - top);
        for (let row = Math.max(0, -top); row < toY; row++) {
          let to = 4 * ((top + row) * width + left + fromX);
          for (let column = fromX; column < toX; column++, to += 4) {
            // In 65,025ths, which 255 × 255 is.
            const share = (cover[row * side + column] ?? 0) * opacity;
            if (share === 0) continue;
            data[to] = (data[to] ?? 0) + ((r - (data[to] ?? 0)) * share) / 65_025;
            data[to + 1] = (data[to + 1] ?? 0) + ((g - (data[to + 1] ?? 0)) * share) / 65_025;
            data[to + 2] = (data[to + 2] ?? 0) + ((b - (data[to + 2] ?? 0)) * share) / 65_025;
          }
        }
      }
    }
    this.#context.putImageData(this.#image, 0, 0);
  }

  finish(): void {
    // The frame is drawn when `paint` returns.
  }

  dispose(): void {
    this.canvas.remove();
    this.#image = null;
  }

  #stamp(side: number, shape: number): Stamp {
    const key = side * SHAPES.length + shape;
    const known = this.#stamps.get(key);
    if (known !== undefined) return known;
    const made = stampOf(side, shape);
    this.#stamps.set(key, made);
    return made;
  }
}

/** The coverage of a shape that is as wide as `side` pixels. */
export function stampOf(side: number, shape: number): Stamp {
  const cover = new Uint8Array(side * side);
  for (let row = 0; row < side; row++)
    for (let column = 0; column < side; column++) {
      let n = 0;
      for (let part = 0; part < PARTS * PARTS; part++) {
        const x = (column + ((part % PARTS) + 0.5) / PARTS) / side;
        const y = (row + (Math.floor(part / PARTS) + 0.5) / PARTS) / side;
        if (covers(shape, x, y, side)) n++;
      }
      cover[row * side + column] = Math.round((255 * n) / (PARTS * PARTS));
    }
  return { side, cover };
}

/** Whether a shape covers a place, in `[0, 1]` from the left and from the top. */
function covers(shape: number, x: number, y: number, side: number): boolean {
  const [dx, dy] = [Math.abs(x - 0.5), Math.abs(y - 0.5)];
  const away = Math.hypot(dx, dy);
  switch (SHAPES[shape] ?? "disc") {
    case "disc":
      return away <= 0.5;
    case "square":
      return dx <= 0.42 && dy <= 0.42;
    case "diamond":
      return dx + dy <= 0.5;
    case "triangle":
      return y <= 0.92 && dx <= (y - 0.02) * 0.55;
    case "ring":
      return away <= 0.5 && away >= 0.5 - 2 / side;
  }
}
