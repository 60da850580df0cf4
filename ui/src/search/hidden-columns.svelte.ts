import { readStored, writeStored } from "../shared/stored";
import type { ColumnGroup } from "./column-groups";

const KEY = "memlens.hidden-columns";

/** The columns of the trace that the user has put away, of every pipeline; kept on this machine. */
export class HiddenColumns {
  #keys = $state.raw<readonly string[]>(readStored(KEY, isKeys) ?? []);

  has(key: ColumnGroup["key"]): boolean {
    return this.#keys.includes(key);
  }

  show(key: ColumnGroup["key"], isShown: boolean): void {
    const others = this.#keys.filter((one) => one !== key);
    this.#keys = isShown ? others : [...others, key];
    writeStored(KEY, this.#keys.length === 0 ? null : this.#keys);
  }
}

function isKeys(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((key) => typeof key === "string");
}
