// The views of the window, in the order of their tabs.
import type { ViewId } from "./session.svelte";
import { MODIFIER } from "./shared/modifier";

export const TABS: readonly { id: ViewId; label: string }[] = [
  { id: "search", label: "Search" },
  { id: "tune", label: "Tune" },
  { id: "compare", label: "Compare" },
  { id: "past", label: "Past questions" },
  { id: "memory", label: "Memory" },
  { id: "export", label: "Export" },
  { id: "settings", label: "Settings" },
];

/** The key of a view, as the list of keys shows it. */
export function keyOfView(id: ViewId): string {
  return `${MODIFIER} ${TABS.findIndex((tab) => tab.id === id) + 1}`;
}

/** The view that a key brings up; null if the key is not for a view. */
export function viewOfKey({
  key,
  code,
  ctrlKey,
  metaKey,
  altKey,
  shiftKey,
}: Pick<KeyboardEvent, "key" | "code" | "ctrlKey" | "metaKey" | "altKey" | "shiftKey">): ViewId | null {
  if (!(ctrlKey || metaKey) || altKey || shiftKey) return null;
  // On some keyboards the digits of the upper row need Shift: there the place of the key counts.
  const digit = /^Digit([1-9])$/.exec(code)?.[1] ?? (/^[1-9]$/.test(key) ? key : null);
  return digit === null ? null : (TABS[Number(digit) - 1]?.id ?? null);
}
