/** Returns the name of the key that combinations are typed with, as keyboards of the platform show it. */
export function modifierOf(platform: string): "⌘" | "Ctrl" {
  return /^Mac/.test(platform) ? "⌘" : "Ctrl";
}

/** The key that combinations are typed with on this machine: every hint names it by this constant. */
export const MODIFIER = modifierOf(navigator.platform);
