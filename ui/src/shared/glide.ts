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

/** The time and the easing of the design tokens; null where motion is reduced. */
export function glideTiming(): { duration: number; easing: string } | null {
  const style = getComputedStyle(document.documentElement);
  const duration = Number.parseFloat(style.getPropertyValue("--glide"));
  if (!(duration > 0)) return null;
  return { duration, easing: style.getPropertyValue("--ease").trim() || "ease-out" };
}

/** How far an element stands from its laid-out place while it glides; 0 at rest. */
export function glidingBy(element: Element): number {
  if (!("getAnimations" in element) || element.getAnimations().length === 0) return 0;
  const { transform } = getComputedStyle(element);
  return transform === "none" ? 0 : new DOMMatrixReadOnly(transform).m42;
}

/** Plays one glide; one that was under way is replaced. */
export function play(element: Element, distance: number, timing: { duration: number; easing: string }): void {
  if (!("animate" in element)) return;
  for (const running of element.getAnimations()) running.cancel();
  element.animate([{ transform: `translateY(${distance}px)` }, { transform: "none" }], timing);
}
