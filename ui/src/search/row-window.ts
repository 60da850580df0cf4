/**
 * Which lines of the table are on the screen, and where.
 *
 * All rows have one height and the cut line another, so that every position is plain arithmetic: it is known in the
 * same frame in which the order changes. A list that measures its rows would know it one pass later.
 */
export type RowHeights = { row: number; cut: number };

/** Pixels from the top of the list; `cutAt` is the index of the cut line, -1 without one. */
export function topOf(index: number, cutAt: number, heights: RowHeights): number {
  const isBelowCut = cutAt >= 0 && index > cutAt;
  return index * heights.row + (isBelowCut ? heights.cut - heights.row : 0);
}

export function heightOf(n: number, cutAt: number, heights: RowHeights): number {
  return topOf(n, cutAt, heights);
}

/** The lines to draw for a part of the list, as [first, end), with `overscan` more on either side. */
export function windowOf(
  n: number,
  cutAt: number,
  heights: RowHeights,
  view: { top: number; height: number },
  overscan: number,
): [number, number] {
  const indexAt = (y: number) => {
    const cutTop = cutAt < 0 ? Infinity : topOf(cutAt, cutAt, heights);
    if (y < cutTop) return Math.floor(y / heights.row);
    if (y < cutTop + heights.cut) return cutAt;
    return Math.floor((y - heights.cut + heights.row) / heights.row);
  };
  const first = Math.max(0, indexAt(view.top) - overscan);
  const end = Math.min(n, indexAt(view.top + view.height) + 1 + overscan);
  return [Math.min(first, n), Math.max(Math.min(first, n), end)];
}

/** Where to scroll so that a line is seen whole; the present place when it is already. */
export function scrollTo(
  index: number,
  cutAt: number,
  heights: RowHeights,
  view: { top: number; height: number },
): number {
  const top = topOf(index, cutAt, heights);
  const bottom = top + (index === cutAt ? heights.cut : heights.row);
  if (top < view.top) return top;
  if (bottom > view.top + view.height) return bottom - view.height;
  return view.top;
}
