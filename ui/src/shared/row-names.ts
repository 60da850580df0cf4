// What the notes of an answer are called in its rows.
import type { Row } from "../api/bindings";

type Note = Pick<Row, "folder" | "folder_name" | "path">;

const keyOf = ({ folder, path }: Note) => `${folder}/${path}`;

/** The names of notes, each behind as many of its folders as set it apart from the others. */
export class RowNames {
  readonly #longer = new Map<string, string>();

  constructor(rows: readonly Note[]) {
    const notes = [...new Map(rows.map((row) => [keyOf(row), row])).values()];
    for (const alike of groups(notes, fileName)) this.#setApart(alike, 2);
  }

  of(note: Note): string {
    return this.#longer.get(keyOf(note)) ?? fileName(note);
  }

  /** Names notes whose names with fewer parts are equal. */
  #setApart(alike: readonly Note[], nParts: number): void {
    const nameOf = (note: Note) => partsOf(note).slice(-nParts).join("/");
    for (const note of alike) this.#longer.set(keyOf(note), nameOf(note));
    const isLast = alike.every((note) => partsOf(note).length <= nParts);
    if (!isLast) for (const stillAlike of groups(alike, nameOf)) this.#setApart(stillAlike, nParts + 1);
  }
}

function partsOf({ folder_name, path }: Note): string[] {
  return [...folder_name.split("/"), ...path.split("/")];
}

function fileName({ path }: Note): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** The notes that share a name with another one. */
function groups(notes: readonly Note[], nameOf: (note: Note) => string): Note[][] {
  const byName = new Map<string, Note[]>();
  for (const note of notes) {
    const name = nameOf(note);
    const alike = byName.get(name);
    if (alike === undefined) byName.set(name, [note]);
    else alike.push(note);
  }
  return [...byName.values()].filter((alike) => alike.length > 1);
}
