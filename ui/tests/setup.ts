// What jsdom does not have and the window uses. Layout stays at 0: tests look at roles, texts and state.
import "@testing-library/jest-dom/vitest";
import { beforeEach } from "vitest";

class NoResizeObserver implements ResizeObserver {
  observe(): void {}
  unobserve(): void {}
  disconnect(): void {}
}

globalThis.ResizeObserver ??= NoResizeObserver;
window.matchMedia ??= (query) =>
  ({
    matches: false,
    media: query,
    onchange: null,
    addEventListener: () => undefined,
    removeEventListener: () => undefined,
    addListener: () => undefined,
    removeListener: () => undefined,
    dispatchEvent: () => false,
  }) as MediaQueryList;
Element.prototype.scrollIntoView ??= () => undefined;

beforeEach(() => {
  localStorage.clear();
  delete document.documentElement.dataset.ready;
  delete document.documentElement.dataset.theme;
});
