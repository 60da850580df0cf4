import type { Editor } from "../api/bindings";
import { readStored, writeStored } from "./stored";

const KEY = "memlens.editor";

/** The element in the settings in which an editor is chosen. */
export const EDITOR_CHOICE_ID = "editor-choice";

/** The code of an error that another editor may solve. */
export const NO_EDITOR = "no_editor";

/** The programs that a note can be opened with, by their names. */
export const EDITORS: readonly { id: Editor; name: string }[] = [
  { id: "system", name: "System default (no line)" },
  { id: "vscode", name: "VS Code" },
  { id: "cursor", name: "Cursor" },
  { id: "zed", name: "Zed" },
  { id: "sublime", name: "Sublime Text" },
  { id: "jetbrains", name: "JetBrains IDE" },
  { id: "vim", name: "Vim (GVim, MacVim)" },
  { id: "emacs", name: "Emacs" },
];

/** The editor that the user chose on this machine. */
export function chosenEditor(): Editor {
  return readStored(KEY, isEditor) ?? "system";
}

export function chooseEditor(editor: Editor): void {
  writeStored(KEY, editor === "system" ? null : editor);
}

function isEditor(value: unknown): value is Editor {
  return EDITORS.some(({ id }) => id === value);
}
