// What the command palette can do with the open note while the Memory view is shown.
import { copyPath, scopeAt, searchIn, showInFolder } from "../search/place-actions";
import { action, type Action } from "../shared/action";
import type { Workspace } from "../workspace.svelte";

/** Empty in other views. */
export function memoryActions(workspace: Workspace): Action[] {
  const { memory, view } = workspace;
  if (view !== "memory") return [];
  const place = placeOf(workspace);
  const refusal = place === null ? "no note is open" : null;
  const isRendered = memory.reading === "rendered";
  return [
    action("memory.edit", "Open the note in your editor", () => void memory.edit(), { key: "O", refusal }),
    action(
      "memory.reading",
      isRendered ? "Show the note’s source" : "Show the note rendered",
      () => memory.read(isRendered ? "text" : "rendered"),
      {
        key: "T",
        refusal: refusal ?? (memory.hasReadings ? null : "this note has only its source"),
        keywords: ["rendered", "source", "markdown", "switch"],
      },
    ),
    copyPath(workspace, place, { id: "memory.copy-path", title: "Copy the note’s path", refusal }),
    showInFolder(workspace, place, {
      id: "memory.show-in-folder",
      title: "Show the note in its folder",
      refusal,
    }),
    searchIn(workspace, scopeAt(workspace, place), {
      id: "memory.search-here",
      title: "Search in the note",
      refusal,
    }),
    action(
      "memory.why-not",
      "Why not…? for the chosen chunk",
      () => {
        if (place === null) return;
        workspace.whyNot.ask(place.folder, place.path, place.line, place.chunk);
        workspace.show("search");
      },
      { key: "W", refusal, keywords: ["missing", "note"] },
    ),
    action(
      "memory.forgot",
      "Why forgotten…? for the chosen chunk",
      () => {
        if (place === null) return;
        const agent =
          workspace.library.state?.folders.find(({ id }) => id === place.folder)?.agent?.id ?? null;
        workspace.autopsy.open({ fact: `${place.path}:${place.line ?? 1}`, agent });
      },
      { key: "F", refusal, keywords: ["forget", "note", "autopsy"] },
    ),
  ];
}

type NotePlace = { folder: string; path: string; line: number | null; chunk: string | null };

/** The open note and its chosen chunk; null if no note is open. */
function placeOf({ memory: { note, chosen } }: Workspace): NotePlace | null {
  switch (note.kind) {
    case "none":
      return null;
    case "open": {
      const { folder, path } = note.note.document;
      return { folder, path, line: chosen?.chunk.start_line ?? null, chunk: chosen?.chunk.chunk ?? null };
    }
    case "opening":
    case "failed":
      return { folder: note.folder, path: note.path, line: null, chunk: null };
  }
}
