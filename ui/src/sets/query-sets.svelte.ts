import type { Backend } from "../api/backend";
import type { ErrorInfo, ImportedSet, NewSetFrom, Origin, QuerySetInfo } from "../api/bindings";
import { Actions } from "../shared/call.svelte";
import { readStored, writeStored } from "../shared/stored";

type Calls = Pick<
  Backend,
  "querySets" | "newQuerySet" | "renameQuerySet" | "deleteQuerySet" | "importQuerySet" | "exportQuerySet"
>;

const CHOSEN_KEY = "memlens.query-set";

/** The query sets that there are, which of them is measured, and which judgments of it count. */
export class QuerySets {
  readonly #backend: Calls;
  readonly #actions = new Actions();
  #all = $state.raw<QuerySetInfo[] | null>(null);
  #chosenId = $state<string | null>(readStored(CHOSEN_KEY, (value) => typeof value === "string"));
  #without = $state.raw<Origin[]>([]);
  #imported = $state.raw<ImportedSet | null>(null);
  #savedTo = $state<string | null>(null);

  constructor(backend: Calls) {
    this.#backend = backend;
  }

  /** Null before they were read. */
  get all(): QuerySetInfo[] | null {
    return this.#all;
  }

  /** The one that was chosen last; else the first that can be measured, else the first. */
  get chosen(): QuerySetInfo | null {
    const all = this.#all ?? [];
    return (
      all.find(({ id }) => id === this.#chosenId) ??
      all.find(({ n_judged }) => n_judged > 0) ??
      all[0] ??
      null
    );
  }

  /** The origins whose judgments are left out. */
  get without(): Origin[] {
    return this.#without;
  }

  /** What the last import left out. */
  get imported(): ImportedSet | null {
    return this.#imported;
  }

  /** Where the last export was written. */
  get savedTo(): string | null {
    return this.#savedTo;
  }

  get error(): ErrorInfo | null {
    return this.#actions.error;
  }

  get isBusy(): boolean {
    return this.#actions.isRunning;
  }

  dismiss(): void {
    this.#actions.dismissError();
    this.#imported = null;
    this.#savedTo = null;
  }

  choose(id: string): void {
    if (id !== this.chosen?.id) this.#without = [];
    this.#chosenId = id;
    writeStored(CHOSEN_KEY, id);
  }

  /** Lets the judgments of an origin count, or leaves them out. */
  count(origin: Origin, isCounted: boolean): void {
    const others = this.#without.filter((one) => one !== origin);
    this.#without = isCounted ? others : [...others, origin];
  }

  /** Reads which sets there are; judgments may have come since. */
  async read(): Promise<void> {
    await this.#do(async () => {
      this.#all = await this.#backend.querySets();
    });
  }

  /** Takes up what a set holds now. */
  take(info: QuerySetInfo): void {
    this.#all = (this.#all ?? []).map((one) => (one.id === info.id ? info : one));
  }

  /** Makes a set and measures it from now on. False where it could not be made. */
  async create(name: string, from: NewSetFrom): Promise<boolean> {
    return this.#do(async () => {
      const { id } = await this.#backend.newQuerySet(name, from);
      this.#all = await this.#backend.querySets();
      this.choose(id);
    });
  }

  async rename(id: string, name: string): Promise<boolean> {
    return this.#do(async () => {
      this.take(await this.#backend.renameQuerySet(id, name));
    });
  }

  async remove(id: string): Promise<void> {
    await this.#do(async () => {
      await this.#backend.deleteQuerySet(id);
      this.#all = await this.#backend.querySets();
    });
  }

  /** Lets the user choose a file; what was left out of it is reported. */
  async import(): Promise<void> {
    await this.#do(async () => {
      const imported = await this.#backend.importQuerySet();
      if (imported === null) return;
      this.#all = await this.#backend.querySets();
      this.choose(imported.info.id);
      this.#imported = imported;
    });
  }

  async export(id: string, format: "jsonl" | "csv"): Promise<void> {
    await this.#do(async () => {
      this.#savedTo = await this.#backend.exportQuerySet(id, format);
    });
  }

  #do(action: () => Promise<void>): Promise<boolean> {
    this.#imported = null;
    this.#savedTo = null;
    return this.#actions.run(action);
  }
}
