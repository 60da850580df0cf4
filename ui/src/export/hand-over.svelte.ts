// What the Export view shows of another program: what becomes of each parameter, and of that program's config.
import type { Backend } from "../api/backend";
import type { ErrorInfo, Export, Ranking, TargetInfo } from "../api/bindings";
import { toErrorInfo } from "../api/errors";
import { copyText } from "../shared/clipboard";

/** Memlens's own file, which is no other program. */
export const OWN_FILE = "memlens";

/** What the last button did. */
export type HandedOver =
  | { kind: "copied" }
  | { kind: "saved"; path: string }
  | { kind: "written"; path: string; backup: string }
  | { kind: "failed"; doing: string; error: ErrorInfo };

type Asked = Pick<Backend, "exportTargets" | "exportFor" | "exportFragment" | "exportWrite" | "pickConfig">;

/** A ranking on its way into another program. */
export class HandOver {
  readonly #backend: Asked;
  #targets = $state.raw<readonly TargetInfo[]>([]);
  #chosen = $state<string | null>(null);
  #agent = $state<string | null>(null);
  #told = $state.raw<Export | null>(null);
  #error = $state.raw<ErrorInfo | null>(null);
  #outcome = $state.raw<HandedOver | null>(null);
  #isBusy = $state(false);
  #asked = 0;

  constructor(backend: Asked) {
    this.#backend = backend;
  }

  /** The programs that can be told, in the order of every list. */
  get targets(): readonly TargetInfo[] {
    return this.#targets;
  }
  /** What was chosen here; null until then. */
  get chosen(): string | null {
    return this.#chosen;
  }
  /** The one of the program's agents that is told; null for all. */
  get agent(): string | null {
    return this.#agent;
  }
  /** null until the first answer is there. */
  get told(): Export | null {
    return this.#told;
  }
  get error(): ErrorInfo | null {
    return this.#error;
  }
  get outcome(): HandedOver | null {
    return this.#outcome;
  }
  /** A dialog is open. */
  get isBusy(): boolean {
    return this.#isBusy;
  }

  choose(target: string): void {
    this.#chosen = target;
    this.#agent = null;
    this.#told = null;
    this.#outcome = null;
  }

  chooseAgent(agent: string | null): void {
    this.#agent = agent;
    this.#told = null;
    this.#outcome = null;
  }

  async readTargets(): Promise<void> {
    try {
      this.#targets = await this.#backend.exportTargets();
    } catch (error) {
      this.#error = toErrorInfo(error);
    }
  }

  /** Asks what becomes of a ranking in a target; the newest answer wins. */
  async show(ranking: Ranking, target: string): Promise<void> {
    const asked = ++this.#asked;
    try {
      const told = await this.#backend.exportFor(ranking, target, this.#agent);
      if (asked !== this.#asked) return;
      this.#told = told;
      this.#error = null;
    } catch (error) {
      if (asked !== this.#asked) return;
      // What is no longer true is not written.
      this.#told = null;
      this.#error = toErrorInfo(error);
    }
  }

  async copy(): Promise<void> {
    if (this.#told === null) return;
    const isCopied = await copyText(this.#told.text);
    this.#outcome = isCopied
      ? { kind: "copied" }
      : {
          kind: "failed",
          doing: "copy the settings",
          error: { code: "clipboard", message: "the system refused the clipboard; select the text instead" },
        };
  }

  /** Asks where and writes the settings alone. Nothing happens when the person cancels. */
  async save(): Promise<void> {
    const { id } = this.#told ?? {};
    if (id === undefined) return;
    await this.#during("save the settings", async () => {
      const path = await this.#backend.exportFragment(id);
      if (path !== null) this.#outcome = { kind: "saved", path };
    });
  }

  /** Changes the program's config, once the person agrees; then looks at it anew. */
  async write(ranking: Ranking, target: string): Promise<void> {
    const { id } = this.#told ?? {};
    if (id === undefined) return;
    await this.#during("change the config", async () => {
      const written = await this.#backend.exportWrite(id);
      if (written !== null) this.#outcome = { kind: "written", ...written };
      await this.show(ranking, target);
    });
  }

  /** Asks for the program's config. Nothing happens when the person cancels. */
  async pick(ranking: Ranking, target: string): Promise<void> {
    await this.#during("use this config", async () => {
      if ((await this.#backend.pickConfig(target)) !== null) await this.show(ranking, target);
    });
  }

  async #during(doing: string, work: () => Promise<void>): Promise<void> {
    if (this.#isBusy) return;
    this.#isBusy = true;
    this.#outcome = null;
    try {
      await work();
    } catch (error) {
      this.#outcome = { kind: "failed", doing, error: toErrorInfo(error) };
    } finally {
      this.#isBusy = false;
    }
  }
}
