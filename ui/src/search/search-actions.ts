// What can be done with a question, its answer and the opened row: by keys in the Search view, by the command palette from
// every view.
import type { Row } from "../api/bindings";
import { agentsOf } from "../agents/folder-agents";
import { openDocument } from "../open-document.svelte";
import { action, type Action } from "../shared/action";
import { MODIFIER } from "../shared/modifier";
import { visible } from "../shared/visible";
import type { Workspace } from "../workspace.svelte";
import { pinPresent } from "./pinning";
import { scopeAt, searchIn, showInFolder, watched, type FilePlace } from "./place-actions";
import type { CopyForm } from "./row-copy.svelte";
import type { SortKey } from "./row-order";
import type { Scope } from "./shown-answer";
import type { KeyAction } from "./search-keys";
import { TRACE_FORMS } from "./trace-copying.svelte";

/** The actions of keys that need nothing but the answer; the others move through the table. */
type KeyedId =
  | Exclude<KeyAction["kind"], "row" | "copy" | "read-journey" | "thumb" | "stage">
  | "thumb-up"
  | "thumb-down"
  | "next-stage"
  | "previous-stage";

export type SearchActionId =
  | KeyedId
  | "query"
  | "again"
  | "show-in-folder"
  | "forgot-row"
  | "search-passage"
  | "search-note"
  | "search-folder"
  | "search-agent"
  | "copy-place"
  | "copy-text"
  | "copy-json"
  | "copy-markdown"
  | "copy-csv"
  | "save-markdown"
  | "save-csv"
  | "reset"
  | "save-question"
  | "save-preset"
  | "open-preset"
  | "apply";

/** The action of a key; null if the key moves through the table or acts on the rows chosen there. */
export function actionOfKey(key: KeyAction): KeyedId | null {
  switch (key.kind) {
    case "row":
    case "copy":
    case "read-journey":
      return null;
    case "thumb":
      return key.up ? "thumb-up" : "thumb-down";
    case "stage":
      return key.to === "next" ? "next-stage" : "previous-stage";
    case "memory":
    case "why-not":
    case "forgot":
    case "edit":
    case "pin":
    case "switch":
    case "undo":
    case "redo":
    case "keys":
      return key.kind;
  }
}

/** The history of questions keeps no longer one. */
const PASSAGE_CHARS_MAX = 1_000;

/** In the order in which the command palette lists them. */
export function searchActions(workspace: Workspace): Record<SearchActionId, Action> {
  const { search, pipelines, presets, parameters, library, feedback, copyingTrace } = workspace;
  const history = pipelines.chosen;
  const typed = search.typed.trim();
  const isUnanswered = search.answer === null ? "no question is answered yet" : null;
  const { row, rank } = opened(workspace);
  const hasNoRow = row === null ? "no row is open" : null;
  const isReadOnly = (library.state?.read_only ?? null) === null ? null : "this window is read-only";
  const isUntyped = typed === "" ? "no question is typed" : null;
  const isSaved = typed !== "" && workspace.saved.has(search.typed);
  const cannotVote =
    search.openSlot === null
      ? "no row is open"
      : pipelines.agent !== null
        ? "an agent’s own pipeline ranks"
        : isReadOnly;

  const place: FilePlace | null = row === null ? null : { folder: row.folder, path: row.path };
  const around = scopeAt(workspace, place === null ? null : folderOf(place));
  const agent = watched(workspace, place)?.agent ?? null;
  const thumb = search.openSlot === null ? null : feedback.thumbOf(search.openSlot);

  /** Shows the Search view first. */
  const here = (act: () => void) => () => {
    if (workspace.view !== "search") workspace.show("search");
    act();
  };
  const vote = (isUp: boolean) => {
    if (search.openSlot !== null && pipelines.agent === null) void feedback.vote(search.openSlot, isUp);
  };
  const copyRow = (form: CopyForm, title: string, short: string, key: string | null) =>
    action(
      `search.copy-${form}`,
      title,
      here(() => {
        if (search.openSlot !== null) void workspace.copyingRows.copy(form, [search.openSlot]);
      }),
      { short, key, refusal: search.openSlot === null ? "no row is open" : null },
    );
  const inForm = (verb: "copy" | "save", form: "markdown" | "csv") => {
    const name = TRACE_FORMS.find((one) => one.form === form)?.name ?? form;
    return action(
      `search.${verb}-${form}`,
      verb === "copy" ? `Copy the trace as ${name}` : `Save the trace as ${name}…`,
      here(() => void copyingTrace[verb](form)),
      { refusal: isUnanswered, keywords: ["export", "report"] },
    );
  };

  return {
    query: action("search.query", "Go to the question", () => workspace.askForQuery(), {
      key: `${MODIFIER} K`,
      keywords: ["ask", "search"],
    }),
    again: action(
      "search.again",
      "Search again",
      here(() => void search.askAgain()),
      { refusal: isUntyped, keywords: ["ask", "repeat", "refresh"] },
    ),
    "why-not": action(
      "search.why-not",
      "Why not…?",
      here(() => askWhyNot(workspace)),
      { key: "W", keywords: ["missing", "dropped"] },
    ),
    forgot: action("search.forgot", "Why forgotten…?", () => askForgotten(workspace), {
      key: "F",
      keywords: ["ask", "forget", "autopsy"],
    }),
    edit: action(
      "search.edit",
      "Open the row’s note in your editor",
      here(() => editOpened(workspace)),
      { short: "Open in your editor", key: "O", refusal: hasNoRow },
    ),
    memory: action("search.memory", "Show the row’s note in Memory", () => showOpened(workspace), {
      short: "Show in Memory",
      key: "M",
      refusal: search.openSlot === null ? "no row is open" : null,
    }),
    "show-in-folder": showInFolder(workspace, place, {
      id: "search.show-in-folder",
      title: "Show the row’s note in its folder",
      refusal: hasNoRow,
    }),
    "forgot-row": action(
      "search.forgot-row",
      "Why forgotten…? for the open row",
      () => forgotRow(workspace),
      {
        short: "Why forgotten…?",
        refusal: hasNoRow ?? (rank === null || agent !== null ? null : "kept, and no agent’s memory"),
        keywords: ["ask", "forget", "autopsy"],
      },
    ),
    "search-passage": action(
      "search.passage",
      "Search for notes like the row’s passage",
      () => void searchPassage(workspace),
      {
        short: "For notes like this passage",
        refusal: search.openSlot === null ? "no row is open" : null,
        keywords: ["similar", "related", "from here"],
      },
    ),
    "search-note": searchIn(workspace, scopeAt(workspace, place), {
      id: "search.in-note",
      title: "Search in the row’s note",
      short: "In this note",
      refusal: hasNoRow,
    }),
    "search-folder": searchIn(workspace, around, {
      id: "search.in-folder",
      title: "Search in the row’s folder",
      short: around === null ? "In its folder" : `In its folder, ${visible(around.label)}`,
      refusal: hasNoRow,
    }),
    "search-agent": searchIn(
      workspace,
      agent === null ? null : { kind: "agent", agent: agent.id, label: agent.name },
      {
        id: "search.in-agent",
        title: "Search in the memory of the row’s agent",
        short: `In the memory of ${agent?.name ?? "its agent"}`,
        refusal: hasNoRow ?? (agent === null ? "no agent’s memory" : null),
      },
    ),
    "copy-place": copyRow("place", "Copy path and lines of the row", "Copy path and lines", `${MODIFIER} C`),
    "copy-text": copyRow("text", "Copy the text of the row", "Copy text", null),
    "copy-json": copyRow("json", "Copy the row as JSON", "Copy as JSON", null),
    "thumb-up": action(
      "search.thumb-up",
      "Thumb up for the row",
      here(() => vote(true)),
      {
        short: thumb === "up" ? "Remove the thumb up" : "Thumb up",
        key: "+",
        refusal: cannotVote,
        keywords: ["relevant", "rate", "judge"],
      },
    ),
    "thumb-down": action(
      "search.thumb-down",
      "Thumb down for the row",
      here(() => vote(false)),
      {
        short: thumb === "down" ? "Remove the thumb down" : "Thumb down",
        key: "-",
        refusal: cannotVote,
        keywords: ["not relevant", "rate", "judge"],
      },
    ),
    pin: action(
      "search.pin",
      "Pin the current settings",
      here(() => pinPresent(search, presets, parameters, pipelines)),
      { key: "P", keywords: ["baseline", "compare"] },
    ),
    switch: action(
      "search.switch",
      pipelines.agent === null ? "Show your agent’s ranking" : "Show Memlens’s ranking",
      here(() => workspace.whose.toggle()),
      {
        key: "R",
        refusal:
          workspace.whose.mine === null && pipelines.agent === null
            ? "no agent whose search is emulated is watched"
            : null,
        keywords: ["preset", "own", "yours", "switch"],
      },
    ),
    apply: action(
      "search.apply",
      "Apply to my agent…",
      here(() => workspace.applying.open()),
      {
        refusal: workspace.whose.mine === null ? "no agent whose search is emulated is watched" : isReadOnly,
        keywords: ["export", "write", "config", "undo"],
      },
    ),
    "next-stage": action(
      "search.next-stage",
      "Sort by the next stage",
      here(() => sortByStage(workspace, 1)),
      { key: "]", refusal: isUnanswered },
    ),
    "previous-stage": action(
      "search.previous-stage",
      "Sort by the previous stage",
      here(() => sortByStage(workspace, -1)),
      { key: "[", refusal: isUnanswered },
    ),
    undo: action("search.undo", "Undo the last parameter change", () => history.undo(), {
      key: `${MODIFIER} Z`,
      refusal: history.canUndo ? null : "nothing to undo",
    }),
    redo: action("search.redo", "Redo the parameter change", () => history.redo(), {
      key: `${MODIFIER} Shift Z`,
      refusal: history.canRedo ? null : "nothing to redo",
    }),
    reset: action("search.reset", "Reset all parameters", () => history.resetAll(), {
      refusal: history.changed.length > 0 ? null : "no parameter is changed",
      keywords: ["default"],
    }),
    "save-preset": action(
      "search.save-preset",
      "Save the parameters as a preset…",
      here(() => (presets.isNaming = true)),
      {
        refusal: pipelines.agent !== null ? "presets hold Memlens’s own settings" : isReadOnly,
        keywords: ["name", "store"],
      },
    ),
    "open-preset": action(
      "search.open-preset",
      "Open a memlens.json…",
      here(() => void presets.openFile()),
      { keywords: ["preset", "import", "file"] },
    ),
    "save-question": action(
      "search.save-question",
      isSaved ? "Remove the question from the saved ones" : "Save the question",
      here(() => void workspace.saved.save(search.typed, !isSaved)),
      { refusal: isUntyped ?? isReadOnly, keywords: ["star", "bookmark"] },
    ),
    "copy-markdown": inForm("copy", "markdown"),
    "copy-csv": inForm("copy", "csv"),
    "save-markdown": inForm("save", "markdown"),
    "save-csv": inForm("save", "csv"),
    keys: action("search.keys", "Show the keyboard shortcuts", () => (workspace.dialog = "keys"), {
      key: "?",
      keywords: ["keys", "help"],
    }),
  };
}

/** Where the question can be asked instead, for those with several folders. */
export function scopeActions(workspace: Workspace): Action[] {
  const { search, library } = workspace;
  const folders = library.state?.folders ?? [];
  const now = search.scope;
  if (folders.length < 2 && now === null) return [];
  const scopes: { id: string; title: string; scope: Scope; isNow: boolean }[] = [
    { id: "all", title: "Search in all folders", scope: null, isNow: now === null },
    ...agentsOf(folders).map(({ id, name }) => ({
      id: `agent ${id}`,
      title: `Search in the folders of ${name}`,
      scope: { kind: "agent", agent: id, label: name } as const,
      isNow: now?.kind === "agent" && now.agent === id,
    })),
    ...folders.map(({ id, name }) => ({
      id: `folder ${id}`,
      title: `Search in ${name}`,
      scope: { kind: "folder", folder: id, path: "", label: name } as const,
      isNow: now?.kind === "folder" && now.folder === id && now.path === "",
    })),
  ];
  return scopes.map(({ id, title, scope, isNow }) =>
    action(
      `scope.${id}`,
      title,
      () => {
        if (workspace.view !== "search") workspace.show("search");
        void search.searchIn(scope);
      },
      { refusal: isNow ? "searched now" : null, keywords: ["scope"] },
    ),
  );
}

/** The opened row, also before its journey is there, with its rank; of a chunk that is no row, what its journey says. */
function opened({ search }: Workspace): { row: Row | null; rank: number | null } {
  const { openSlot, journey } = search;
  return openSlot === null
    ? { row: journey?.row ?? null, rank: journey?.rank ?? null }
    : { row: search.rowOf(openSlot), rank: search.rankOf(openSlot) };
}

/** Asks about the opened row if that is dropped, and otherwise lets the user pick a note. */
function askWhyNot(workspace: Workspace): void {
  const { row, rank } = opened(workspace);
  if (row === null || rank !== null) workspace.whyNot.open();
  else workspace.whyNot.ask(row.folder, row.path, row.start_line, row.chunk);
}

/** Asks about the opened row if that is dropped, and otherwise lets the user say what was forgotten. */
function askForgotten(workspace: Workspace): void {
  const { row, rank } = opened(workspace);
  workspace.autopsy.open(row === null || rank !== null ? {} : { fact: `${row.path}:${row.start_line}` });
}

/** The same for a kept row, in the memory of its agent. */
function forgotRow(workspace: Workspace): void {
  const { row } = opened(workspace);
  if (row === null) return;
  const agent = watched(workspace, row)?.agent?.id ?? null;
  workspace.autopsy.open({ fact: `${row.path}:${row.start_line}`, agent });
}

/** Asks with the passage of the opened row that answers best. */
async function searchPassage(workspace: Workspace): Promise<void> {
  const { search, queries, notice } = workspace;
  if (search.openSlot === null) return;
  const snippet = await search.readSnippet(search.openSlot);
  if (snippet === null) return;
  if (snippet.text === null) {
    notice.show(`Cannot search for the passage: ${snippet.missing ?? "it has no text"}.`);
    return;
  }
  const question = snippet.text.replaceAll("…", " ").trim().slice(0, PASSAGE_CHARS_MAX);
  queries.remember(question);
  if (workspace.view !== "search") workspace.show("search");
  await search.searchNow(question);
}

/** The folder around a note. */
function folderOf({ folder, path }: FilePlace): FilePlace {
  return { folder, path: path.slice(0, Math.max(0, path.lastIndexOf("/"))) };
}

function editOpened(workspace: Workspace): void {
  const { row } = opened(workspace);
  if (row !== null) void workspace.library.openInEditor(row.folder, row.path, row.start_line);
}

function showOpened(workspace: Workspace): void {
  const { openSlot } = workspace.search;
  if (openSlot !== null) showInMemory(workspace, openSlot);
}

/** Shows the note of a row in the Memory view. */
function showInMemory(workspace: Workspace, slot: number): void {
  const row = workspace.search.rowOf(slot);
  if (row === null) return;
  openDocument.ask(row.folder, row.path, row.start_line);
  workspace.show("memory");
}

/** The sort after this one in the pipeline's order; the final order is at its end. */
function sortByStage({ search }: Workspace, by: 1 | -1): void {
  const stages =
    search.columns?.stages.filter((stage) => stage.status.kind === "applied").map((stage) => stage.id) ?? [];
  const keys: SortKey[] = [...stages, "final"];
  const next = keys[(keys.indexOf(search.sort) + by + keys.length) % keys.length];
  if (next !== undefined && next !== search.sort) search.sortBy(next);
}
