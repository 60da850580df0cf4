// Context menus by other means than the right button: the Menu key, Shift F10, a button.

type Keystroke = Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey" | "shiftKey">;

export function isMenuKey({ key, ctrlKey, metaKey, altKey, shiftKey }: Keystroke): boolean {
  if (ctrlKey || metaKey || altKey) return false;
  return key === "ContextMenu" || (key === "F10" && shiftKey);
}

/** Opens the context menu of an element below another one, as the right button would there. */
export function openMenu(of: Element, below: Element): void {
  const { left, bottom } = below.getBoundingClientRect();
  of.dispatchEvent(
    new MouseEvent("contextmenu", { bubbles: true, cancelable: true, clientX: left, clientY: bottom }),
  );
}
