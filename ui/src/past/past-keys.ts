// The keys of the Past questions view.
import type { KeyState, Keystroke } from "../search/search-keys";

export type Step = "previous" | "next" | "first" | "last" | "page-up" | "page-down";
export type PastKey = { kind: "move"; to: Step } | { kind: "trace" } | { kind: "forgot" } | { kind: "find" };

const STEPS: Record<string, Step> = {
  ArrowUp: "previous",
  ArrowDown: "next",
  Home: "first",
  End: "last",
  PageUp: "page-up",
  PageDown: "page-down",
};

/** For the list of all keys. */
export const PAST_KEY_LIST: { keys: string[]; does: string }[] = [
  { keys: ["/"], does: "Find in past questions" },
  { keys: ["↑", "↓", "Home", "End", "PgUp", "PgDn"], does: "Move through the questions" },
  { keys: ["Enter"], does: "Open the question’s trace in Search" },
  { keys: ["F"], does: "Why did my agent forget…?" },
];

/** Returns what a key does in the view; null when it is not the view's. */
export function pastKeyOf(stroke: Keystroke, place: KeyState): PastKey | null {
  if (place === "overlay" || place === "text") return null;
  if ((stroke.ctrlKey || stroke.metaKey || stroke.altKey) && !stroke.isAltGraph) return null;
  switch (stroke.key) {
    case "/":
      return { kind: "find" };
    case "f":
    case "F":
      return { kind: "forgot" };
  }
  if (place !== "table") return null;
  if (stroke.key === "Enter") return { kind: "trace" };
  const to = STEPS[stroke.key];
  return to === undefined ? null : { kind: "move", to };
}

/** Returns the target of a step among `n` rows, with `page` rows per page; `at` is -1 if none is opened. */
export function stepFrom(at: number, to: Step, n: number, page: number): number {
  const by = { previous: -1, next: 1, first: -n, last: n, "page-up": -page, "page-down": page }[to];
  return Math.min(n - 1, Math.max(0, at + by));
}
