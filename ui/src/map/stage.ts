// Where the points are drawn: by WebGL, unless this machine has none or draws faster in software.
import type { Frame, Painter } from "./painter";
import { SoftwarePainter } from "./software-painter";
import { WebglPainter } from "./webgl-painter";

/** A frame that takes longer is drawn in software: a graphics card needs a tenth of it. */
const SLOW_MS = 30;
/** What drawing may take while the map moves. */
const MOVING_MS = 20;
/** At least as many points are drawn while the map moves. */
const MOVING_MIN = 5_000;

export class Stage {
  readonly #host: HTMLElement;
  readonly #onlost: () => void;
  #painter: Painter;
  #isMeasured = false;
  #pointMs = 0;

  /** `onlost` is called when everything has to be painted again. Throws if the window cannot draw at all. */
  constructor(host: HTMLElement, onlost: () => void) {
    this.#host = host;
    this.#onlost = onlost;
    this.#painter = this.#begin();
    host.prepend(this.#painter.canvas);
  }

  get kind(): Painter["kind"] {
    return this.#painter.kind;
  }

  /** Of so many points, how many are drawn in one frame: all, or a part while the map moves. */
  nDrawn(n: number, isMoving: boolean): number {
    if (!isMoving || this.#pointMs === 0) return n;
    return Math.min(n, Math.max(MOVING_MIN, Math.floor(MOVING_MS / this.#pointMs)));
  }

  paint(frame: Frame): void {
    const n = frame.layers.reduce((sum, layer) => sum + layer.n, 0);
    if (!this.#isMeasured && n > 0) this.#measure(frame);
    const from = performance.now();
    this.#painter.paint(frame);
    // What WebGL takes is known from the measurement: it draws after this returns.
    if (this.#painter.kind === "software" && n >= MOVING_MIN) this.#pointMs = (performance.now() - from) / n;
  }

  dispose(): void {
    this.#painter.dispose();
  }

  #begin(): Painter {
    try {
      return new WebglPainter(() => {
        this.#replace();
        this.#onlost();
      });
    } catch {
      return new SoftwarePainter();
    }
  }

  #replace(): void {
    if (this.#painter.kind === "software") return;
    const software = new SoftwarePainter();
    this.#painter.dispose();
    this.#painter = software;
    this.#host.prepend(software.canvas);
  }

  #measure(frame: Frame): void {
    this.#isMeasured = true;
    if (this.#painter.kind === "software") return;
    // The first frame compiles the program and sends the points.
    this.#painter.paint(frame);
    this.#painter.finish();
    const from = performance.now();
    this.#painter.paint(frame);
    this.#painter.finish();
    const took_ms = performance.now() - from;
    const n = frame.layers.reduce((sum, layer) => sum + layer.n, 0);
    if (took_ms > SLOW_MS) this.#replace();
    else this.#pointMs = n >= MOVING_MIN ? took_ms / n : 0;
  }
}
