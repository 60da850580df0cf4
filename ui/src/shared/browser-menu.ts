/** Whether the webview's own menu (Reload, Back, Inspect) has something to offer: only where text is typed or selected. */
export function hasBrowserMenu(target: EventTarget | null): boolean {
  if (!(target instanceof Element)) return false;
  if (target.closest("input:not([type='range'], [type='radio'], [type='checkbox']), textarea") !== null)
    return true;
  const selection = document.getSelection();
  if (selection === null || selection.isCollapsed) return false;
  return selection.getRangeAt(0).intersectsNode(target);
}
