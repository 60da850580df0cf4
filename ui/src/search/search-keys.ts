import { MODIFIER } from "../shared/modifier";

/** The keys of the Search view: what they do, and how they are shown to the user. */

export type KeyAction =
  | {
      kind: "row";
      to: "previous" | "next" | "first" | "last" | "page-up" | "page-down";
      /** Whether the rows on the way are chosen. */
      isExtending: boolean;
    }
  | { kind: "copy" }
  | { kind: "memory" }
  | { kind: "read-journey" }
  | { kind: "why-not" }
  | { kind: "forgot" }
  | { kind: "edit" }
  | { kind: "pin" }
  | { kind: "switch" }
  | { kind: "thumb"; up: boolean }
  | { kind: "stage"; to: "previous" | "next" }
  | { kind: "undo" }
  | { kind: "redo" }
  | { kind: "keys" };

/** Where a key was pressed; keys that a control needs for itself stay with it. */
export type KeyState =
  /** A field for text: only combinations with Ctrl or Cmd that mean nothing there. */
  | "text"
  /** A slider, a button or another control: arrows, Enter and the like are its own. */
  | "control"
  /** The table, or nothing in particular. */
  | "table"
  /** A dialog or menu, which has the keyboard to itself. */
  | "overlay";

export type Keystroke = Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "shiftKey" | "altKey"> & {
  /** On many keyboards the brackets need AltGr, which some systems report as Ctrl and Alt. */
  isAltGraph: boolean;
};

/** For the dialog that lists them, in the order in which they are shown. */
export const KEY_LIST: { keys: string[]; does: string; isForThumbs?: true }[] = [
  { keys: [`${MODIFIER} K`], does: "Go to the question from anywhere" },
  {
    keys: [`${MODIFIER} Shift P`],
    does: `Command palette: every action, view, preset, agent and note; also ${MODIFIER} K twice`,
  },
  { keys: [`${MODIFIER} 1`, `${MODIFIER} 7`], does: "Go to a view by its place among the tabs, 1 to 7" },
  {
    keys: ["↑", "↓"],
    does: "Previous or next row; in the question box: ↑ earlier questions, ↓ what your agents asked",
  },
  { keys: ["Home", "End", "PgUp", "PgDn"], does: "Jump by page, or to first and last" },
  { keys: ["Enter"], does: "Read the row's journey; in the question box: search now" },
  { keys: ["Esc"], does: "Back to the table" },
  { keys: ["F6"], does: "Next part of the window; with Shift, the previous one" },
  {
    keys: ["W"],
    does: "Why not…? Why a row or note was dropped, and how to bring it back",
  },
  { keys: ["F"], does: "Why did my agent forget…? Where a fact was lost on its way to an answer" },
  { keys: ["O"], does: "Open the row's note in your editor" },
  { keys: ["M"], does: "Show the row's note in Memory" },
  { keys: ["Shift ↑", "Shift ↓"], does: `Choose several rows; also ${MODIFIER} or Shift and a click` },
  { keys: [`${MODIFIER} C`], does: "Copy path and lines of the row, or of all that are chosen" },
  {
    keys: ["+", "-"],
    does: "Thumb up or down for the open row; press again to remove it",
    isForThumbs: true,
  },
  { keys: ["R"], does: "Switch between your agent’s ranking and Memlens’s" },
  { keys: ["P"], does: "Pin the current settings, to see rank changes from them" },
  { keys: ["[", "]"], does: "Sort by the previous or next stage" },
  { keys: [`${MODIFIER} Z`], does: "Undo the last parameter change" },
  { keys: [`${MODIFIER} Shift Z`], does: "Redo" },
  {
    keys: ["←", "→", "PgUp", "PgDn", "Home", "End"],
    does: "On a slider: change it; with Shift, by a tenth of a step",
  },
  { keys: ["Backspace"], does: "On a slider: reset it" },
  { keys: [`${MODIFIER} +`, `${MODIFIER} -`, `${MODIFIER} 0`], does: "Zoom in, out, and back" },
  { keys: ["?"], does: "Show this list" },
];

/** Returns what a key does in the Search view; null when it is not the view's. */
export function actionOf(stroke: Keystroke, place: KeyState): KeyAction | null {
  if (place === "overlay") return null;
  if (!stroke.isAltGraph) {
    if (stroke.altKey) return null;
    if (stroke.ctrlKey || stroke.metaKey) return combinationOf(stroke, place);
  }
  if (place === "text") return null;
  return letterOf(stroke.key) ?? (place === "table" ? tableKeyOf(stroke.key, stroke.shiftKey) : null);
}

/** Ctrl K and Cmd K go to the query from every view, so the window listens for them itself. */
export function isQueryKey(
  event: Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey" | "shiftKey">,
): boolean {
  return (
    (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === "k"
  );
}

/** Returns where an element takes keys. */
export function placeOf(element: EventTarget | null): KeyState {
  if (!(element instanceof Element)) return "table";
  if (element.closest("[role='dialog'], [role='alertdialog'], [role='menu'], [role='listbox']") !== null)
    return "overlay";
  if (
    element.matches(
      "textarea, select, [role='combobox'], [contenteditable='true'], input:not([type='range'], [type='radio'], [type='checkbox'])",
    )
  )
    return "text";
  if (element.matches("[role='grid']")) return "table";
  return element.matches("button, a, input, summary, [role='slider'], [tabindex='0']") ? "control" : "table";
}

function combinationOf(stroke: Keystroke, place: KeyState): KeyAction | null {
  switch (stroke.key.toLowerCase()) {
    case "z":
      // A field has an undo of its own.
      if (place === "text") return null;
      return stroke.shiftKey ? { kind: "redo" } : { kind: "undo" };
    case "c":
      return place === "table" && !stroke.shiftKey ? { kind: "copy" } : null;
    default:
      return null;
  }
}

function letterOf(key: string): KeyAction | null {
  switch (key) {
    case "o":
    case "O":
      return { kind: "edit" };
    case "m":
    case "M":
      return { kind: "memory" };
    case "w":
    case "W":
      return { kind: "why-not" };
    case "f":
    case "F":
      return { kind: "forgot" };
    case "p":
    case "P":
      return { kind: "pin" };
    case "r":
    case "R":
      return { kind: "switch" };
    case "+":
      return { kind: "thumb", up: true };
    case "-":
      return { kind: "thumb", up: false };
    case "[":
      return { kind: "stage", to: "previous" };
    case "]":
      return { kind: "stage", to: "next" };
    case "?":
      return { kind: "keys" };
    default:
      return null;
  }
}

function tableKeyOf(key: string, isExtending: boolean): KeyAction | null {
  switch (key) {
    case "ArrowUp":
      return { kind: "row", to: "previous", isExtending };
    case "ArrowDown":
      return { kind: "row", to: "next", isExtending };
    case "Home":
      return { kind: "row", to: "first", isExtending };
    case "End":
      return { kind: "row", to: "last", isExtending };
    case "PageUp":
      return { kind: "row", to: "page-up", isExtending };
    case "PageDown":
      return { kind: "row", to: "page-down", isExtending };
    case "Enter":
      return { kind: "read-journey" };
    default:
      return null;
  }
}
