import { createVirtualizer } from "@tanstack/svelte-virtual";
import { untrack } from "svelte";
import { get } from "svelte/store";

type Options = Parameters<typeof createVirtualizer<HTMLElement, HTMLElement>>[0];

/** The part of the options that changes with the rows; with `estimateSize`, all heights are estimated again. */
type Rows = Pick<Options, "count"> & Partial<Pick<Options, "estimateSize" | "getItemKey">>;

type Fixed = Pick<Options, "estimateSize"> &
  Partial<Pick<Options, "overscan" | "paddingStart" | "paddingEnd" | "scrollMargin" | "scrollPaddingStart">>;

/** A list of which only the rows in sight are drawn. It follows `scroller`, in which it scrolls, and `rows`. */
export function virtualRows(scroller: () => HTMLElement | null | undefined, fixed: Fixed, rows: () => Rows) {
  const virtualizer = createVirtualizer<HTMLElement, HTMLElement>({
    ...fixed,
    count: 0,
    getScrollElement: () => scroller() ?? null,
  });
  $effect(() => {
    const [element, now] = [scroller(), rows()];
    if (!element) return;
    untrack(() => {
      const all = get(virtualizer);
      all.setOptions(now);
      // Other rows have other heights at the same places.
      if (now.estimateSize !== undefined) all.measure();
    });
  });
  return virtualizer;
}
