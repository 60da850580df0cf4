// Where the reader is in a note: a line of the file, which keeps its meaning when the note is drawn otherwise.

/** The first line that begins in sight, and its distance from the upper edge in pixels; negative when it began above. */
export type PlaceInNote = { line: number; offset_px: number };

/** Returns the place of a scrolling element whose lines carry `data-line`; null when none is drawn. */
export function placeIn(scroller: HTMLElement): PlaceInNote | null {
  const edge = scroller.getBoundingClientRect().top;
  const lines = scroller.querySelectorAll<HTMLElement>("[data-line]");
  let low = 0;
  let high = lines.length - 1;
  // Lines are below one another; the first that begins below the edge, or the last.
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((lines[middle]?.getBoundingClientRect().top ?? 0) >= edge) high = middle;
    else low = middle + 1;
  }
  const found = lines[low];
  if (found === undefined) return null;
  return { line: Number(found.dataset["line"]), offset_px: found.getBoundingClientRect().top - edge };
}

/** Returns the element where a line begins: of several the first, without one that of the nearest line before. */
export function elementOf(block: Element, line: number): HTMLElement | null {
  let best: HTMLElement | null = null;
  let bestLine = -1;
  for (const element of block.querySelectorAll<HTMLElement>("[data-line]")) {
    const at = Number(element.dataset["line"]);
    if (best !== null && (at > line || at <= bestLine)) continue;
    best = element;
    bestLine = at;
  }
  return best;
}
