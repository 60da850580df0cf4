/** A file, or a line of it, as the user picks or types it. */
import { computeCommandScore } from "bits-ui";
import type { FolderTree, TreeEntry } from "../api/bindings";

/** What is asked about. */
export type Place = {
  /** The watched folder's id; null for a text as it was typed, which the engine reads. */
  folder: string | null;
  /** The path in the folder, or the text. */
  path: string;
  /** 1-based; null asks about the whole file, and is shown beside every text. */
  line: number | null;
};

/** A file of a watched folder's tree. */
export type KnownFile = { folder: string; folderName: string; path: string };

/** More would not be read. */
const SUGGESTIONS_MAX = 8;
/** The score of a file that is named exactly; others are at most 1. */
const EXACT = 2;
/** Letters strewn over a long path are no match beside a good one: a share of the best score. */
const SHARE_MIN = 0.05;

/** The files of all trees, in the trees' order. */
export function filesOf(trees: readonly FolderTree[]): KnownFile[] {
  return trees.flatMap(({ folder, entries }) => {
    const paths: string[] = [];
    // Without recursion, which a tree of thousands of nested folders would exhaust.
    const pending: TreeEntry[] = entries.toReversed();
    for (let entry = pending.pop(); entry !== undefined; entry = pending.pop()) {
      if (entry.is_folder) for (const child of entry.children.toReversed()) pending.push(child);
      else paths.push(entry.path);
    }
    return paths.map((path) => ({ folder: folder.id, folderName: folder.name, path }));
  });
}

/**
 * The places that a typed text can mean, best first: files that hold its letters in this order; then the text itself,
 * which may name a file that is in no tree, because it is left out, cannot be read or is gone.
 *
 * `:LINE` at the end asks about a line, unless a file is called so. An empty text gives the first files. Of equally
 * good files the one with the shorter path comes first, then the tree's order.
 */
export function suggestionsFor(typed: string, files: readonly KnownFile[]): Place[] {
  const text = typed.trim();
  if (text === "") return files.slice(0, SUGGESTIONS_MAX).map((file) => placeIn(file, null));
  const { path, line } = withLine(text, files);
  const plain = withPlainI(path);
  const letters = lettersOf(plain);
  const scored = files
    .map((file, at) => ({ file, at, score: holdsAll(file, letters) ? scoreOf(path, plain, file) : 0 }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score || a.file.path.length - b.file.path.length || a.at - b.at);
  const best = scored[0]?.score ?? 0;
  const places = scored
    .slice(0, SUGGESTIONS_MAX)
    .filter(({ score }) => score >= SHARE_MIN * Math.min(1, best))
    .map(({ file }) => placeIn(file, line));
  return best === EXACT ? places : [...places, { folder: null, path: text, line: null }];
}

function placeIn(file: KnownFile, line: number | null): Place {
  return { folder: file.folder, path: file.path, line };
}

function withLine(text: string, files: readonly KnownFile[]): { path: string; line: number | null } {
  const asLine = /^(.+):([1-9]\d*)(?:[–-]\d+)?$/.exec(text);
  if (asLine === null || files.some((file) => namesOf(file).includes(text)))
    return { path: text, line: null };
  return { path: asLine[1] ?? text, line: Number(asLine[2]) };
}

/** Names with which the user can mean exactly this file. */
function namesOf(file: KnownFile): [string, string] {
  return [file.path, `${file.folderName}/${file.path}`];
}

/** The letters of a text, each once; what the score takes for the same as a space is left out. */
function lettersOf(text: string): string[] {
  return [...new Set(text.toLowerCase().replace(/[\s-]/g, ""))];
}

/** Whether the file's name or path contains all letters. A file without one of them has no score; this check takes a tenth of the time. */
function holdsAll(file: KnownFile, letters: readonly string[]): boolean {
  const path = file.path.toLowerCase();
  const folder = file.folderName.toLowerCase();
  return letters.every((letter) => path.includes(letter) || folder.includes(letter) || letter === "/");
}

/** 0 if the letters do not occur; `plain` is the path in the form that is compared. */
function scoreOf(path: string, plain: string, file: KnownFile): number {
  const names = namesOf(file);
  if (names.includes(path)) return EXACT;
  const name = file.path.slice(file.path.lastIndexOf("/") + 1);
  return Math.max(...[name, ...names].map((text) => computeCommandScore(withPlainI(text), plain)));
}

/** Replaces the one letter with two lower-case characters, for which scoring is wrong or does not end. */
function withPlainI(text: string): string {
  return text.replaceAll("İ", "I");
}
