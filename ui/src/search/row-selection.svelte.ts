/** The rows of the table that are chosen together, by slot; an answer of its own for each table. */
export class RowSelection {
  #slots = $state.raw<ReadonlySet<number>>(new Set());
  /** Where a range begins. */
  #anchor: number | null = null;

  get size(): number {
    return this.#slots.size;
  }

  has(slot: number): boolean {
    return this.#slots.has(slot);
  }

  clear(): void {
    this.#anchor = null;
    if (this.#slots.size > 0) this.#slots = new Set();
  }

  /** Adds a row, or takes it out again; `open` is the row that is opened, which the first choice takes along. */
  toggle(slot: number, open: number | null): void {
    const slots = new Set(this.#slots);
    if (slots.size === 0 && open !== null) slots.add(open);
    if (slots.has(slot) && slots.size > 1) slots.delete(slot);
    else slots.add(slot);
    this.#anchor = slot;
    this.#slots = slots;
  }

  /** Chooses all rows from where the last choice was, or the opened row, to this one, as `order` has them. */
  extendTo(slot: number, open: number | null, order: readonly number[]): void {
    const from = order.indexOf(this.#anchor ?? open ?? slot);
    const to = order.indexOf(slot);
    this.#anchor ??= open ?? slot;
    this.#slots = new Set(order.slice(Math.min(from, to), Math.max(from, to) + 1));
  }

  /** The chosen rows as `order` has them. */
  among(order: readonly number[]): number[] {
    return order.filter((slot) => this.#slots.has(slot));
  }
}
