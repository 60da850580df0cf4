import { toErrorInfo } from "../api/errors";
import { copyTextToCome } from "./clipboard";

/** What became of the last copy. */
export type Copied = { kind: "copied" } | { kind: "failed"; message: string };

/** A text that is made to be pasted into a report, with or without the notes' text. */
export class MarkdownCopy {
  isTextLeftOut = $state(false);
  #outcome = $state.raw<Copied | null>(null);

  /** Null before a copy, and once something else is shown. */
  get outcome(): Copied | null {
    return this.#outcome;
  }

  forget(): void {
    this.#outcome = null;
  }

  async copy(make: (withText: boolean) => Promise<string>): Promise<void> {
    this.#outcome = null;
    try {
      const isCopied = await copyTextToCome(make(!this.isTextLeftOut));
      this.#outcome = isCopied
        ? { kind: "copied" }
        : { kind: "failed", message: "the system refused the clipboard" };
    } catch (error) {
      this.#outcome = { kind: "failed", message: toErrorInfo(error).message };
    }
  }
}
