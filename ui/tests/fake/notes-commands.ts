// The commands of watched folders and notes.
import { orderedTree } from "../../src/api/trees";
import type {
  Activity,
  AlikeNotes,
  Editor,
  FollowedLink,
  FolderTree,
  HistoryKept,
  LinkPlace,
  LinksOfNote,
  NoteHistory,
  NoteQuestions,
  Params,
  SaidElsewhere,
  TreeEntry,
  UnreadFolder,
} from "../../src/api/bindings";
import { alwaysText, alwaysView, found } from "./agents";

import { FakeEngine, START_MS } from "./engine";

const NO_LINKS: LinksOfNote = {
  from: [],
  n_from: 0,
  n_broken: 0,
  to: [],
  n_to: 0,
  n_notes_to: 0,
  n_within: 0,
  n_outside: 0,
  n_unread: 0,
  n_failed: 0,
};

const NONE_ALIKE: AlikeNotes = { notes: [], n_chunks: 1, n_compared: 1 };

const NOT_ASKED: NoteQuestions = {
  questions: [],
  n: 0,
  n_unclear: 0,
  n_past: 0,
  is_replayed: false,
  is_allowed: true,
};

/** Answers about folders and notes. */
export class FakeNotes extends FakeEngine {
  /** The links of notes, by the note's path. */
  links: Record<string, Partial<LinksOfNote>> = {};
  /** The histories of notes, by the note's path. */
  histories: Record<string, Partial<NoteHistory>> = {};
  historySaved: HistoryKept = { is_kept: true, n_bytes: 12_400, n_bytes_most: 67_108_864 };
  /** The notes most like notes, what is said elsewhere, and past questions, by the note's path. */
  alike: Record<string, Partial<AlikeNotes>> = {};
  said: Record<string, SaidElsewhere> = {};
  asked: Record<string, Partial<NoteQuestions>> = {};
  /** Where links lead, by their address; or why they lead nowhere. */
  followed: Record<string, Omit<LinkPlace, "folder"> | string> = {};
  /** What is not read, by the folder's path in any watched folder. */
  unreadFiles: Record<string, Pick<UnreadFolder, "entries" | "n_more">> = {};

  openSampleNotes() {
    return this.answer("openSampleNotes", [], () => {
      const folder = {
        id: `folder-${this.libraryState.folders.length + 1}`,
        path: "/home/robin/.local/share/memlens-sample-notes",
        name: "memlens-sample-notes",
        agent: null,
        n_files: 11,
        n_chunks: 117,
        status: "watching" as const,
        why: null,
      };
      const folders = this.libraryState.folders.filter(({ path }) => path !== folder.path);
      this.changeState({ folders: [...folders, folder] });
      return this.libraryState;
    });
  }

  setEvergreen(folder: string, path: string, isEvergreen: boolean): Promise<FolderTree[]> {
    return this.answer("setEvergreen", [folder, path, isEvergreen], (): FolderTree[] => []);
  }

  unread(folder: string, paths: string[]) {
    return this.answer("unread", [folder, paths], () =>
      paths.map((path) => ({ path, entries: [], n_more: 0, ...this.unreadFiles[path] })),
    );
  }

  tree() {
    return this.answer("tree", [], (): FolderTree[] => {
      return this.libraryState.folders.map((folder) => {
        const entries = this.#entries(folder.id);
        return orderedTree({ folder, is_evergreen: false, stamp: JSON.stringify(entries), entries });
      });
    });
  }

  document(folder: string, path: string) {
    return this.answer("document", [folder, path], () => {
      const chunks = this.chunks.filter((chunk) => chunk.folder === folder && chunk.path === path);
      const nLines = chunks.at(-1)?.end_line ?? 1;
      const lines: string[] = Array.from({ length: nLines }, () => "");
      for (const chunk of chunks) lines[chunk.start_line - 1] = chunk.text;
      return {
        folder,
        folder_name: folder,
        path,
        text: lines.join("\n"),
        n_lines: nLines,
        chunks: chunks.map(({ chunk, start_line, end_line, tokens, heading }) => ({
          chunk,
          start_line,
          end_line,
          tokens,
          heading,
        })),
        agent: chunks[0]?.source ?? null,
        date: "2026-11-02",
        tags: ["home", "network"],
        modified_ms: START_MS,
        encoding: "UTF-8",
        problems: (this.options.problems ?? []).filter((problem) => problem.path === path),
      };
    });
  }

  noteLinks(folder: string, path: string, isAll: boolean) {
    return this.answer("noteLinks", [folder, path, isAll], () => ({ ...NO_LINKS, ...this.links[path] }));
  }

  notesLike(folder: string, path: string) {
    return this.answer("notesLike", [folder, path], () => ({ ...NONE_ALIKE, ...this.alike[path] }));
  }

  saidElsewhere(folder: string, path: string, params: Params) {
    return this.answer("saidElsewhere", [folder, path, params], () => this.said[path] ?? null);
  }

  noteQuestions(folder: string, path: string) {
    return this.answer("noteQuestions", [folder, path], () => ({ ...NOT_ASKED, ...this.asked[path] }));
  }

  followedLink(folder: string, path: string, address: string) {
    return this.answer("followedLink", [folder, path, address], (): FollowedLink => {
      const followed = this.followed[address];
      if (typeof followed === "object") return { place: { folder, ...followed }, problem: null };
      return { place: null, problem: followed ?? `cannot follow ${address}: no note has this name` };
    });
  }

  noteHistory(folder: string, path: string) {
    return this.answer("noteHistory", [folder, path], (): NoteHistory => ({
      changes: [],
      is_kept: this.historySaved.is_kept,
      commits_end: null,
      ...this.histories[path],
    }));
  }

  historyKept() {
    return this.answer("historyKept", [], () => this.historySaved);
  }

  keepHistory(isKept: boolean) {
    return this.answer("keepHistory", [isKept], () => {
      const n_bytes = isKept ? this.historySaved.n_bytes : 0;
      return (this.historySaved = { ...this.historySaved, is_kept: isKept, n_bytes });
    });
  }

  pickFolder() {
    return this.answer("pickFolder", [], (): string | null => "/home/robin/more-notes");
  }

  addFolder(path: string) {
    return this.answer("addFolder", [path], () => {
      const name = path.split("/").at(-1) ?? path;
      const folder = {
        id: `folder-${this.libraryState.folders.length + 1}`,
        path,
        name,
        agent: null,
        n_files: 3,
        n_chunks: 17,
        status: "watching" as const,
        why: null,
      };
      this.changeState({
        folders: [...this.libraryState.folders, folder],
        n_files: this.libraryState.n_files + 3,
        n_chunks: this.libraryState.n_chunks + 17,
      });
      return this.libraryState;
    });
  }

  agents() {
    return this.answer("agents", [], () => found(this.options.agents ?? [], this.libraryState.folders));
  }

  agentsLoaded() {
    return this.answer("agentsLoaded", [], () =>
      found(this.options.agents ?? [], this.libraryState.folders).agents.flatMap((agent) => agent.loaded),
    );
  }

  alwaysLoaded(agent: string) {
    return this.answer("alwaysLoaded", [agent], () => alwaysView(agent));
  }

  alwaysText(agent: string, path: string) {
    return this.answer("alwaysText", [agent, path], () => alwaysText(agent, path));
  }

  addAgent(id: string) {
    return this.answer("addAgent", [id], () => {
      const agent = this.options.agents?.find((one) => one.id === id);
      const known = new Set(this.libraryState.folders.map(({ path }) => path));
      const added = (agent?.folders ?? []).filter(({ path }) => !known.has(path));
      const folders = added.map(({ path }, at) => ({
        id: `folder-${this.libraryState.folders.length + at + 1}`,
        path,
        name: added.length === 1 ? (agent?.name ?? id) : `${agent?.name ?? id} ${at + 1}`,
        agent: { id, name: agent?.name ?? id },
        n_files: 2,
        n_chunks: 9,
        status: "watching" as const,
        why: null,
      }));
      this.changeState({ folders: [...this.libraryState.folders, ...folders] });
      return this.libraryState;
    });
  }

  removeFolder(folder: string) {
    return this.answer("removeFolder", [folder], () => {
      this.changeState({ folders: this.libraryState.folders.filter(({ id }) => id !== folder) });
      return this.libraryState;
    });
  }

  pauseFolder(folder: string, paused: boolean) {
    return this.answer("pauseFolder", [folder, paused], () => {
      const status = paused ? ("paused" as const) : ("watching" as const);
      this.changeState({
        folders: this.libraryState.folders.map((one) => (one.id === folder ? { ...one, status } : one)),
      });
      return this.libraryState;
    });
  }

  moveFolder(folder: string, path: string) {
    return this.answer("moveFolder", [folder, path], () => {
      const name = path.split("/").at(-1) ?? path;
      this.changeState({
        folders: this.libraryState.folders.map((one) =>
          one.id === folder ? { ...one, path, name, status: "watching", why: null } : one,
        ),
      });
      return this.libraryState;
    });
  }

  pauseIndexing(paused: boolean) {
    return this.answer("pauseIndexing", [paused], () => {
      this.changeState({ phase: { kind: paused ? "paused" : "working" } });
      return this.libraryState;
    });
  }

  problems() {
    return this.answer("problems", [], () => this.options.problems ?? []);
  }

  activity() {
    return this.answer("activity", [], (): Activity[] => [
      {
        at_ms: START_MS - 40_000,
        folder_name: "notes",
        path: "MEMORY.md",
        what: "changed",
        detail: "2 chunks embedded",
      },
      {
        at_ms: START_MS - 400_000,
        folder_name: "agents",
        path: "clerk/2026-10-03.md",
        what: "added",
        detail: null,
      },
    ]);
  }

  openInEditor(folder: string, path: string, line: number | null, editor: Editor) {
    return this.answer("openInEditor", [folder, path, line, editor], () => undefined);
  }

  showInFolder(folder: string, path: string) {
    return this.answer("showInFolder", [folder, path], () => undefined);
  }

  openLink(address: string) {
    return this.answer("openLink", [address], () => true);
  }

  dataSize() {
    return this.answer("dataSize", [], () => ({
      database: 1_490_000,
      text_list: 220_000,
      vectors: 180_000,
      total: 1_895_000,
    }));
  }

  showLibrary() {
    return this.answer("showLibrary", [], () => undefined);
  }

  eraseAll() {
    return this.answer("eraseAll", [], () => {
      this.changeState({ folders: [], n_files: 0, n_chunks: 0, n_problems: 0, data_bytes: 90_000 });
      return this.libraryState;
    });
  }

  #entries(folder: string): TreeEntry[] {
    const roots: TreeEntry[] = [];
    for (const chunk of this.chunks.filter((one) => one.folder === folder)) {
      let level = roots;
      const names = chunk.path.split("/");
      for (const [depth, name] of names.entries()) {
        const path = names.slice(0, depth + 1).join("/");
        const isFolder = depth < names.length - 1;
        let entry = level.find((one) => one.name === name);
        if (entry === undefined) {
          entry = {
            name,
            path,
            is_folder: isFolder,
            n_chunks: 0,
            state: "indexed",
            is_evergreen: false,
            children: [],
          };
          level.push(entry);
        }
        entry.n_chunks++;
        level = entry.children;
      }
    }
    return roots;
  }
}
