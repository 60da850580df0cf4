// What can be done with a file or folder of a watched folder, wherever it is shown.
import type { FolderState } from "../api/bindings";
import { action, type Action } from "../shared/action";
import { copyText } from "../shared/clipboard";
import type { Workspace } from "../workspace.svelte";
import type { Scope } from "./shown-answer";

/** A file or folder; an empty path is the watched folder itself. */
export type FilePlace = { folder: string; path: string };

/** How an action is named where it is offered, and what stands against it there. */
export type Offer = { id: string; title: string; short?: string; refusal?: string | null };

const NOT_WATCHED = "its folder is not watched";

/** Shows it in the system's file manager. */
export function showInFolder(workspace: Workspace, place: FilePlace | null, offer: Offer): Action {
  const run = () => {
    if (place !== null) void workspace.library.showInFolder(place.folder, place.path);
  };
  return action(offer.id, offer.title, run, {
    short: offer.short ?? "Show in folder",
    refusal: offer.refusal ?? missing(workspace, place),
    keywords: ["reveal", "file manager", "explorer", "finder", "directory"],
  });
}

/** Copies its whole path. */
export function copyPath(workspace: Workspace, place: FilePlace | null, offer: Offer): Action {
  const root = watched(workspace, place);
  const run = async () => {
    if (root === null || place === null) return;
    const isCopied = await copyText(absolutePath(root.path, place.path));
    workspace.notice.show(isCopied ? "Copied the path." : "Cannot copy: the system refused the clipboard.");
  };
  return action(offer.id, offer.title, () => void run(), {
    short: offer.short ?? "Copy path",
    refusal: offer.refusal ?? (root === null ? NOT_WATCHED : null),
    keywords: ["clipboard", "file"],
  });
}

/** Asks the typed question there; without one, the question box takes the focus. */
export function searchIn(workspace: Workspace, scope: Scope, offer: Offer): Action {
  const { search } = workspace;
  const run = () => {
    if (search.typed.trim() === "") {
      search.scopeTo(scope);
      workspace.askForQuery();
      return;
    }
    if (workspace.view !== "search") workspace.show("search");
    void search.searchIn(scope);
  };
  const isSearched = scope !== null && isSameScope(scope, search.scope);
  return action(offer.id, offer.title, run, {
    short: offer.short ?? "Search here",
    refusal: offer.refusal ?? (scope === null ? NOT_WATCHED : isSearched ? "searched now" : null),
    keywords: ["scope", "within"],
  });
}

/** A note, or a folder with all that is in it; null if its folder is not watched. */
export function scopeAt(workspace: Workspace, place: FilePlace | null): Scope {
  const root = watched(workspace, place);
  if (root === null || place === null) return null;
  const { path } = place;
  const label = path === "" ? root.name : path.slice(path.lastIndexOf("/") + 1);
  return { kind: "folder", folder: root.id, path, label };
}

/** The watched folder of a place; null if it is not watched. */
export function watched({ library }: Workspace, place: FilePlace | null): FolderState | null {
  return library.state?.folders.find(({ id }) => id === place?.folder) ?? null;
}

/** Why nothing on disk can be opened; null if it can. */
export function missing(workspace: Workspace, place: FilePlace | null): string | null {
  const root = watched(workspace, place);
  if (root === null) return NOT_WATCHED;
  return root.status === "missing" ? "the folder is missing" : null;
}

function absolutePath(root: string, path: string): string {
  if (path === "") return root;
  const separator = !root.includes("/") && root.includes("\\") ? "\\" : "/";
  return `${root.endsWith(separator) ? root.slice(0, -1) : root}${separator}${path.replaceAll("/", separator)}`;
}

function isSameScope(a: Scope, b: Scope): boolean {
  if (a?.kind === "folder" && b?.kind === "folder") return a.folder === b.folder && a.path === b.path;
  if (a?.kind === "agent" && b?.kind === "agent") return a.agent === b.agent;
  return a === b;
}
