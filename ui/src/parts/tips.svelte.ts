// Which tooltip is shown, and where.
//
// Components say what an element means in its `title`. While the pointer is on such an element, its title is taken away, so that
// the system shows no tooltip of its own, and serves as its description; it is put back when the pointer leaves. Unrounded numbers
// are in `data-exact`, which no screen reader reads.

/** A tooltip at a place in the window, in pixels. */
export type Tip = {
  text: string;
  x: number;
  /** the top of a tooltip below its place */
  y: number;
  /** the bottom of a tooltip above its place, where there is no room below */
  above: number;
};

/** How long the pointer rests on an element before its tooltip is shown. */
const DELAY_MS = 450;
/** How long after a tooltip the next one is shown at once. */
const NEXT_MS = 300;
/** Room for the pointer between it and the tooltip. */
const POINTER = 18;
const GAP = 6;

const SELECTOR = "[title], [data-exact]";

/** An element under the pointer, with what to put back when it is left. */
type Taken = { element: HTMLElement; text: string; putBack: () => void };

/** Follows the pointer and the focus over a document. */
export class Tips {
  #shown = $state.raw<Tip | null>(null);
  #taken: Taken | null = null;
  #pointer = { x: 0, y: 0 };
  #timer: ReturnType<typeof setTimeout> | undefined;
  #closedMs = -NEXT_MS;

  get shown(): Tip | null {
    return this.#shown;
  }

  /** Returns a function that ends it. */
  follow(document: Document): () => void {
    const ending = new AbortController();
    const listen = <K extends keyof DocumentEventMap>(
      names: readonly K[],
      heard: (event: DocumentEventMap[K]) => void,
    ) => {
      for (const name of names) {
        document.addEventListener(name, heard, { capture: true, passive: true, signal: ending.signal });
      }
    };
    // An element may get its title once the pointer is on it.
    listen(["pointerover", "pointermove"], (event) => this.#at(event));
    listen(["pointerleave", "pointerdown", "keydown", "scroll", "wheel"], () => this.#close());
    listen(["pointerout"], ({ relatedTarget }) => relatedTarget === null && this.#leave());
    listen(["focusin"], ({ target }) => this.#focused(target));
    listen(["focusout"], () => this.#close());
    return () => {
      ending.abort();
      this.#leave();
    };
  }

  #at({ target, clientX, clientY, pointerType, buttons }: PointerEvent): void {
    if (pointerType === "touch" || buttons !== 0) return;
    this.#pointer = { x: clientX, y: clientY };
    if (!(target instanceof Element)) return;
    const nearest = target.closest<HTMLElement>(SELECTOR);
    if (this.#taken !== null) {
      const isInside = this.#taken.element.contains(target);
      // A text of an element within, or a new title of this one.
      const { element } = this.#taken;
      const isNewer =
        nearest !== null && (nearest === element ? element.title !== "" : element.contains(nearest));
      if (isInside && !isNewer) return;
      this.#leave();
    }
    if (nearest === null) return;
    this.#taken = taken(nearest);
    if (this.#taken.text === "") return;
    const isNext = performance.now() - this.#closedMs < NEXT_MS;
    this.#timer = setTimeout(
      () => {
        if (this.#taken?.element.isConnected !== true) return;
        const { x, y } = this.#pointer;
        this.#show(this.#taken.text, x, y + POINTER, y - GAP);
      },
      isNext ? 0 : DELAY_MS,
    );
  }

  #focused(target: EventTarget | null): void {
    if (!(target instanceof HTMLElement) || target.title === "" || !target.matches(":focus-visible")) return;
    const { left, top, bottom } = target.getBoundingClientRect();
    this.#show(target.title, left, bottom + GAP, top - GAP);
  }

  #show(text: string, x: number, y: number, above: number): void {
    this.#shown = { text, x, y, above };
  }

  #close(): void {
    clearTimeout(this.#timer);
    if (this.#shown !== null) this.#closedMs = performance.now();
    this.#shown = null;
  }

  /** The pointer is no longer on the element. */
  #leave(): void {
    this.#close();
    this.#taken?.putBack();
    this.#taken = null;
  }
}

/** Takes an element's title away. */
function taken(element: HTMLElement): Taken {
  const { title } = element;
  if (title === "") {
    return { element, text: element.dataset["exact"] ?? "", putBack: () => undefined };
  }
  const isDescribed = element.hasAttribute("aria-description");
  if (!isDescribed) element.setAttribute("aria-description", title);
  element.removeAttribute("title");
  const putBack = () => {
    if (!isDescribed) element.removeAttribute("aria-description");
    // It may have another title by now.
    if (!element.hasAttribute("title")) element.title = title;
  };
  return { element, text: title, putBack };
}
