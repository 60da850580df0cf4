import type { Backend } from "../api/backend";
import type { ErrorInfo, RunComparison, RunInfo, RunView, SetWish } from "../api/bindings";
import { Actions } from "../shared/call.svelte";

type Calls = Pick<
  Backend,
  "runs" | "saveRun" | "run" | "compareRuns" | "renameRun" | "deleteRun" | "exportRun"
>;

/** Two of them can be compared. */
const PICKED_MAX = 2;

/** The measurements that were kept. */
export class Runs {
  readonly #backend: Calls;
  readonly #actions = new Actions();
  #all = $state.raw<RunInfo[] | null>(null);
  #picked = $state.raw<string[]>([]);
  #open = $state.raw<RunView | null>(null);
  #comparison = $state.raw<RunComparison | null>(null);
  #savedTo = $state<string | null>(null);

  constructor(backend: Calls) {
    this.#backend = backend;
  }

  /** The newest first; null before they were read. */
  get all(): RunInfo[] | null {
    return this.#all;
  }

  /** The ids of those that are to be compared, at most two. */
  get picked(): string[] {
    return this.#picked;
  }

  get open(): RunView | null {
    return this.#open;
  }

  get comparison(): RunComparison | null {
    return this.#comparison;
  }

  get savedTo(): string | null {
    return this.#savedTo;
  }

  get error(): ErrorInfo | null {
    return this.#actions.error;
  }

  get isBusy(): boolean {
    return this.#actions.isRunning;
  }

  /** Picks a run to compare or lets go of it; a third takes the place of the one picked first. */
  pick(id: string): void {
    this.#picked = this.#picked.includes(id)
      ? this.#picked.filter((one) => one !== id)
      : [...this.#picked, id].slice(-PICKED_MAX);
  }

  async read(): Promise<void> {
    await this.#do(() => this.#readAll());
  }

  async save(wish: SetWish, name: string): Promise<boolean> {
    return this.#do(async () => {
      await this.#backend.saveRun(wish, name);
      await this.#readAll();
    });
  }

  async show(id: string): Promise<void> {
    await this.#do(async () => {
      this.#open = await this.#backend.run(id);
    });
  }

  /** The settings of a run; null where it cannot be read. */
  async settingsOf(id: string): Promise<RunView["ranking"] | null> {
    let ranking: RunView["ranking"] | null = null;
    await this.#do(async () => {
      ({ ranking } = await this.#backend.run(id));
    });
    return ranking;
  }

  /** Compares the two that are picked, the older one first. */
  async compare(): Promise<void> {
    const [b, a] = (this.#all ?? []).filter(({ id }) => this.#picked.includes(id));
    if (a === undefined || b === undefined) return;
    await this.#do(async () => {
      this.#comparison = await this.#backend.compareRuns(a.id, b.id);
    });
  }

  close(): void {
    this.#open = null;
    this.#comparison = null;
  }

  async rename(id: string, name: string): Promise<boolean> {
    return this.#do(async () => {
      await this.#backend.renameRun(id, name);
      await this.#readAll();
    });
  }

  async remove(id: string): Promise<void> {
    await this.#do(async () => {
      await this.#backend.deleteRun(id);
      await this.#readAll();
    });
  }

  async export(id: string): Promise<void> {
    await this.#do(async () => {
      this.#savedTo = await this.#backend.exportRun(id);
    });
  }

  async #readAll(): Promise<void> {
    const all = await this.#backend.runs();
    this.#all = all.toSorted((a, b) => b.at_ms - a.at_ms);
    this.#picked = this.#picked.filter((id) => all.some((run) => run.id === id));
  }

  #do(action: () => Promise<void>): Promise<boolean> {
    this.#savedTo = null;
    return this.#actions.run(action);
  }
}
