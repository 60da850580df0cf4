import { svelte } from "@sveltejs/vite-plugin-svelte";
import { svelteTesting } from "@testing-library/svelte/vite";
import { defineConfig } from "vitest/config";

export default defineConfig({
  plugins: [svelte(), svelteTesting()],
  clearScreen: false,
  server: { port: 5173, strictPort: true },
  build: {
    // WebKitGTK 2.50 and macOS 15: the oldest engines the window is shown in.
    target: "safari18",
    // Everything is a file of its own: the content security policy allows 'self' and no inline text.
    assetsInlineLimit: 0,
    // The preload helper would be an inline-free no-op in a window that loads from memory.
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 600,
  },
  test: {
    environment: "jsdom",
    include: ["src/**/*.test.ts", "tests/**/*.test.ts"],
    setupFiles: ["tests/setup.ts"],
    restoreMocks: true,
    // The default leaves one core free: on two cores a single worker would run every file.
    maxWorkers: "100%",
    // A guard against tests that hang; axe takes seconds where every core is busy.
    testTimeout: 30_000,
  },
});
