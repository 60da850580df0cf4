import type { Backend } from "../api/backend";
import type { ErrorInfo, IfTaken, MadeSet, NewSetFrom, Origin, QuerySetInfo } from "../api/bindings";
import { toErrorInfo } from "../api/errors";
import { Actions } from "../shared/call.svelte";
import { readStored, writeStored } from "../shared/stored";

type Calls = Pick<
  Backend,
  "querySets" | "newQuerySet" | "renameQuerySet" | "deleteQuerySet" | "importQuerySet" | "exportQuerySet"
>;

const CHOSEN_KEY = "memlens.query-set";
/** The error code of a name that another set has. */
const TAKEN = "set_taken";

/** Makes a set, by a dialog or without; null if the user cancels. */
type Making = (ifTaken: IfTaken) => Promise<MadeSet | null>;

/** A set that was not made, because its name is taken: the user decides. */
type Taken = { message: string; isFile: boolean; make: Making };

/** What was made, with what was left out of it. */
type Made = MadeSet & { isFile: boolean };

/** The query sets that there are, which of them is measured, and which judgments of it count: one list for all views. */
export class QuerySets {
  readonly #backend: Calls;
  readonly #actions = new Actions();
  #all = $state.raw<QuerySetInfo[] | null>(null);
  #chosenId = $state<string | null>(readStored(CHOSEN_KEY, (value) => typeof value === "string"));
  #isUsers = $state(false);
  #without = $state.raw<Origin[]>([]);
  #made = $state.raw<Made | null>(null);
  #taken = $state.raw<Taken | null>(null);
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

  /** Whether the user chose or made a set since the window was opened. */
  get isUsers(): boolean {
    return this.#isUsers;
  }

  /** The origins whose judgments are left out. */
  get without(): Origin[] {
    return this.#without;
  }

  /** The set that was made last, if there is something to say about it. */
  get made(): Made | null {
    return this.#made;
  }

  /** The set that waits for what becomes of another one of its name. */
  get taken(): Taken | null {
    return this.#taken;
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
    this.#made = null;
    this.#savedTo = null;
  }

  choose(id: string): void {
    if (id !== this.chosen?.id) this.#without = [];
    this.#chosenId = id;
    this.#isUsers = true;
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

  /** Makes a set and measures it from now on. False if it could not be made; a taken name is asked about. */
  async create(name: string, from: NewSetFrom): Promise<boolean> {
    return this.#make((ifTaken) => this.#backend.newQuerySet(name, from, ifTaken), false);
  }

  /** Makes a copy of a set under a name like its own. */
  async duplicate({ id, name }: QuerySetInfo): Promise<boolean> {
    const from = { kind: "set", set: id } as const;
    return this.#make(() => this.#backend.newQuerySet(copyName(name), from, "keep_both"), false);
  }

  /** Goes on with the set whose name is taken. */
  async settle(ifTaken: "replace" | "keep_both"): Promise<void> {
    const taken = this.#taken;
    this.#taken = null;
    if (taken !== null) await this.#make(() => taken.make(ifTaken), taken.isFile);
  }

  /** Makes no set, and leaves the one that has the name. */
  leave(): void {
    this.#taken = null;
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

  /** Lets the user choose a file, which becomes a set; what was left out of it is reported. */
  async import(): Promise<boolean> {
    return this.#make((ifTaken) => this.#backend.importQuerySet(ifTaken === "refuse" ? null : ifTaken), true);
  }

  async export(id: string, format: "jsonl" | "csv"): Promise<void> {
    await this.#do(async () => {
      this.#savedTo = await this.#backend.exportQuerySet(id, format);
    });
  }

  async #make(make: Making, isFile: boolean): Promise<boolean> {
    return this.#do(async () => {
      let made: MadeSet | null;
      try {
        made = await make("refuse");
      } catch (error) {
        const { code, message } = toErrorInfo(error);
        if (code !== TAKEN) throw error;
        this.#taken = { message, isFile, make };
        return;
      }
      if (made === null) return;
      this.#all = await this.#backend.querySets();
      this.choose(made.info.id);
      if (isFile || made.notices.length > 0) this.#made = { ...made, isFile };
    });
  }

  #do(action: () => Promise<void>): Promise<boolean> {
    this.#made = null;
    this.#savedTo = null;
    return this.#actions.run(action);
  }
}

/** The name of a copy, before its number. */
export function copyName(name: string): string {
  return name.endsWith(" copy") ? name : `${name} copy`;
}
