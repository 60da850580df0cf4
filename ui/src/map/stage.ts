// Where the points are drawn: in software, or by WebGL where software is slow and WebGL is faster.
import type { Frame, Painter } from "./painter";
import { SoftwarePainter } from "./software-painter";
import { WebglPainter } from "./webgl-painter";

/** WebGL is tried if drawing a large map in software takes longer. A small map needs no graphics card. */
const SLOW_MS = 12;
/** What drawing may take while the map moves. */
const MOVING_MS = 20;
/** A large map has at least as many points, and as many are drawn while it moves. */
const MOVING_MIN = 5_000;

export class Stage {
  readonly #host: HTMLElement;
  readonly #onlost: () => void;
  #painter: Painter;
  #isWebglTried = false;
  #pointMs = 0;

  /** `onlost` is called when everything has to be painted again. Throws if the window cannot draw at all. */
  constructor(host: HTMLElement, onlost: () => void) {
    this.#host = host;
    this.#onlost = onlost;
    this.#painter = new SoftwarePainter();
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
    if (this.#painter.kind === "webgl") {
      this.#painter.paint(frame);
      return;
    }
    const took_ms = this.#paintIn(this.#painter, frame);
    const isLarge = numberOf(frame) >= MOVING_MIN;
    if (isLarge && took_ms > SLOW_MS && !this.#isWebglTried) this.#tryWebgl(frame);
  }

  dispose(): void {
    this.#painter.dispose();
  }

  /** Draws a frame to its end and says how long it took, also for each point of a large map. */
  #paintIn(painter: Painter, frame: Frame): number {
    const from = performance.now();
    painter.paint(frame);
    painter.finish();
    const took_ms = performance.now() - from;
    const n = numberOf(frame);
    if (n >= MOVING_MIN) this.#pointMs = took_ms / n;
    return took_ms;
  }

  #tryWebgl(frame: Frame): void {
    this.#isWebglTried = true;
    let webgl: WebglPainter;
    try {
      webgl = new WebglPainter(() => {
        this.#use(new SoftwarePainter());
        this.#onlost();
      });
    } catch {
      return;
    }
    // The first frame compiles the program and sends the points.
    this.#paintIn(webgl, frame);
    const webgl_ms = this.#paintIn(webgl, frame);
    // Drawn again, because the first frame of software may have been slow for other reasons.
    if (webgl_ms < this.#paintIn(this.#painter, frame)) {
      this.#use(webgl);
      this.#paintIn(webgl, frame);
    } else {
      webgl.dispose();
    }
  }

  #use(painter: Painter): void {
    const former = this.#painter;
    this.#painter = painter;
    this.#host.prepend(painter.canvas);
    former.dispose();
  }
}

function numberOf({ layers }: Frame): number {
  return layers.reduce((sum, layer) => sum + layer.n, 0);
}
