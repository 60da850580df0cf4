// Back and forward among the views and what they show: the window's address, and the keys and buttons that go through it.
import { VIEWS, type ViewId } from "./session.svelte";

/** Buttons of a mouse that go back and forward. */
const [BACK_BUTTON, FORWARD_BUTTON] = [3, 4];

/** Returns the address of a view other than Memory, which has addresses of its own. */
export function addressOfView(view: ViewId): string {
  return `view=${view}`;
}

/** Returns the view of an address; Search for one that names none. */
export function viewOf(hash: string): ViewId {
  const parts = new URLSearchParams(hash.replace(/^#/, ""));
  if (parts.has("memory")) return "memory";
  return VIEWS.find((view) => view === parts.get("view")) ?? "search";
}

/** Makes an entry in the window's history, unless it is the present one. */
export function enter(address: string): void {
  if (`#${address}` !== location.hash) history.pushState(null, "", `#${address}`);
}

/** Calls `arrive` after each step back and forward, until the returned function is called. */
export function followHistory(arrive: () => void): () => void {
  const onkeydown = (event: KeyboardEvent) => {
    if (!event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    // In a box, such keys may go by words.
    if (event.target instanceof Element && event.target.matches("input, textarea, select")) return;
    if (event.key === "ArrowLeft") history.back();
    else if (event.key === "ArrowRight") history.forward();
    else return;
    event.preventDefault();
  };
  const onmouseup = (event: MouseEvent) => {
    if (event.button === BACK_BUTTON) history.back();
    else if (event.button === FORWARD_BUTTON) history.forward();
    else return;
    event.preventDefault();
  };
  window.addEventListener("popstate", arrive);
  window.addEventListener("keydown", onkeydown);
  window.addEventListener("mouseup", onmouseup);
  return () => {
    window.removeEventListener("popstate", arrive);
    window.removeEventListener("keydown", onkeydown);
    window.removeEventListener("mouseup", onmouseup);
  };
}
