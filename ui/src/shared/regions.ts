/** The parts of the window that F6 goes through, in the order of the page. */
const REGIONS =
  "nav, [role='search'], [role='toolbar'], [role='grid'], [role='tree'], main aside, main section:is([aria-label], [aria-labelledby])";
const STOPS =
  "input:not(:disabled), button:not(:disabled), select:not(:disabled), textarea:not(:disabled), a[href], [tabindex]";

/** Focuses the region after or before the one that has the focus; wraps around the ends. */
export function goToRegion(by: 1 | -1): void {
  // Of parts within parts the outer one counts.
  const regions = [...document.querySelectorAll<HTMLElement>(REGIONS)].filter(
    (region) => region.parentElement?.closest(REGIONS) === null && stopIn(region) !== null,
  );
  if (regions.length === 0) return;
  const at = regions.findIndex((region) => region.contains(document.activeElement));
  const from = at < 0 && by < 0 ? 0 : at;
  const next = regions[(from + by + regions.length) % regions.length];
  if (next !== undefined) stopIn(next)?.focus();
}

/** The region itself if it can have the focus, otherwise its first element that can. */
function stopIn(region: HTMLElement): HTMLElement | null {
  if (region.tabIndex >= 0) return region;
  return [...region.querySelectorAll<HTMLElement>(STOPS)].find(({ tabIndex }) => tabIndex >= 0) ?? null;
}
