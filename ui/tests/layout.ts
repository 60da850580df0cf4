// jsdom lays nothing out: every element is 0 pixels high and a virtual list would draw no row.

/** Pixels that a scrolling region has in tests; all else is as high as the lines of text in it. */
const REGION_PX = 600;
const LINE_PX = 20;

/** Gives scrolling regions a height and the scrolling call of a browser; to be called once, at the head of a test file. */
export function layOut(): void {
  for (const name of ["offsetHeight", "clientHeight"] as const) {
    Object.defineProperty(HTMLElement.prototype, name, {
      configurable: true,
      get(this: HTMLElement) {
        if (this.matches("[role=tree], [role=grid], [role=region], [role=dialog] > .body")) return REGION_PX;
        return LINE_PX * Math.max(1, this.querySelectorAll("[data-line]").length);
      },
    });
  }
  Object.defineProperty(HTMLElement.prototype, "scrollHeight", { configurable: true, get: () => 33_000_000 });
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
