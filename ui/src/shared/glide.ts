/**
 * Lets things glide from where they were to where they are (FLIP: the layout is final at once, a transform plays the
 * way back). The transform alone is animated, so that nothing is laid out meanwhile.
 */

/** More would not be followed by an eye, and cost frames. */
export const GLIDING_MAX = 40;
/** Shorter ways are not seen. */
const DISTANCE_MIN_PX = 0.5;

export type Glide<K> = {
  key: K;
  /** from here to the present place, in pixels; positive is from below */ distance: number;
};

/**
 * Chooses what glides: whatever moved, nearest to the middle of the view first, at most `GLIDING_MAX`.
 *
 * `before` holds what was on the screen or is known to have come from elsewhere; what is not in it appears at once.
 */
export function glidesOf<K>(
  before: ReadonlyMap<K, number>,
  after: ReadonlyMap<K, number>,
  view: { top: number; height: number },
): Glide<K>[] {
  const middle = view.top + view.height / 2;
  return [...after]
    .flatMap(([key, y]) => {
      const from = before.get(key);
      if (from === undefined || Math.abs(from - y) < DISTANCE_MIN_PX) return [];
      return [{ key, distance: from - y, offMiddle: Math.abs(y - middle) }];
    })
    .toSorted((a, b) => a.offMiddle - b.offMiddle)
    .slice(0, GLIDING_MAX)
    .map(({ key, distance }) => ({ key, distance }));
}

/** Plays glides, with the time and the easing of the design tokens. */
export class Glider {
  readonly #running = new WeakMap<Element, { animation: Animation; distance: number }>();
  readonly #isReduced = matchMedia("(prefers-reduced-motion: reduce)");
  /** Undefined until it was read; null where motion is reduced. */
  #timing: { duration: number; easing: string } | null | undefined;

  constructor() {
    this.#isReduced.addEventListener("change", () => (this.#timing = undefined));
  }

  /** False if motion is reduced, or nothing can be animated. */
  get isMoving(): boolean {
    // Read once: asking for a style makes the engine compute all styles, in the middle of every frame of a drag.
    this.#timing ??= this.#isReduced.matches || !("animate" in Element.prototype) ? null : readTiming();
    return this.#timing !== null;
  }

  /** Distance of an element from its laid-out place while it glides, in pixels; 0 at rest. */
  offsetOf(element: Element): number {
    const running = this.#running.get(element);
    const progress = running?.animation.effect?.getComputedTiming().progress;
    if (running === undefined || progress === null || progress === undefined) return 0;
    return running.distance * (1 - progress);
  }

  /** Plays one glide; one that was under way is replaced. */
  play(element: Element, distance: number): void {
    if (!this.isMoving || !this.#timing) return;
    this.#running.get(element)?.animation.cancel();
    const frames = [{ transform: `translateY(${distance}px)` }, { transform: "none" }];
    this.#running.set(element, { animation: element.animate(frames, this.#timing), distance });
  }
}

/** Reads a CSS time. The built stylesheet has the shortest form of one: ".18s" for "180ms". */
export function millisecondsOf(time: string): number {
  const value = Number.parseFloat(time);
  return /\dms\s*$/.test(time) ? value : value * 1000;
}

function readTiming(): { duration: number; easing: string } | null {
  const style = getComputedStyle(document.documentElement);
  const duration = millisecondsOf(style.getPropertyValue("--glide"));
  return duration > 0 ? { duration, easing: style.getPropertyValue("--ease").trim() || "ease-out" } : null;
}
