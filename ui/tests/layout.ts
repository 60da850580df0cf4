// jsdom lays nothing out: every element is 0 pixels high and a virtual list would draw no row.

/** Pixels that a scrolling region has in tests; all else is a line of 20. */
const REGION_PX = 600;

/** Gives scrolling regions a height and the calls that a browser has. Undone by `vi.restoreAllMocks`, apart from what jsdom lacks. */
export function layOut(): void {
  for (const name of ["offsetHeight", "clientHeight"] as const) {
    Object.defineProperty(HTMLElement.prototype, name, {
      configurable: true,
      get(this: HTMLElement) {
        return this.matches("[role=tree], [role=region]") ? REGION_PX : 20;
      },
    });
  }
  for (const name of ["offsetWidth", "clientWidth"] as const) {
    Object.defineProperty(HTMLElement.prototype, name, { configurable: true, get: () => 800 });
  }
  Element.prototype.scrollTo = function (this: Element, options?: ScrollToOptions | number) {
    if (typeof options === "object" && options.top !== undefined) {
      this.scrollTop = options.top;
      this.dispatchEvent(new Event("scroll"));
    }
  } as typeof Element.prototype.scrollTo;
}
