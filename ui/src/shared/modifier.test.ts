import { describe, expect, it } from "vitest";
import { modifierOf } from "./modifier";

describe("the key of combinations", () => {
  it("is named as the keyboards of the platform show it", () => {
    expect(modifierOf("MacIntel")).toBe("⌘");
    for (const other of ["Win32", "Linux x86_64", ""]) expect(modifierOf(other)).toBe("Ctrl");
  });

  it("is named by nothing but the constant", () => {
    const sources = import.meta.glob<string>("../**/*.{ts,svelte}", {
      query: "?raw",
      import: "default",
      eager: true,
    });
    const named = Object.entries(sources)
      .filter(([path]) => !path.endsWith(".test.ts") && !path.endsWith("/modifier.ts"))
      .filter(([, source]) => /\b(Ctrl|Cmd)\b/.test(withoutComments(source)))
      .map(([path]) => path);
    expect(Object.keys(sources).length).toBeGreaterThan(100);
    expect(named).toEqual([]);
  });
});

function withoutComments(source: string): string {
  return source
    .replace(/\/\*[^]*?\*\//g, "")
    .replace(/<!--[^]*?-->/g, "")
    .replace(/(^|\s)\/\/.*$/gm, "");
}
