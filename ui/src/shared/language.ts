/**
 * Replaces an invalid system language by en-US. Imported before everything else.
 *
 * With LANG unset or C, WebKitGTK reports `navigator.language` as "C"; `Intl` throws on it while modules
 * are still loading and the window stays blank.
 */
function isLanguageTag(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length > 0;
  } catch {
    return false;
  }
}

if (!isLanguageTag(navigator.language)) {
  Object.defineProperty(navigator, "language", { value: "en-US", configurable: true });
  Object.defineProperty(navigator, "languages", { value: ["en-US"], configurable: true });
}

export {};
