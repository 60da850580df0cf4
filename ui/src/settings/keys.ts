// The keys of the window, as Settings lists them.
import { PAST_KEY_LIST } from "../past/past-keys";
import { KEY_LIST } from "../search/search-keys";
import { MODIFIER } from "../shared/modifier";

/** What the keys of one place do. */
export type KeyGroup = { place: string; keys: readonly { keys: readonly string[]; does: string }[] };

/** Every key, by the view it works in. */
export const KEY_GROUPS: readonly KeyGroup[] = [
  { place: "Search", keys: KEY_LIST },
  { place: "Past questions", keys: PAST_KEY_LIST },
  {
    place: "Memory",
    keys: [
      { keys: ["/"], does: "Find a note by its name" },
      {
        keys: ["↑", "↓", "Home", "End", "PgUp", "PgDn"],
        does: "Move through the tree; letters jump to a name",
      },
      { keys: ["→", "←", "*"], does: "Open a folder, close it, open all folders at its level" },
      { keys: ["Enter"], does: "Open the note" },
      { keys: ["[", "]"], does: "Previous or next chunk" },
      { keys: ["T"], does: "Switch between rendered and source" },
      { keys: ["L"], does: "Go to the line past which the agent does not load the note" },
      { keys: ["W"], does: "Why not…? for the chosen chunk" },
      { keys: ["F"], does: "Why did my agent forget…? for the chosen chunk or the words that you marked" },
      { keys: [`${MODIFIER} E`], does: "Turn decay on or off for the note or folder" },
      { keys: ["O"], does: "Open the note in your editor (in the tree, letters jump instead)" },
    ],
  },
];
