import type { Attachment } from "svelte/attachments";

/**
 * Shows a text with unrounded numbers while the pointer is on an element.
 *
 * A `title` that stays there is also what a screen reader reads as the description: sixteen digits of a score that the
 * element shows with three. `data-exact` keeps the text for scripts.
 */
export function exactOnHover(text: string): Attachment<HTMLElement> {
  return (element) => {
    element.dataset["exact"] = text;
    const show = () => (element.title = text);
    const hide = () => element.removeAttribute("title");
    element.addEventListener("pointerenter", show);
    element.addEventListener("pointerleave", hide);
    return () => {
      element.removeEventListener("pointerenter", show);
      element.removeEventListener("pointerleave", hide);
      hide();
    };
  };
}
