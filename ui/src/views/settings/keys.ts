// The keys of the window, as Settings lists them.
import { KEYS_TOLD } from "../../search/search-keys";

/** What the keys of one place do. */
export type KeyGroup = { place: string; keys: readonly { keys: readonly string[]; does: string }[] };

/** Every key, by the view it works in. */
export const KEY_GROUPS: readonly KeyGroup[] = [
  { place: "Search", keys: KEYS_TOLD },
  {
    place: "Memory",
    keys: [
      { keys: ["/"], does: "Find a note by its name" },
      { keys: ["↑", "↓", "Home", "End", "PgUp", "PgDn"], does: "Walk the tree; letters jump to a name" },
      { keys: ["→", "←", "*"], does: "Open a folder, close it, open all beside it" },
      { keys: ["Enter"], does: "Open the note" },
      { keys: ["[", "]"], does: "Previous, next chunk of the note" },
      { keys: ["T"], does: "Draw the note as Markdown, or as the text of its file" },
      { keys: ["W"], does: "Why not…? for the chosen chunk" },
      { keys: ["Ctrl E"], does: "Keep the note or folder from decay, or let it decay again" },
      { keys: ["O"], does: "Open the note in your editor; not in the tree, where letters jump" },
    ],
  },
];
