import { readStored, writeStored } from "../shared/stored";

const STORED_AS = "memlens.queries";
const QUERIES_MAX = 100;
/** Longer ones would fill the window's storage; they are searched, not remembered. */
const QUERY_CHARS_MAX = 1_000;

function isQueryList(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((query) => typeof query === "string");
}

/** The questions asked before, newest first, without repeats; kept between starts. */
export class QueryHistory {
  #queries = $state.raw<string[]>([...new Set(readStored(STORED_AS, isQueryList))]);

  get queries(): string[] {
    return this.#queries;
  }

  remember(query: string): void {
    const text = query.trim();
    if (text === "" || text.length > QUERY_CHARS_MAX) return;
    this.#queries = [text, ...this.#queries.filter((other) => other !== text)].slice(0, QUERIES_MAX);
    writeStored(STORED_AS, this.#queries);
  }

  clear(): void {
    this.#queries = [];
    writeStored(STORED_AS, null);
  }
}
