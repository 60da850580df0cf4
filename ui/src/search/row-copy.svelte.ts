import type { Backend } from "../api/backend";
import { toErrorInfo } from "../api/errors";
import { copyTextToCome } from "../shared/clipboard";
import { counted } from "../shared/format";
import { sentence } from "../shared/sentence";
import type { BriefNotice } from "../shared/brief-notice.svelte";
import type { SearchController } from "./search-controller.svelte";

export type CopyForm = "place" | "text" | "json";

const WHAT: Record<CopyForm, [string, string]> = {
  place: ["path", "paths"],
  text: ["text", "texts"],
  json: ["row", "rows"],
};

/** Rows on their way to the clipboard. */
export class RowCopy {
  readonly #backend: Pick<Backend, "rowsCopied">;
  readonly #search: SearchController;
  readonly #notice: BriefNotice;

  constructor(backend: Pick<Backend, "rowsCopied">, search: SearchController, notice: BriefNotice) {
    this.#notice = notice;
    this.#backend = backend;
    this.#search = search;
  }

  async copy(form: CopyForm, slots: readonly number[]): Promise<void> {
    if (slots.length === 0) return;
    try {
      const isCopied = await copyTextToCome(this.#textOf(form, slots));
      this.#notice.show(
        isCopied
          ? `Copied ${counted(slots.length, ...WHAT[form])}.`
          : "Cannot copy: the system refused the clipboard.",
      );
    } catch (error) {
      this.#notice.show(`Cannot copy: ${sentence(toErrorInfo(error).message)}`);
    }
  }

  async #textOf(form: CopyForm, slots: readonly number[]): Promise<string> {
    if (form === "place") return slots.flatMap((slot) => this.#placeOf(slot)).join("\n");
    const { answer, rankedBy } = this.#search;
    if (answer === null || rankedBy === null) return "";
    return this.#backend.rowsCopied(answer.id, rankedBy, [...slots], form === "json");
  }

  /** As compilers and editors write it. */
  #placeOf(slot: number): string[] {
    const row = this.#search.rowOf(slot);
    if (row === null) return [];
    const { path, start_line, end_line } = row;
    return [`${path}:${start_line}${end_line > start_line ? `-${end_line}` : ""}`];
  }
}
