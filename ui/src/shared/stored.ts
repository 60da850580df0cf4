/**
 * Small things that the window remembers between starts (theme, query history). Nothing of the library.
 *
 * A value that cannot be read or does not fit is as good as none: the window must start.
 */
export function readStored<T>(key: string, accepts: (value: unknown) => value is T): T | null {
  try {
    const text = localStorage.getItem(key);
    if (text === null) return null;
    const value: unknown = JSON.parse(text);
    return accepts(value) ? value : null;
  } catch {
    return null;
  }
}

/** Forgets the key when `value` is null. */
export function writeStored(key: string, value: unknown): void {
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // Storage may be full or disabled; the values stored here are not essential.
  }
}
