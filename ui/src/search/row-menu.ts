// The menu of rows of the trace.
import { action, type Action, type ActionGroup } from "../shared/action";
import { MODIFIER } from "../shared/modifier";
import type { Workspace } from "../workspace.svelte";
import type { CopyForm } from "./row-copy.svelte";
import { searchActions } from "./search-actions";

/** What can be done with the chosen rows; a single one is the opened row. */
export function rowMenu(
  workspace: Workspace,
  slots: readonly number[],
  readJourney: () => void,
): ActionGroup[] {
  if (slots.length > 1) return [{ id: "copy", label: null, actions: severalRows(workspace, slots) }];
  const actions = searchActions(workspace);
  const isKept = workspace.search.rankOf(slots[0] ?? -1) !== null;
  const whyNot = { ...actions["why-not"], refusal: isKept ? "the row is kept" : null };
  return [
    {
      id: "row",
      label: null,
      actions: [
        action("search.read-journey", "Read its journey", readJourney, { key: "Enter" }),
        actions["thumb-up"],
        actions["thumb-down"],
      ],
    },
    { id: "why", label: null, actions: [whyNot, isKept ? actions["forgot-row"] : actions.forgot] },
    {
      id: "search",
      label: "Search from here",
      actions: [
        actions["search-passage"],
        actions["search-note"],
        actions["search-folder"],
        actions["search-agent"],
      ],
    },
    { id: "note", label: null, actions: [actions.memory, actions.edit, actions["show-in-folder"]] },
    {
      id: "copy",
      label: null,
      actions: [actions["copy-place"], actions["copy-text"], actions["copy-json"]],
    },
  ];
}

function severalRows(workspace: Workspace, slots: readonly number[]): Action[] {
  const n = slots.length;
  const copy = (form: CopyForm, title: string, key: string | null = null) =>
    action(`search.copy-${form}`, title, () => void workspace.copyingRows.copy(form, slots), { key });
  return [
    copy("place", `Copy ${n} paths and lines`, `${MODIFIER} C`),
    copy("text", `Copy ${n} texts`),
    copy("json", `Copy ${n} rows as JSON`),
  ];
}
