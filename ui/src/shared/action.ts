/** Something that the user can do, by a key, a button, a menu or the command palette. */
export type Action = {
  /** Unique, and the same in every version: recent choices are stored by it. */
  id: string;
  title: string;
  /** Title in a menu of the thing that it acts on, where that thing needs no name. */
  short: string;
  /** As the list of keys shows it; null if there is no key. */
  key: string | null;
  /** Further words that find it in the command palette. */
  keywords: readonly string[];
  /** Why it is impossible now, in a few words; null if it is possible. */
  refusal: string | null;
  /** Does nothing if there is nothing to act on. */
  run: () => void;
};

/** An action with the defaults of what is left out. */
export function action(
  id: string,
  title: string,
  run: () => void,
  {
    short = title,
    key = null,
    keywords = [],
    refusal = null,
  }: Partial<Pick<Action, "short" | "key" | "keywords" | "refusal">> = {},
): Action {
  return { id, title, short, key, keywords, refusal, run };
}

/** Actions that a menu shows together; a label names them. */
export type ActionGroup = { id: string; label: string | null; actions: readonly Action[] };
