/** What the help at the foot of the rail is about. */
export type Subject = { kind: "parameter" | "stage"; id: string };

/** The attribute by which an element says whose help it shows. */
export function subjectKey({ kind, id }: Subject): string {
  return `${kind} ${id}`;
}

/** Whose help is shown, and what is wrong with the texts in the fields. */
export class RailHelp {
  #pointed = $state.raw<Subject | null>(null);
  #focused = $state.raw<Subject | null>(null);
  #messages = $state.raw<ReadonlyMap<string, string>>(new Map());
  #isHeld = false;

  /** The control under the pointer, else the one with the focus. */
  get subject(): Subject | null {
    return this.#pointed ?? this.#focused;
  }

  isFocused(parameter: string): boolean {
    return this.#focused?.kind === "parameter" && this.#focused.id === parameter;
  }

  /** The pointer moved over an element, or left with null. A drag keeps the help of what is dragged. */
  point(at: EventTarget | null): void {
    if (!this.#isHeld) this.#pointed = subjectOf(at);
  }

  /** The focus moved to an element, or left with null. A pointer at rest gives way to the keyboard. */
  focus(at: EventTarget | null): void {
    this.#focused = subjectOf(at);
    if (!this.#isHeld) this.#pointed = null;
  }

  /** A button of the pointer went down or up. */
  hold(isHeld: boolean): void {
    this.#isHeld = isHeld;
  }

  /** What is wrong with the text in a parameter's field; null if nothing is. */
  messageOf(parameter: string): string | null {
    return this.#messages.get(parameter) ?? null;
  }

  /** The parameter whose message is shown: that of the help, else the newest. */
  get refused(): string | null {
    const { subject } = this;
    if (subject?.kind === "parameter" && this.#messages.has(subject.id)) return subject.id;
    return [...this.#messages.keys()].at(-1) ?? null;
  }

  say(parameter: string, message: string | null): void {
    if (this.messageOf(parameter) === message) return;
    const messages = new Map(this.#messages);
    messages.delete(parameter);
    if (message !== null) messages.set(parameter, message);
    this.#messages = messages;
  }
}

function subjectOf(at: EventTarget | null): Subject | null {
  if (!(at instanceof Element)) return null;
  const [kind, id] = at.closest<HTMLElement>("[data-help]")?.dataset["help"]?.split(" ") ?? [];
  return id !== undefined && (kind === "parameter" || kind === "stage") ? { kind, id } : null;
}
