import { agentsOf } from "../agents/folder-agents";
import { Agents } from "../agents/agents.svelte";
import { memoryActions } from "../memory/memory-actions";
import { openDocument } from "../open-document.svelte";
import { DEFAULT_PRESET } from "../presets/preset-controller.svelte";
import { scopeActions, searchActions } from "../search/search-actions";
import type { ViewId } from "../session.svelte";
import { action, type Action } from "../shared/action";
import { FindAsTyped } from "../shared/find-as-typed";
import { readStored, writeStored } from "../shared/stored";
import { visible } from "../shared/visible";
import { keyOfView, TABS } from "../views";
import { filesOf, type KnownFile } from "../why-not/place";
import type { Workspace } from "../workspace.svelte";
import {
  found,
  GROUP_LABELS,
  notesFor,
  type Offered,
  type PaletteGroup,
  type PaletteItem,
} from "./palette-items";
import { windowActions } from "./window-actions";

const STORED_AS = "memlens.palette";
const RECENT_MAX = 6;
/** What a question may have: `QueryHistory` keeps no longer one. */
const QUESTION_CHARS_MAX = 1_000;
/** The views that show what a preset changes. */
const RANKING_VIEWS: readonly ViewId[] = ["search", "tune", "compare", "export"];

function isIdList(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((id) => typeof id === "string");
}

/** The command palette: every action, view, preset, note and agent, found by some of its letters. */
export class Palette {
  /** Files that agents always load, for the dialog that an agent's entry opens. */
  readonly agents: Agents;
  isAlwaysOpen = $state(false);
  readonly #workspace: Workspace;
  #isOpen = $state(false);
  #text = $state("");
  /** What is listed; among many notes it follows `text` once the typing rests. */
  #sought = $state("");
  #recent = $state.raw<readonly string[]>(readStored(STORED_AS, isIdList) ?? []);
  /** What follows once the palette is closed and the focus is back where it was. */
  #next: (() => void) | null = null;
  readonly #finding = new FindAsTyped(() => (this.#sought = this.#text));
  readonly #files = $derived.by(() => filesOf(this.#workspace.memory.trees ?? []));
  readonly #notes = $derived.by(() =>
    this.#sought.trim() === "" ? [] : notesFor(this.#sought, this.#files),
  );
  readonly #groups = $derived.by(() => this.#list());

  constructor(workspace: Workspace) {
    this.#workspace = workspace;
    this.agents = new Agents(workspace.backend, () => void workspace.library.refresh());
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  get text(): string {
    return this.#text;
  }

  /** What `groups` are for. */
  get sought(): string {
    return this.#sought;
  }

  /** Empty groups are left out. */
  get groups(): readonly PaletteGroup[] {
    return this.#groups;
  }

  /** How many notes can be found; null until the folders are read. */
  get nNotes(): number | null {
    return this.#workspace.memory.trees === null ? null : this.#files.length;
  }

  /** The line that is chosen if the user chooses none; null if nothing can be. */
  get first(): PaletteItem | null {
    return this.#groups.flatMap(({ items }) => items).find(({ refusal }) => refusal === null) ?? null;
  }

  open(): void {
    this.#text = "";
    this.#finding.now();
    this.#next = null;
    this.#isOpen = true;
    void this.#workspace.memory.refresh();
    void this.#workspace.presets.refresh();
    void this.agents.look();
  }

  close(): void {
    this.#finding.stop();
    this.#isOpen = false;
  }

  type(text: string): void {
    this.#text = text;
    this.#finding.typed(text.trim() === "" ? 0 : this.#files.length);
  }

  /** Lists what matches the text without a rest. True if something else was listed. */
  seek(): boolean {
    const before = this.#sought;
    this.#finding.now();
    return before !== this.#sought;
  }

  /** Closes the palette for an action, unless that is impossible now. */
  choose({ id, refusal, run }: Action): void {
    if (refusal !== null) return;
    this.closeFor(() => {
      // A question is kept by its own history.
      if (id !== ASK) this.#remember(id);
      run();
    });
  }

  /** Closes the palette; `act` is done by `proceed`. */
  closeFor(act: () => void): void {
    this.#next = act;
    this.close();
  }

  /** Does what the palette was closed for, if anything. */
  proceed(): void {
    const next = this.#next;
    this.#next = null;
    next?.();
  }

  /** Forgets what was chosen lately. */
  forget(): void {
    this.#recent = [];
    writeStored(STORED_AS, null);
  }

  #remember(id: string): void {
    this.#recent = [id, ...this.#recent.filter((other) => other !== id)].slice(0, RECENT_MAX);
    writeStored(STORED_AS, this.#recent);
  }

  #list(): PaletteGroup[] {
    const offered = this.#offered();
    const text = this.#sought.trim();
    if (text === "") return this.#untyped(offered);
    const groups = found(text, offered, this.#notes, (note) => this.#noteItem(note));
    return [...groups, { id: "ask", label: GROUP_LABELS.ask, items: [this.#askItem(text)] }];
  }

  /** Without a text: the recent ones first, then all that is possible now. */
  #untyped(offered: Offered): PaletteGroup[] {
    const recent = this.#recent.flatMap((id) => {
      const known = offered.flatMap(({ items }) => items).find((item) => item.id === id);
      return known ?? this.#noteOf(id) ?? [];
    });
    const possible = recent.filter(({ refusal }) => refusal === null);
    const ids = new Set(possible.map(({ id }) => id));
    return [
      { id: "recent" as const, items: possible },
      ...offered.map(({ id, items }) => ({
        id,
        items: items.filter((item) => item.refusal === null && !ids.has(item.id)),
      })),
    ].flatMap(({ id, items }) => (items.length === 0 ? [] : [{ id, label: GROUP_LABELS[id], items }]));
  }

  #offered(): Offered {
    const workspace = this.#workspace;
    return [
      { id: "views", items: this.#views() },
      {
        id: "actions",
        items: [
          ...memoryActions(workspace),
          ...Object.values(searchActions(workspace)),
          ...scopeActions(workspace),
          ...windowActions(workspace),
        ].map((one) => plain(one)),
      },
      { id: "presets", items: this.#presets() },
      { id: "agents", items: this.#agentItems() },
    ];
  }

  #views(): PaletteItem[] {
    const workspace = this.#workspace;
    return TABS.map(({ id, label }) =>
      plain(
        action(`view.${id}`, label, () => workspace.show(id), {
          key: keyOfView(id),
          refusal: workspace.view === id ? "shown now" : null,
          keywords: ["view", "tab", "go"],
        }),
      ),
    );
  }

  #presets(): PaletteItem[] {
    const workspace = this.#workspace;
    const { presets, pipelines } = workspace;
    const { agent } = pipelines;
    const keywords = ["preset", "ranking"];
    const choose = (act: () => void) => () => {
      act();
      if (!RANKING_VIEWS.includes(workspace.view)) workspace.show("search");
    };
    const own = [DEFAULT_PRESET, ...presets.saved.filter(({ name }) => name !== DEFAULT_PRESET.name)];
    return [
      ...own.map((preset) => {
        const isInUse = agent === null && preset.name === presets.name && !presets.isChanged;
        const run = choose(() =>
          presets.choose(preset.name === presets.chosen.name ? presets.chosen : preset),
        );
        const options = { refusal: isInUse ? "in use" : null, keywords };
        return plain(action(`preset.${preset.name}`, visible(preset.name), run, options));
      }),
      ...pipelines.agents.map((one) => {
        const run = choose(() => pipelines.choose(one.id));
        const options = { refusal: one.id === agent?.id ? "in use" : null, keywords };
        return plain(action(`pipeline.${one.id}`, one.label, run, options), "an agent’s own pipeline");
      }),
    ];
  }

  #agentItems(): PaletteItem[] {
    const workspace = this.#workspace;
    const known = this.agents.view?.agents ?? [];
    const watched = agentsOf(workspace.library.state?.folders ?? []);
    const keywords = ["agent"];
    return [
      ...known
        .filter(
          ({ instructions, folders }) => instructions.length > 0 && folders.some((one) => one.is_watched),
        )
        .map(({ id, name }) =>
          plain(
            action(
              `agent.loads ${id}`,
              `What ${name} always loads`,
              () => {
                void this.agents.always.read(id);
                this.isAlwaysOpen = true;
              },
              { keywords: [...keywords, "instructions", "context"] },
            ),
          ),
        ),
      ...watched.map(({ id, name }) =>
        plain(
          action(
            `agent.notes ${id}`,
            `Notes of ${name}`,
            () => {
              workspace.memory.showAgent(id);
              workspace.show("memory");
            },
            { keywords: [...keywords, "memory"] },
          ),
        ),
      ),
      ...known
        .filter((agent) => !agent.is_watched && agent.folders.length > 0)
        .map(({ id, name }) =>
          plain(
            action(`agent.watch ${id}`, `Watch ${name}…`, () => workspace.show("settings"), { keywords }),
            "found on this machine, not watched",
          ),
        ),
    ];
  }

  #noteItem({ folder, path, line }: { folder: string; path: string; line: number | null }): PaletteItem {
    const workspace = this.#workspace;
    const folders = workspace.library.state?.folders ?? [];
    const name = folders.length > 1 ? folders.find(({ id }) => id === folder)?.name : undefined;
    const run = () => {
      openDocument.ask(folder, path, line ?? 1);
      workspace.show("memory");
    };
    const note = { folder, path, line };
    return { ...action(noteId(folder, path), visible(path), run), detail: name ?? null, note };
  }

  /** The note of an id; null if it is of something else, or gone. */
  #noteOf(id: string): PaletteItem | null {
    if (!id.startsWith(NOTE)) return null;
    const file = this.#files.find((one: KnownFile) => noteId(one.folder, one.path) === id);
    return file === undefined ? null : this.#noteItem({ ...file, line: null });
  }

  #askItem(text: string): PaletteItem {
    const workspace = this.#workspace;
    const run = () => {
      workspace.queries.remember(text);
      workspace.show("search");
      void workspace.search.searchNow(text);
    };
    const hasNoNotes = workspace.library.state?.folders.length === 0 ? "no folder is watched" : null;
    const refusal = hasNoNotes ?? (text.length > QUESTION_CHARS_MAX ? "too long for a question" : null);
    return plain(action(ASK, `Search the notes for “${visible(text)}”`, run, { refusal }));
  }
}

const ASK = "ask";
const NOTE = "note ";

function noteId(folder: string, path: string): string {
  return `${NOTE}${folder}\n${path}`;
}

function plain(one: Action, detail: string | null = null): PaletteItem {
  return { ...one, detail, note: null };
}
