// The menu of a row of the tree.
import { copyPath, missing, scopeAt, searchIn, showInFolder } from "../search/place-actions";
import { action, type ActionGroup } from "../shared/action";
import type { Workspace } from "../workspace.svelte";
import type { TreeRow } from "./tree-rows";

/** Empty for a row that is no file or folder. */
export function treeMenu(workspace: Workspace, row: TreeRow): ActionGroup[] {
  if (row.kind === "more") return [];
  const { memory, library } = workspace;
  const isFile = row.isExpanded === null && row.kind === "file";
  const isUnread = row.unread === null ? null : "not read by Memlens";
  return [
    {
      id: "open",
      label: null,
      actions: [
        ...(isFile
          ? [action("tree.open", "Open", () => void memory.openRow(row), { key: "Enter" })]
          : [
              action(
                "tree.open",
                row.isExpanded === true ? "Collapse" : "Expand",
                () => toggle(workspace, row),
                {
                  key: "Enter",
                  refusal: row.isExpanded === null ? "it is not listed" : null,
                },
              ),
            ]),
        action("tree.edit", "Open in editor", () => void library.openInEditor(row.folder, row.path, null), {
          refusal: isFile ? (isUnread ?? missing(workspace, row)) : "only for notes",
        }),
        searchIn(workspace, scopeAt(workspace, row), {
          id: "tree.search",
          title: "Search here",
          refusal: isUnread ?? (row.n_chunks === 0 ? "nothing in it is indexed" : null),
        }),
      ],
    },
    {
      id: "file",
      label: null,
      actions: [
        copyPath(workspace, row, { id: "tree.copy-path", title: "Copy path" }),
        showInFolder(workspace, row, { id: "tree.show", title: "Show in folder" }),
      ],
    },
  ];
}

function toggle({ memory }: Workspace, row: TreeRow): void {
  memory.setExpanded([row.id], row.isExpanded !== true);
}
