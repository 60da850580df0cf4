// What jsdom does not have and the window uses. Layout stays at 0: tests look at roles, texts and state.
import "@testing-library/jest-dom/vitest";
import { configure } from "@testing-library/svelte";
import { beforeEach } from "vitest";

// A test waits for a condition, however busy the machine is; its own timeout ends one that never comes.
configure({ asyncUtilTimeout: 10_000 });

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
