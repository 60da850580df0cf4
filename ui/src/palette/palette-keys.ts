// The keys that open the command palette.

type Keystroke = Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey" | "shiftKey">;

const MODIFIERS: readonly string[] = ["Control", "Meta", "Shift", "Alt"];

export function isPaletteKey({ key, ctrlKey, metaKey, altKey, shiftKey }: Keystroke): boolean {
  return (ctrlKey || metaKey) && shiftKey && !altKey && key.toLowerCase() === "p";
}

/** Notices a key that is pressed twice, with no other key and no click in between. */
export class Twice {
  #wasPressed = false;

  /** Takes note of the key; true if it was the last one too. A key that is held down is pressed once. */
  press(isRepeat: boolean): boolean {
    const isSecond = this.#wasPressed && !isRepeat;
    this.#wasPressed = !isSecond;
    return isSecond;
  }

  /** Takes note of another key. */
  other(key: string): void {
    // The key that is held down for a combination is not another.
    if (!MODIFIERS.includes(key)) this.#wasPressed = false;
  }

  /** Takes note of a click. */
  click(): void {
    this.#wasPressed = false;
  }
}
