// What the last button did, one at a time.
import type { ErrorInfo } from "../api/bindings";
import { toErrorInfo } from "../api/errors";
import { copyText } from "../shared/clipboard";

/** What every button may come to. */
export type ActionOutcome = { kind: "copied" } | { kind: "failed"; doing: string; error: ErrorInfo };

/** What the last button did; `Outcome` is what else it may come to. */
export class LastAction<Outcome> {
  #outcome = $state.raw<Outcome | ActionOutcome | null>(null);
  #isBusy = $state(false);

  get outcome(): Outcome | ActionOutcome | null {
    return this.#outcome;
  }
  /** A dialog is open. */
  get isBusy(): boolean {
    return this.#isBusy;
  }

  forget(): void {
    this.#outcome = null;
  }

  /** Copies a text; `what` names it. */
  async copy(text: string, what: string): Promise<void> {
    const error = { code: "clipboard", message: "the system refused the clipboard; select the text instead" };
    this.#outcome = (await copyText(text))
      ? { kind: "copied" }
      : { kind: "failed", doing: `copy ${what}`, error };
  }

  /** Runs the action of a dialog, unless another one is open; null if the user cancels. */
  async do(doing: string, work: () => Promise<Outcome | null>): Promise<void> {
    if (this.#isBusy) return;
    this.#isBusy = true;
    this.#outcome = null;
    try {
      this.#outcome = await work();
    } catch (error) {
      this.#outcome = { kind: "failed", doing, error: toErrorInfo(error) };
    } finally {
      this.#isBusy = false;
    }
  }
}
