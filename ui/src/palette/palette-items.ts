// What the command palette lists for a text: matching, order, groups.
import { computeCommandScore } from "bits-ui";
import type { Action } from "../shared/action";
import { suggestionsFor, type KnownFile } from "../why-not/place";

export type GroupId = "recent" | "actions" | "views" | "presets" | "agents" | "notes" | "ask";

/** A line of the palette. */
export type PaletteItem = Action & {
  /** What is said of it beside the title; null if nothing. */
  detail: string | null;
  /** Of a note: drawn as a path. */
  note: { folder: string; path: string; line: number | null } | null;
};

export type PaletteGroup = { id: GroupId; label: string; items: PaletteItem[] };

export const GROUP_LABELS: Record<GroupId, string> = {
  recent: "Recent",
  actions: "Actions",
  views: "Views",
  presets: "Presets",
  agents: "Agents",
  notes: "Notes",
  ask: "Search",
};

/** In a group, for a text; the best are of use, and more would only be scrolled past. */
const ITEMS_MAX = 8;
/** Letters strewn over a long title are no match beside a good one: a share of the best score. */
const SHARE_MIN = 0.05;
/** Below it the letters are found far apart: three times in the middle of a word. */
const SCORE_MIN = 0.01;

/** What can be chosen, by group; the notes apart, of which there may be thousands. */
export type Offered = readonly { id: GroupId; items: readonly PaletteItem[] }[];

/** A note that matches, with its score in `[0, 1]`. */
export type FoundNote = { folder: string; path: string; line: number | null; score: number };

/**
 * Returns what matches a text, the group with the best match first; in a group the best first, what is impossible now after
 * what is possible. Equal ones stay in the order in which they are offered.
 */
export function found(
  typed: string,
  offered: Offered,
  notes: readonly FoundNote[],
  noteItem: (note: FoundNote) => PaletteItem,
): PaletteGroup[] {
  const text = oneLine(typed);
  const groups = [
    ...offered.map(({ id, items }) => ({
      id,
      scored: items.map((item) => ({ item, score: scoreOf(item, text) })),
    })),
    { id: "notes" as const, scored: notes.map((note) => ({ item: noteItem(note), score: note.score })) },
  ];
  const best = Math.max(0, ...groups.flatMap(({ scored }) => scored.map(({ score }) => score)));
  const least = Math.max(SCORE_MIN, SHARE_MIN * best);
  return groups
    .map(({ id, scored }) => ({
      id,
      scored: scored
        .filter(({ score }) => score >= least)
        .toSorted(
          (a, b) => Number(a.item.refusal !== null) - Number(b.item.refusal !== null) || b.score - a.score,
        )
        .slice(0, ITEMS_MAX),
    }))
    .filter(({ scored }) => scored.length > 0)
    .toSorted((a, b) => bestOf(b.scored) - bestOf(a.scored))
    .map(({ id, scored }) => ({ id, label: GROUP_LABELS[id], items: scored.map(({ item }) => item) }));
}

type Scored = { item: PaletteItem; score: number };

/** The score of the best that can be chosen: the first line of the palette is what Enter does. */
function bestOf(scored: readonly Scored[]): number {
  return Math.max(0, ...scored.filter(({ item }) => item.refusal === null).map(({ score }) => score));
}

/** In `[0, 1]`; 0 if the letters do not occur in this order. Every word is sought by itself if the whole text is not found. */
function scoreOf({ title, keywords }: PaletteItem, text: string): number {
  const whole = score(title, text, keywords);
  if (whole > 0 || !text.includes(" ")) return whole;
  return text.split(" ").reduce((product, word) => product * score(title, word, keywords), 1);
}

function score(title: string, text: string, keywords: readonly string[]): number {
  // A word that is found beside the title counts less than the title.
  const KEYWORD = 0.7;
  return Math.max(
    computeCommandScore(title, text),
    ...keywords.map((word) => KEYWORD * computeCommandScore(word, text)),
  );
}

/** The notes that match a text, the best first. */
export function notesFor(typed: string, files: readonly KnownFile[]): FoundNote[] {
  const text = oneLine(typed);
  return suggestionsFor(text, files).flatMap(({ folder, path, line }) => {
    if (folder === null) return [];
    const name = path.slice(path.lastIndexOf("/") + 1);
    // The line and the folder's name are no part of the path, and the note was found all the same.
    const plain = text.replace(/:\d+$/, "");
    const score = Math.max(SCORE_MIN, ...[name, path].map((one) => computeCommandScore(one, plain)));
    return [{ folder, path, line, score }];
  });
}

function oneLine(text: string): string {
  return text.trim().replaceAll(/\s+/g, " ");
}
