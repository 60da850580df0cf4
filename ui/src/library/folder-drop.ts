// Folders dropped on the window. Only Tauri knows their paths, so elsewhere (the preview page, tests) nothing is listened to.
import { isTauri } from "@tauri-apps/api/core";
import { getCurrentWebview } from "@tauri-apps/api/webview";

/** What is being dragged over the window. */
export type Drop = { kind: "over" } | { kind: "left" } | { kind: "dropped"; paths: string[] };

/** Calls `listener` while something is dragged over the window; the answer stops it. */
export function onFolderDrop(listener: (drop: Drop) => void): () => void {
  if (!isTauri()) return () => {};
  const stop = getCurrentWebview().onDragDropEvent(({ payload }) => {
    switch (payload.type) {
      case "enter":
      case "over":
        return listener({ kind: "over" });
      case "leave":
        return listener({ kind: "left" });
      case "drop":
        return listener({ kind: "dropped", paths: payload.paths });
    }
  });
  return () => void stop.then((unlisten) => unlisten());
}
