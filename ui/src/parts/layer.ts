/**
 * Where what an element opens is put: into the dialog that the element is in, which everything else is behind, else into the
 * page's main part, so that a screen reader finds it there.
 */
export function layerOf(element: Element | null): Element {
  const dialog = element?.closest("[role='dialog'], [role='alertdialog']");
  return dialog ?? document.querySelector("main") ?? document.body;
}
