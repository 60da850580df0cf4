// What the Export view shows of another program: what becomes of each parameter, and of that program's config.
import type { Backend } from "../api/backend";
import type { ErrorInfo, Export, Ranking, TargetInfo, WrittenConfig } from "../api/bindings";
import { Call } from "../shared/call.svelte";
import { LastAction, type ActionOutcome } from "./last-action.svelte";

/** Memlens's own file, which is no other program. */
export const OWN_FILE = "memlens";

/** Settings that were saved apart, or written into the program's config. */
export type HandedOver =
  | { kind: "saved"; path: string }
  | ({ kind: "written" } & WrittenConfig)
  | ({ kind: "undone" } & WrittenConfig);

type Asked = Pick<
  Backend,
  "exportTargets" | "exportFor" | "exportFragment" | "exportWrite" | "exportUndo" | "pickConfig"
>;

const NO_TARGETS: readonly TargetInfo[] = [];

/** A ranking on its way into another program. */
export class HandOver {
  readonly #backend: Asked;
  readonly #action = new LastAction<HandedOver>();
  readonly #listing: Call<[], readonly TargetInfo[]>;
  readonly #exporting: Call<[ranking: Ranking, target: string], Export>;
  #chosen = $state<string | null>(null);
  #agent = $state<string | null>(null);
  #written = $state.raw<WrittenConfig | null>(null);

  constructor(backend: Asked) {
    this.#backend = backend;
    this.#listing = new Call(() => backend.exportTargets());
    // What is no longer true is not written.
    this.#exporting = new Call((ranking, target) => backend.exportFor(ranking, target, this.#agent), "drop");
  }

  /** The programs that can receive settings, in the order of every list. */
  get targets(): readonly TargetInfo[] {
    return this.#listing.data ?? NO_TARGETS;
  }
  /** What was chosen here; null until then. */
  get chosen(): string | null {
    return this.#chosen;
  }
  /** The program's agent that receives the settings; null for all. */
  get agent(): string | null {
    return this.#agent;
  }
  /** null until the first answer is there. */
  get exported(): Export | null {
    return this.#exporting.data;
  }
  get error(): ErrorInfo | null {
    return this.#exporting.error ?? this.#listing.error;
  }
  get outcome(): HandedOver | ActionOutcome | null {
    return this.#action.outcome;
  }
  /** The last change that was written from here, until it is undone. */
  get written(): WrittenConfig | null {
    return this.#written;
  }
  /** A dialog is open. */
  get isBusy(): boolean {
    return this.#action.isBusy;
  }

  choose(target: string): void {
    this.#chosen = target;
    this.#agent = null;
    this.#exporting.data = null;
    this.#action.forget();
  }

  chooseAgent(agent: string | null): void {
    this.#agent = agent;
    this.#exporting.data = null;
    this.#action.forget();
  }

  async readTargets(): Promise<void> {
    await this.#listing.run();
  }

  /** Asks what becomes of a ranking in a target; the newest answer wins. */
  async show(ranking: Ranking, target: string): Promise<void> {
    await this.#exporting.run(ranking, target);
  }

  async copy(): Promise<void> {
    if (this.exported !== null) await this.#action.copy(this.exported.text, "the settings");
  }

  /** Asks where and writes the settings alone. Does nothing if the user cancels. */
  async save(): Promise<void> {
    const { id } = this.exported ?? {};
    if (id === undefined) return;
    await this.#action.do("save the settings", async () => {
      const path = await this.#backend.exportFragment(id);
      return path === null ? null : { kind: "saved", path };
    });
  }

  /** Changes the program's config after the user agrees; then reads it again. */
  async write(ranking: Ranking, target: string): Promise<void> {
    const { id } = this.exported ?? {};
    if (id === undefined) return;
    await this.#action.do("change the config", async () => {
      let written: WrittenConfig | null;
      try {
        written = await this.#backend.exportWrite(id);
        if (written !== null) this.#written = written;
      } finally {
        // Also after a refusal: the config may have changed since it was read.
        await this.show(ranking, target);
      }
      return written === null ? null : { kind: "written", ...written };
    });
  }

  /** Puts the config back as it was before the last change, after the user agrees; then reads it again. */
  async undo(ranking: Ranking, target: string): Promise<void> {
    const [before, written] = [this.outcome, this.#written];
    if (written === null) return;
    await this.#action.do("undo the change", async () => {
      let undone: WrittenConfig | null;
      try {
        undone = await this.#backend.exportUndo(written.backup);
        if (undone !== null) this.#written = null;
      } finally {
        await this.show(ranking, target);
      }
      if (undone !== null) return { kind: "undone", ...undone };
      // The user did not agree, so the change can still be undone.
      return before?.kind === "written" ? before : null;
    });
  }

  /** Forgets what the last button did, and the last answer. A written change can still be undone. */
  clear(): void {
    this.#exporting.data = null;
    this.#exporting.dismissError();
    this.#action.forget();
  }

  /** Asks for the program's config. Does nothing if the user cancels. */
  async pick(ranking: Ranking, target: string): Promise<void> {
    await this.#action.do("use this config", async () => {
      if ((await this.#backend.pickConfig(target)) !== null) await this.show(ranking, target);
      return null;
    });
  }
}
