import type { Backend } from "../api/backend";
import type { ErrorInfo, QueryEdit, QuerySetView, SetQuery } from "../api/bindings";
import { Actions } from "../shared/call.svelte";
import type { QuerySets } from "../sets/query-sets.svelte";

type Calls = Pick<Backend, "querySet" | "saveQuery" | "removeQueries">;

/** The kinds of queries that the list can be narrowed to. */
export type QueryKind = "all" | "judged" | "nonsense" | "unjudged" | "misfits";

/** Whether a gold place of a query is not where it was judged. */
function isMisfit({ relevant }: SetQuery): boolean {
  return relevant?.some(({ state }) => state !== "fits") ?? false;
}

export function isOfKind(query: SetQuery, kind: QueryKind): boolean {
  switch (kind) {
    case "all":
      return true;
    case "judged":
      return query.relevant !== null && query.relevant.length > 0;
    case "nonsense":
      return query.relevant?.length === 0;
    case "unjudged":
      return query.relevant === null;
    case "misfits":
      return isMisfit(query);
  }
}

/** A query as it would be saved unchanged. */
export function editOf({ id, query, category, scope, relevant }: SetQuery): QueryEdit {
  const places = relevant?.map(({ path, start_line, end_line }) => ({ path, start_line, end_line })) ?? null;
  return { id, query, category, scope, relevant: places };
}

/** The queries of the opened set, one of which is edited. */
export class SetEditing {
  readonly #backend: Calls;
  readonly #sets: QuerySets;
  readonly #actions = new Actions();
  #view = $state.raw<QuerySetView | null>(null);
  #text = $state("");
  #kind = $state<QueryKind>("all");
  #openId = $state<string | null>(null);
  readonly #shown = $derived.by(() => {
    const words = this.#text.trim().toLocaleLowerCase();
    return (this.#view?.queries ?? []).filter(
      (query) =>
        isOfKind(query, this.#kind) &&
        (query.query.toLocaleLowerCase().includes(words) ||
          query.id.toLocaleLowerCase().includes(words) ||
          (query.category?.toLocaleLowerCase().includes(words) ?? false)),
    );
  });

  readonly #open = $derived(this.#view?.queries.find(({ id }) => id === this.#openId) ?? null);

  constructor(backend: Calls, sets: QuerySets) {
    this.#backend = backend;
    this.#sets = sets;
  }

  /** Null before it was read. */
  get view(): QuerySetView | null {
    return this.#view;
  }

  get text(): string {
    return this.#text;
  }

  set text(text: string) {
    this.#text = text;
  }

  get kind(): QueryKind {
    return this.#kind;
  }

  set kind(kind: QueryKind) {
    this.#kind = kind;
  }

  /** The queries that the words and the kind leave. */
  get shown(): SetQuery[] {
    return this.#shown;
  }

  /** The query that is inspected; null for none. */
  get open(): SetQuery | null {
    return this.#open;
  }

  get error(): ErrorInfo | null {
    return this.#actions.error;
  }

  get isBusy(): boolean {
    return this.#actions.isRunning;
  }

  lookAt(id: string | null): void {
    this.#openId = id;
    this.#actions.dismissError();
  }

  async read(set: string): Promise<void> {
    if (this.#view?.info.id !== set) {
      this.#view = null;
      this.#openId = null;
      this.#text = "";
      this.#kind = "all";
    }
    await this.#do(() => this.#backend.querySet(set));
  }

  /** Saves a query and looks at it. False where it could not be saved. */
  async save(edit: QueryEdit): Promise<boolean> {
    const set = this.#view?.info.id;
    if (set === undefined) return false;
    const known = new Set(this.#view?.queries.map(({ id }) => id));
    const isSaved = await this.#do(() => this.#backend.saveQuery(set, edit));
    if (isSaved) this.#openId = edit.id ?? this.#view?.queries.find(({ id }) => !known.has(id))?.id ?? null;
    return isSaved;
  }

  async remove(ids: string[]): Promise<void> {
    const set = this.#view?.info.id;
    if (set === undefined) return;
    await this.#do(() => this.#backend.removeQueries(set, ids));
  }

  #do(action: () => Promise<QuerySetView>): Promise<boolean> {
    return this.#actions.run(async () => {
      this.#view = await action();
      this.#sets.take(this.#view.info);
    });
  }
}
