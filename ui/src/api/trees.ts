// The trees of watched folders, of which only what changed is asked for.
import type { FolderTree, TreeEntry } from "./bindings";

/** Stamps of folders by their path, "" for the watched folder itself, by the watched folder's id. */
export type KnownStamps = Record<string, Record<string, string>>;

/** Entries of a folder, with its stamp. */
type Held = { entries: TreeEntry[]; stamp: string | null };

/** Known entries of folders, by watched folder and path. */
type Known = ReadonlyMap<string, ReadonlyMap<string, Held>>;

/** Natural order of names: 9 before 10, ignoring case. */
const NAMES = new Intl.Collator("en", { numeric: true });

/** The trees as they were last read, which spare the next reading what did not change. */
export class KnownTrees {
  readonly #ask: (known: KnownStamps) => Promise<FolderTree[]>;
  #trees: FolderTree[] = [];

  /** `ask` may leave out the entries of a folder with a known stamp. */
  constructor(ask: (known: KnownStamps) => Promise<FolderTree[]>) {
    this.#ask = ask;
  }

  /**
   * Reads the trees as they are now; the entries of each folder are in order: folders first, then by name; names that the
   * collation holds alike by their letters' codes. What did not change is the same object as before.
   */
  async read(): Promise<FolderTree[]> {
    const known: Known = new Map(this.#trees.map((tree) => [tree.folder.id, foldersOf(tree)]));
    const trees = await this.#ask(stampsOf(known));
    this.#trees = trees.map((tree) => orderedTree(tree, known.get(tree.folder.id)));
    return this.#trees;
  }
}

/** A tree with sorted entries; entries of folders with a known stamp are taken from the cache. */
export function orderedTree(
  tree: FolderTree,
  known: ReadonlyMap<string, Held> = new Map<string, Held>(),
): FolderTree {
  return { ...tree, entries: inOrder("", tree.entries, tree.stamp, known) };
}

function stampsOf(known: Known): KnownStamps {
  const stamps = (folders: ReadonlyMap<string, Held>) =>
    [...folders].flatMap(([path, { stamp }]) => (stamp === null ? [] : [[path, stamp] as const]));
  return Object.fromEntries([...known].map(([id, folders]) => [id, Object.fromEntries(stamps(folders))]));
}

/** The folders of a tree by path, itself under "". */
function foldersOf({ entries, stamp }: FolderTree): Map<string, Held> {
  const folders = new Map<string, Held>([["", { entries, stamp }]]);
  const pending = entries.filter((entry) => entry.is_folder);
  for (let entry = pending.pop(); entry !== undefined; entry = pending.pop()) {
    folders.set(entry.path, { entries: entry.children, stamp: entry.stamp ?? null });
    for (const child of entry.children) if (child.is_folder) pending.push(child);
  }
  return folders;
}

/** Sorted entries of a folder; from the cache if it has the same stamp. */
function inOrder(
  path: string,
  entries: readonly TreeEntry[],
  stamp: string | null,
  known: ReadonlyMap<string, Held>,
): TreeEntry[] {
  const was = known.get(path);
  if (was !== undefined && stamp !== null && was.stamp === stamp) return was.entries;
  return entries
    .map((entry) =>
      entry.is_folder
        ? { ...entry, children: inOrder(entry.path, entry.children, entry.stamp ?? null, known) }
        : entry,
    )
    .sort(
      (a, b) =>
        Number(b.is_folder) - Number(a.is_folder) ||
        NAMES.compare(a.name, b.name) ||
        (a.path < b.path ? -1 : a.path > b.path ? 1 : 0),
    );
}
