// What the Memory view shows: the tree, and the open note with its chosen chunk.
import { untrack } from "svelte";
import { SvelteSet } from "svelte/reactivity";
import type {
  Activity,
  DocumentView,
  ErrorInfo,
  FolderTree,
  LibraryState,
  UnreadFolder,
} from "../api/bindings";
import type { Backend } from "../api/backend";
import { toErrorInfo } from "../api/errors";
import { Actions } from "../shared/call.svelte";
import { chosenEditor } from "../shared/editor";
import { FindAsTyped } from "../shared/find-as-typed";
import { aMoment } from "../shared/moment";
import { Paced } from "../shared/paced";
import { readStored, writeStored } from "../shared/stored";
import { ChunkMargin, type PlacedChunk } from "./chunk-margin";
import { noteFormat } from "./note-lines";
import { linkKind } from "./note-links";
import { NoteText } from "./note-text";
import type { PlaceInNote } from "./place-in-note";
import { RENDERED_CHARS_MAX, RenderedNote, SLICE_CHARS } from "./rendered-note";
import {
  ancestors,
  defaultExpanded,
  findEntry,
  foundIn,
  nEntries,
  nUnsearched,
  rowId,
  treeRows,
  unsearchedIn,
  type TreeRow,
} from "./tree-rows";

/** A note that has been read. */
export type OpenNote = { document: DocumentView; text: NoteText; margin: ChunkMargin };

/** What is in the middle of the view. */
export type NoteState =
  | { kind: "none" }
  | { kind: "opening"; folder: string; path: string }
  | { kind: "open"; note: OpenNote }
  | { kind: "failed"; folder: string; path: string; error: ErrorInfo };

/** A line to bring into sight; a new object each time, so that asking twice for one line scrolls twice. */
export type LineTarget = { line: number };

/** How a note of Markdown is drawn: laid out, or as it is in its file. */
export type Reading = "rendered" | "text";

const STORED_AS = "memlens.reading";

function isReading(value: unknown): value is Reading {
  return value === "rendered" || value === "text";
}

/** Milliseconds between two readings of the tree while files are being indexed. */
const REFRESH_MS = 1_000;

/** Milliseconds between two listings of what is not read. */
const UNREAD_MS = 5_000;

/** The Memory view's state; one for the life of the window, so that the open note survives a change of view. */
export class MemoryController {
  readonly #backend: Backend;

  #trees = $state.raw<readonly FolderTree[] | null>(null);
  #treeError = $state.raw<ErrorInfo | null>(null);
  /** What is not read of the open folders, by the ids of their rows. */
  #unread = $state.raw<ReadonlyMap<string, UnreadFolder>>(new Map());
  #note = $state.raw<NoteState>({ kind: "none" });
  /** The note in the middle as Markdown; null until it is wanted so. */
  #rendered = $state.raw<RenderedNote | null>(null);
  #chosen = $state(0);
  #target = $state.raw<LineTarget | null>(null);
  #isGone = $state(false);
  /** Where the open note was moved to within its folder, while it was open; null if it was not. */
  #movedTo = $state<string | null>(null);
  readonly #editing = new Actions();
  #reading = $state<Reading>(readStored(STORED_AS, isReading) ?? "rendered");
  #linkError = $state<string | null>(null);
  #find = $state("");
  /** What the tree was last narrowed to; in a large one that follows `find` once the typing rests. */
  #sought = $state("");
  #agent = $state<string | null>(null);
  #isUnsearchedOnly = $state(false);
  readonly #marking = new Actions();
  readonly #expanded = new SvelteSet<string>();
  /** rows closed by hand while a search in the tree holds everything open */
  readonly #closedInFind = new SvelteSet<string>();
  #activeId = $state<string | null>(null);

  #opening = 0;
  #following = 0;
  #stamp = "";
  readonly #pacing = new Paced(REFRESH_MS, () => void this.refresh());
  readonly #unreadPacing = new Paced(UNREAD_MS, () => void this.readUnread());
  #refreshing = 0;
  readonly #finding = new FindAsTyped(() => {
    if (this.#sought === this.#find) return;
    this.#sought = this.#find;
    this.#closedInFind.clear();
  });

  /** The trees of the chosen agent; of all where none of its folders is watched any more. */
  readonly #shownTrees = $derived.by(() => {
    const trees = this.#trees ?? [];
    const own = trees.filter((tree) => tree.folder.agent?.id === this.#agent);
    return this.#agent === null || own.length === 0 ? trees : own;
  });
  readonly #nEntries = $derived(nEntries(this.#shownTrees));
  readonly #nUnsearched = $derived(nUnsearched(this.#shownTrees));
  readonly #keptTrees = $derived(
    this.showsUnsearchedOnly ? unsearchedIn(this.#shownTrees) : this.#shownTrees,
  );
  readonly #foundTrees = $derived(foundIn(this.#keptTrees, this.#sought));
  readonly #rows = $derived(
    treeRows(
      this.#foundTrees,
      (id) => this.isExpanded(id),
      (id) => (this.isNarrowed ? null : (this.#unread.get(id) ?? null)),
    ),
  );

  /** Where the reader stood when it was left or drawn otherwise; null: at the top, or at the target. */
  place: PlaceInNote | null = null;

  constructor(backend: Backend) {
    this.#backend = backend;
  }

  /** Follows the library and its events; the answer stops it. */
  connect(): () => void {
    const stopState = this.#backend.onState((state) => this.heed(state));
    const stopActivity = this.#backend.onActivity((activity) => this.happened(activity));
    this.#pacing.wish();
    return () => {
      stopState();
      stopActivity();
      this.#pacing.stop();
      this.#unreadPacing.stop();
    };
  }

  /** null until the tree has been read once. */
  get trees(): readonly FolderTree[] | null {
    return this.#trees;
  }
  get treeError(): ErrorInfo | null {
    return this.#treeError;
  }
  get rows(): readonly TreeRow[] {
    return this.#rows;
  }
  get note(): NoteState {
    return this.#note;
  }
  get target(): LineTarget | null {
    return this.#target;
  }
  /** The open note is no longer in its folder; what is shown is its text from before. */
  get isGone(): boolean {
    return this.#isGone;
  }
  /** Path that a gone note has now in its folder; null if it was not seen to move there. */
  get movedTo(): string | null {
    return this.#isGone ? this.#movedTo : null;
  }
  /** Why the editor could not be opened, until the next try. */
  get editorError(): ErrorInfo | null {
    return this.#editing.error;
  }
  get reading(): Reading {
    return this.#reading;
  }
  /** The open note as Markdown; null where it is drawn as text. */
  get rendered(): RenderedNote | null {
    return this.#reading === "rendered" ? this.#rendered : null;
  }
  /** The open note is Markdown, but longer than what can be laid out at once. */
  get isTooLong(): boolean {
    return this.#note.kind === "open" && isMarkdown(this.#note.note) && !canRender(this.#note.note);
  }
  /** The open note can be drawn as Markdown and as text. */
  get hasReadings(): boolean {
    return this.#note.kind === "open" && canRender(this.#note.note);
  }
  /** Why the last link led nowhere, until the next. */
  get linkError(): string | null {
    return this.#linkError;
  }
  /** Why the last mark could not be set, until the next. */
  get markError(): ErrorInfo | null {
    return this.#marking.error;
  }
  /** What is in the box. */
  get find(): string {
    return this.#find;
  }
  /** What the rows are narrowed to; it may be what was in the box before the last letters. */
  get sought(): string {
    return this.#sought;
  }
  /** The rows are only those that something was found in. */
  get isNarrowed(): boolean {
    return this.#sought.trim() !== "" || this.showsUnsearchedOnly;
  }
  /** How many of the notes shown their agent never finds by a search. */
  get nUnsearched(): number {
    return this.#nUnsearched;
  }
  /** The rows are only those notes; all again if there are none any more. */
  get showsUnsearchedOnly(): boolean {
    return this.#isUnsearchedOnly && this.#nUnsearched > 0;
  }
  /** Id of the agent whose folders are shown; null for all. */
  get agent(): string | null {
    return this.#agent;
  }
  /** The row of the tree that the keyboard is on. */
  get activeId(): string | null {
    return this.#activeId;
  }
  /** The chosen chunk of the open note; null when it has none. */
  get chosen(): PlacedChunk | null {
    return this.#note.kind === "open" ? (this.#note.note.margin.chunks[this.#chosen] ?? null) : null;
  }
  /** Id of the row of the note in the middle. */
  get openId(): string | null {
    const note = this.#note;
    switch (note.kind) {
      case "none":
        return null;
      case "open":
        return rowId(note.note.document.folder, note.note.document.path);
      case "opening":
      case "failed":
        return rowId(note.folder, note.path);
    }
  }

  isExpanded(id: string): boolean {
    return this.isNarrowed ? !this.#closedInFind.has(id) : this.#expanded.has(id);
  }

  setExpanded(ids: readonly string[], expanded: boolean): void {
    const { isNarrowed } = this;
    for (const id of ids) {
      if (isNarrowed === expanded) (isNarrowed ? this.#closedInFind : this.#expanded).delete(id);
      else (isNarrowed ? this.#closedInFind : this.#expanded).add(id);
    }
    if (expanded && ids.some((id) => !this.#unread.has(id))) void this.readUnread();
  }

  /** Lists what is not read of the open folders in sight; what was known stays where that fails. */
  async readUnread(): Promise<void> {
    const open = new Map<string, string[]>();
    for (const row of untrack(() => this.#rows))
      if (row.isExpanded === true) open.set(row.folder, [...(open.get(row.folder) ?? []), row.path]);
    const known = new Map<string, UnreadFolder>();
    for (const [folder, paths] of open) {
      try {
        for (const listed of await this.#backend.unread(folder, paths))
          known.set(rowId(folder, listed.path), listed);
      } catch {
        return;
      }
    }
    this.#unread = known;
  }

  activate(id: string): void {
    this.#activeId = id;
  }

  showAgent(agent: string | null): void {
    this.#agent = agent;
  }

  showUnsearchedOnly(isOnly: boolean): void {
    this.#isUnsearchedOnly = isOnly;
    this.#closedInFind.clear();
  }

  /** Takes what is in the box; a large tree is narrowed once the typing rests, and whole again at once. */
  setFind(find: string): void {
    this.#find = find;
    this.#finding.typed(find.trim() === "" ? 0 : this.#nEntries);
  }

  /** Narrows the tree without a rest. */
  seek(): void {
    this.#finding.now();
  }

  /** Shows no note. */
  close(): void {
    this.#opening += 1;
    this.#note = { kind: "none" };
  }

  /** Opens the note of a row; of a file that is not read it shows why. */
  async openRow(row: TreeRow): Promise<void> {
    if (row.unread === null) return this.open(row.folder, row.path);
    this.#opening += 1;
    this.#editing.dismissError();
    this.#linkError = null;
    const error = { code: "unread", message: `not read: ${row.unread}` };
    this.#note = { kind: "failed", folder: row.folder, path: row.path, error };
  }

  /** Opens a note at a line; without one at its top. */
  async open(folder: string, path: string, line: number | null = null): Promise<void> {
    const opening = ++this.#opening;
    this.#editing.dismissError();
    this.#linkError = null;
    for (const id of ancestors(folder, path)) this.#expanded.add(id);
    this.#activeId = rowId(folder, path);
    const present = this.#note;
    if (
      present.kind === "open" &&
      present.note.document.folder === folder &&
      present.note.document.path === path &&
      !this.#isGone
    ) {
      if (line !== null) this.#goTo(present.note, line);
      return;
    }
    this.#note = { kind: "opening", folder, path };
    this.#isGone = false;
    this.#movedTo = null;
    this.place = null;
    try {
      const note = await this.#read(folder, path);
      const rendered = await this.#renderedOf(note);
      if (opening !== this.#opening) return;
      this.#take(note, rendered);
      this.#chosen = 0;
      this.#target = null;
      if (line !== null) this.#goTo(note, line);
    } catch (error) {
      if (opening === this.#opening) this.#note = { kind: "failed", folder, path, error: toErrorInfo(error) };
    }
  }

  /** Reads the open note again, at the same place. */
  async reload(): Promise<void> {
    const present = this.#note;
    if (present.kind !== "open" && present.kind !== "failed") return;
    if (present.kind === "failed") {
      this.#note = { kind: "none" };
      return this.open(present.folder, present.path);
    }
    const opening = ++this.#opening;
    const { folder, path } = present.note.document;
    const chosen = this.chosen;
    try {
      const note = await this.#read(folder, path);
      const rendered = await this.#renderedOf(note);
      if (opening !== this.#opening) return;
      this.#take(note, rendered);
      this.#isGone = false;
      this.#movedTo = null;
      this.#chosen = (chosen && note.margin.choose(chosen.chunk.start_line)?.index) ?? 0;
    } catch {
      // the text that is shown stays; the tree says whether the file is still there
      if (opening === this.#opening) this.#isGone = true;
    }
  }

  /** Brings a line of the open note into sight and chooses its chunk. */
  goTo(line: number): void {
    if (this.#note.kind === "open") this.#goTo(this.#note.note, line);
  }

  choose(index: number): void {
    this.#chosen = index;
  }

  /** Chooses the chunk of a line that was clicked, in turn where two overlap. */
  chooseAt(line: number): void {
    if (this.#note.kind !== "open") return;
    const chunk = this.#note.note.margin.choose(line, this.#chosen);
    if (chunk !== null) this.#chosen = chunk.index;
  }

  /** Chooses the chunk `step` further on and brings it into sight; stays at both ends. */
  step(step: number): void {
    if (this.#note.kind !== "open") return;
    const chunks = this.#note.note.margin.chunks;
    const index = Math.min(Math.max(this.#chosen + step, 0), chunks.length - 1);
    const chunk = chunks[index];
    if (chunk === undefined) return;
    this.#chosen = index;
    this.#show(chunk.chunk.start_line);
  }

  /** Opens the note on the screen in the user's editor, at the chosen chunk. */
  async edit(): Promise<void> {
    const at = this.#place();
    if (at === null) return;
    this.#editing.dismissError();
    await this.#editing.run(() =>
      this.#backend.openInEditor(at.folder, at.path, this.#chosenLine(), chosenEditor()),
    );
  }

  /** Draws notes otherwise from now on; the window remembers it. */
  read(reading: Reading): void {
    this.#reading = reading;
    writeStored(STORED_AS, reading === "rendered" ? null : reading);
    void this.#renderOpen();
  }

  /** Receiving a long note, finding its lines and drawing it are pieces of work with a pause between them. */
  async #read(folder: string, path: string): Promise<OpenNote> {
    const document = await this.#backend.document(folder, path);
    const isLong = document.text.length > SLICE_CHARS;
    if (isLong) await aMoment();
    const note = openNote(document);
    if (isLong) await aMoment();
    return note;
  }

  async #renderedOf(note: OpenNote): Promise<RenderedNote | null> {
    if (this.#reading !== "rendered" || !canRender(note)) return null;
    return RenderedNote.of(note.document.text, note.text.lines);
  }

  #take(note: OpenNote, rendered: RenderedNote | null): void {
    this.#note = { kind: "open", note };
    this.#rendered = rendered;
    void this.#renderOpen();
  }

  /** Makes Markdown of the open note, if it is wanted and was not made yet; until then its text is there. */
  async #renderOpen(): Promise<void> {
    const shown = this.#note;
    if (shown.kind !== "open" || this.#rendered !== null) return;
    const rendered = await this.#renderedOf(shown.note);
    if (this.#note === shown) this.#rendered = rendered;
  }

  /** Follows a link of the open note: to a line, a heading or a note at once, out of the window after a question of the system. */
  async follow(address: string): Promise<void> {
    const note = this.#note;
    if (note.kind !== "open") return;
    this.#linkError = null;
    switch (linkKind(address)) {
      case "outside":
        return this.#followOutside(address);
      case "refused":
        return;
      case "inside":
        return this.#followInside(address, note.note.document);
    }
  }

  /** The shell asks the user, since a page that was tampered with would not. */
  async #followOutside(address: string): Promise<void> {
    try {
      await this.#backend.openLink(address);
    } catch (error) {
      this.#linkError = toErrorInfo(error).message;
    }
  }

  async #followInside(address: string, { folder, path }: DocumentView): Promise<void> {
    const following = ++this.#following;
    try {
      const { place, problem } = await this.#backend.followedLink(folder, path, address);
      // The user may have gone elsewhere meanwhile.
      const at = this.#place();
      if (following !== this.#following || at?.folder !== folder || at.path !== path) return;
      if (place !== null) await this.open(place.folder, place.path, place.line);
      if (following === this.#following) this.#linkError = problem;
    } catch (error) {
      if (following === this.#following) this.#linkError = toErrorInfo(error).message;
    }
  }

  /** Reads the tree again; newest answer wins. */
  async refresh(): Promise<void> {
    const refreshing = ++this.#refreshing;
    try {
      // What reads the tree again is not to be done again because the tree was read.
      const before = untrack(() => this.#trees);
      const trees = await this.#backend.tree();
      if (refreshing !== this.#refreshing) return;
      const isNew = (tree: FolderTree) =>
        before?.every((known) => known.folder.id !== tree.folder.id) ?? true;
      for (const id of defaultExpanded(trees.filter(isNew))) this.#expanded.add(id);
      this.#trees = trees;
      this.#treeError = null;
      this.#unreadPacing.wish();
      this.#compareNote(before, trees);
    } catch (error) {
      if (refreshing === this.#refreshing) this.#treeError = toErrorInfo(error);
    }
  }

  /** Sets whether the note or folder of a tree row decays; returns whether that succeeded. */
  async mark(row: TreeRow): Promise<boolean> {
    const refreshing = ++this.#refreshing;
    this.#marking.dismissError();
    return this.#marking.run(async () => {
      const trees = await this.#backend.setEvergreen(row.folder, row.path, !row.isEvergreen);
      if (refreshing === this.#refreshing) this.#trees = trees;
    });
  }

  /** Takes note of a new state of the library; what hangs on it is read at most once a second. */
  heed(state: LibraryState): void {
    const stamp = JSON.stringify([
      state.generation,
      state.n_files,
      state.n_chunks,
      state.n_problems,
      state.folders,
    ]);
    if (stamp === this.#stamp) return;
    this.#stamp = stamp;
    this.#pacing.wish();
  }

  /** Takes note of something that happened to a file. */
  happened(activity: Activity): void {
    const note = this.#note;
    if (note.kind === "open" && note.note.document.folder_name === activity.folder_name) {
      const { path } = note.note.document;
      if (activity.what === "changed" && activity.path === path) void this.reload();
      // One that was moved on is followed from where it was last.
      if (activity.what === "renamed" && activity.detail === `from ${this.#movedTo ?? path}`)
        this.#movedTo = activity.path;
    }
    this.#pacing.wish();
  }

  /** Reads the open note again when the tree says that it was indexed again, and marks it when it has left the tree. */
  #compareNote(before: readonly FolderTree[] | null, trees: readonly FolderTree[]): void {
    if (this.#note.kind !== "open" || before === null) return;
    const { folder, path } = this.#note.note.document;
    if (trees.every((tree) => tree.folder.id !== folder)) {
      this.#note = { kind: "none" };
      this.#activeId = null;
      return;
    }
    const entry = findEntry(trees, folder, path);
    const was = findEntry(before, folder, path);
    if (entry === null) {
      this.#isGone = true;
    } else if (this.#isGone || was === null || was.n_chunks !== entry.n_chunks || was.state !== entry.state) {
      void this.reload();
    }
  }

  #goTo(note: OpenNote, line: number): void {
    const chunk = note.margin.choose(line);
    if (chunk !== null) this.#chosen = chunk.index;
    this.#show(line);
  }

  /** The place where the reader stood is forgotten, so that it goes to the line. */
  #show(line: number): void {
    this.place = null;
    this.#target = { line };
  }

  /** Where the chosen chunk begins; null while the note has none. */
  #chosenLine(): number | null {
    if (this.#note.kind !== "open") return null;
    return this.#note.note.margin.chunks[this.#chosen]?.chunk.start_line ?? null;
  }

  #place(): { folder: string; path: string } | null {
    const note = this.#note;
    switch (note.kind) {
      case "none":
      case "opening":
        return null;
      case "failed":
        return { folder: note.folder, path: note.path };
      case "open":
        return {
          folder: note.note.document.folder,
          path: note.note.document.path,
        };
    }
  }
}

function openNote(document: DocumentView): OpenNote {
  return {
    document,
    text: new NoteText(document.text, noteFormat(document.path)),
    margin: new ChunkMargin(document.chunks),
  };
}

function isMarkdown({ document }: OpenNote): boolean {
  return noteFormat(document.path) === "markdown";
}

function canRender(note: OpenNote): boolean {
  return isMarkdown(note) && note.document.text.length <= RENDERED_CHARS_MAX;
}
