// Parts of the DOM that jsdom lacks and the window uses. Layout stays at 0: tests check roles, texts and state.
import "@testing-library/jest-dom/vitest";
import { configure, prettyDOM } from "@testing-library/svelte";
import { beforeEach } from "vitest";

// A test waits for a condition, however busy the machine is; its own timeout ends one that never comes.
configure({
  asyncUtilTimeout: 10_000,
  // A query that waits fails at each change of the page until it succeeds. Printing the page is slow, so only the message
  // of the last failure, which is read, prints it.
  getElementError(message, container) {
    const error = new Error();
    error.name = "TestingLibraryElementError";
    Object.defineProperty(error, "message", {
      configurable: true,
      get: () => [message, prettyDOM(container)].filter(Boolean).join("\n\n"),
    });
    return error;
  },
});

class NoResizeObserver implements ResizeObserver {
  observe(): void {}
  unobserve(): void {}
  disconnect(): void {}
}

// Hints name keys as on Linux, on whatever machine the tests run.
Object.defineProperty(navigator, "platform", { configurable: true, value: "Linux x86_64" });
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
Element.prototype.hasPointerCapture ??= () => false;
Element.prototype.releasePointerCapture ??= () => undefined;

beforeEach(() => {
  localStorage.clear();
  delete document.documentElement.dataset.ready;
  delete document.documentElement.dataset.theme;
});
