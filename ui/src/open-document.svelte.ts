// The way from anywhere in the window to a line of a note: a search result asks, the Memory view answers.

/** A line of a note that someone wants to see. */
export type DocumentRequest = {
  folder: string;
  path: string;
  /** 1-based; null for the top */ line: number | null;
};

/** The last request. */
export class OpenDocument {
  #asked = $state.raw<DocumentRequest | null>(null);

  /** The request that the Memory view has not handled yet. */
  get asked(): DocumentRequest | null {
    return this.#asked;
  }

  /** Asks for a line to be shown; the caller switches to the Memory view. */
  ask(folder: string, path: string, line: number | null): void {
    this.#asked = { folder, path, line };
  }

  /** Returns the request and forgets it. */
  take(): DocumentRequest | null {
    const request = this.#asked;
    this.#asked = null;
    return request;
  }
}

/** The one of this window. */
export const openDocument = new OpenDocument();
