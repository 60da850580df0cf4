import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { HOME_SERVER, LibraryBackend } from "../../tests/fake/library";
import { file, tree } from "../../tests/trees";
import type { DocumentView } from "../api/bindings";
import { MemoryController } from "./memory-controller.svelte";

const NOTE = "reference/home-server.md";

function path(memory: MemoryController): string | null {
  return memory.note.kind === "open" ? memory.note.note.document.path : null;
}

describe("an agent's folders", () => {
  test("stand alone once it is chosen, and all do where none of its folders is watched", async () => {
    const backend = new LibraryBackend();
    const { folders } = await backend.state();
    const [first] = folders;
    if (first === undefined) throw new Error("there are folders");
    backend.changeState({
      folders: folders.map((one) =>
        one === first ? { ...one, agent: { id: "codex", name: "Codex" } } : one,
      ),
    });
    const memory = new MemoryController(backend);
    await memory.refresh();
    const roots = () => memory.rows.filter((row) => row.kind === "root").map((row) => row.name);
    const all = roots();
    expect(all.length).toBeGreaterThan(1);
    memory.showAgent("codex");
    expect(roots()).toEqual([first.name]);
    memory.showAgent(null);
    expect(roots()).toEqual(all);
    memory.showAgent("hermes");
    expect(roots()).toEqual(all);
  });
});

describe("a note", () => {
  test("opens at its first chunk, in an open folder", async () => {
    const memory = new MemoryController(new LibraryBackend());
    await memory.refresh();
    memory.setExpanded(["notes\nreference"], false);
    await memory.open("notes", NOTE);
    expect(path(memory)).toBe(NOTE);
    expect(memory.chosen?.index).toBe(0);
    expect(memory.isExpanded("notes\nreference")).toBe(true);
    expect(memory.activeId).toBe(memory.openId);
  });

  test("opens at a line with the chunk that holds it", async () => {
    const memory = new MemoryController(new LibraryBackend());
    await memory.open("notes", NOTE, 40);
    expect(memory.target).toEqual({ line: 40 });
    const { start_line = 0, end_line = 0 } = memory.chosen?.chunk ?? {};
    expect(start_line).toBeLessThanOrEqual(40);
    expect(end_line).toBeGreaterThanOrEqual(40);
  });

  test("asked for twice is read once, and a line asked for twice is a new target", async () => {
    const backend = new LibraryBackend();
    const memory = new MemoryController(backend);
    await memory.open("notes", NOTE, 12);
    const before = memory.target;
    await memory.open("notes", NOTE, 12);
    expect(backend.nCalls("document")).toBe(1);
    expect(memory.target).toEqual(before);
    expect(memory.target).not.toBe(before);
  });

  test("asked for last wins, however late the first answers", async () => {
    const backend = new LibraryBackend();
    const memory = new MemoryController(backend);
    let answer: (document: DocumentView) => void = () => {};
    const late = await backend.document("notes", NOTE);
    vi.spyOn(backend, "document").mockReturnValueOnce(
      new Promise((resolve) => (answer = resolve as typeof answer)),
    );
    const first = memory.open("notes", NOTE);
    await memory.open("notes", "MEMORY.md");
    answer(late);
    await first;
    expect(path(memory)).toBe("MEMORY.md");
  });

  test("that cannot be read says why, and is read on the next try", async () => {
    const backend = new LibraryBackend();
    backend.unreadable.set(NOTE, { code: "unreadable", message: "permission denied" });
    const memory = new MemoryController(backend);
    await memory.open("notes", NOTE);
    expect(memory.note).toMatchObject({ kind: "failed", error: { message: "permission denied" } });
    backend.unreadable.clear();
    await memory.reload();
    expect(path(memory)).toBe(NOTE);
  });
});

describe("chunks", () => {
  test("are walked to both ends and no further", async () => {
    const memory = new MemoryController(new LibraryBackend());
    await memory.open("notes", NOTE);
    memory.step(-1);
    expect(memory.chosen?.index).toBe(0);
    memory.step(1);
    expect(memory.chosen?.index).toBe(1);
    expect(memory.target?.line).toBe(memory.chosen?.chunk.start_line);
    memory.step(100);
    expect(
      memory.note.kind === "open" && memory.chosen?.index === memory.note.note.margin.chunks.length - 1,
    ).toBe(true);
  });

  test("that overlap are chosen in turn by clicks on their common line", async () => {
    const memory = new MemoryController(new LibraryBackend());
    await memory.open("notes", NOTE);
    const chunks = memory.note.kind === "open" ? memory.note.note.margin.chunks : [];
    const line = chunks[1]?.chunk.start_line ?? 0;
    expect(chunks[0]?.chunk.end_line).toBeGreaterThanOrEqual(line);
    memory.chooseAt(line);
    expect(memory.chosen?.index).toBe(1);
    memory.chooseAt(line);
    expect(memory.chosen?.index).toBe(0);
  });

  test("open their note in the editor", async () => {
    const backend = new LibraryBackend();
    const memory = new MemoryController(backend);
    await memory.open("notes", NOTE);
    await memory.edit();
    memory.step(1);
    await memory.edit();
    const opened = backend.calls.filter((call) => call.name === "openInEditor").map((call) => call.args);
    const lines =
      memory.note.kind === "open" && memory.note.note.margin.chunks.map((it) => it.chunk.start_line);
    expect(opened).toEqual([
      ["notes", NOTE, lines && lines[0], "system"],
      ["notes", NOTE, lines && lines[1], "system"],
    ]);
  });

  test("an editor that does not open is said, until it does", async () => {
    const backend = new LibraryBackend();
    const memory = new MemoryController(backend);
    await memory.open("notes", NOTE);
    backend.failing.openInEditor = { code: "editor", message: "no editor" };
    await memory.edit();
    expect(memory.editorError?.message).toBe("no editor");
    backend.failing = {};
    await memory.edit();
    expect(memory.editorError).toBeNull();
  });
});

describe("a long note", () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  test("is received, read and drawn with a pause between", async () => {
    const backend = new LibraryBackend({
      files: [{ folder: "notes", path: "long.txt", text: "a line\n".repeat(20_000) }],
    });
    const memory = new MemoryController(backend);
    void memory.open("notes", "long.txt");
    let n_pauses = 0;
    for (; n_pauses < 10 && path(memory) === null; n_pauses += 1) await vi.advanceTimersToNextTimerAsync();
    expect([path(memory), n_pauses]).toEqual(["long.txt", 2]);
  });
});

describe("what happens to the files", () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  async function connected(): Promise<{
    backend: LibraryBackend;
    memory: MemoryController;
    stop: () => void;
  }> {
    const backend = new LibraryBackend();
    const memory = new MemoryController(backend);
    const stop = memory.connect();
    await vi.advanceTimersByTimeAsync(0);
    await memory.open("notes", NOTE, 40);
    return { backend, memory, stop };
  }

  test("a saved note is read again, at the same chunk", async () => {
    const { backend, memory, stop } = await connected();
    const before = memory.chosen?.index;
    backend.save("notes", NOTE, `${HOME_SERVER}\nA new last line.\n`);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(memory.note.kind === "open" && memory.note.note.document.text.endsWith("A new last line.\n")).toBe(
      true,
    );
    expect(memory.chosen?.index).toBe(before);
    stop();
  });

  test("another note that is saved leaves this one alone", async () => {
    const { backend, stop } = await connected();
    const n_before = backend.nCalls("document");
    backend.save("notes", "MEMORY.md", "x");
    await vi.advanceTimersByTimeAsync(2_000);
    expect(backend.nCalls("document")).toBe(n_before);
    stop();
  });

  test("a deleted note keeps its text and says that it is gone; back again it is read", async () => {
    const { backend, memory, stop } = await connected();
    backend.delete("notes", NOTE);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(memory.isGone).toBe(true);
    expect(path(memory)).toBe(NOTE);
    stop();
  });

  test("a burst of events reads the tree twice, not a thousand times", async () => {
    const { backend, stop } = await connected();
    await vi.advanceTimersByTimeAsync(5_000);
    const n_before = backend.nCalls("tree");
    for (let at = 0; at < 1_000; at += 1) backend.save("notes", "MEMORY.md", `${at}`);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(backend.nCalls("tree") - n_before).toBeLessThanOrEqual(2);
    expect(backend.nCalls("tree") - n_before).toBeGreaterThan(0);
    stop();
  });

  test("after stopping nothing is read any more", async () => {
    const { backend, stop } = await connected();
    stop();
    const n_before = backend.calls.length;
    backend.save("notes", NOTE, "x");
    backend.changeState({ generation: 99 });
    await vi.advanceTimersByTimeAsync(5_000);
    expect(backend.calls.length).toBe(n_before);
  });
});

describe("the tree", () => {
  test("that cannot be read says why, and keeps what it had", async () => {
    const backend = new LibraryBackend();
    const memory = new MemoryController(backend);
    await memory.refresh();
    const n_rows = memory.rows.length;
    backend.failing.tree = { code: "store", message: "locked" };
    await memory.refresh();
    expect(memory.treeError?.message).toBe("locked");
    expect(memory.rows).toHaveLength(n_rows);
  });

  test("holds everything open while finding, and forgets what was closed then", async () => {
    const memory = new MemoryController(new LibraryBackend());
    await memory.refresh();
    memory.setExpanded(["notes\npeople"], false);
    memory.setFind("signe");
    expect(memory.rows.map((row) => row.name)).toContain("signe-profile.md");
    memory.setExpanded(["notes\npeople"], false);
    expect(memory.rows.map((row) => row.name)).not.toContain("signe-profile.md");
    memory.setFind("signe-");
    expect(memory.rows.map((row) => row.name)).toContain("signe-profile.md");
    memory.setFind("");
    expect(memory.rows.map((row) => row.name)).not.toContain("signe-profile.md");
  });
});

describe("finding among thousands of notes", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const names = (memory: MemoryController) => memory.rows.map((row) => row.name);

  async function many() {
    const backend = new LibraryBackend();
    const notes = Array.from({ length: 5_000 }, (_, at) => file(`note-${at}.md`));
    vi.spyOn(backend, "tree").mockResolvedValue([tree("memory", ...notes)]);
    const memory = new MemoryController(backend);
    await memory.refresh();
    return memory;
  }

  test("waits until the typing rests, and has the box show every letter", async () => {
    const memory = await many();
    const { rows } = memory;
    for (const typed of ["note-471", "note-4711"]) {
      memory.setFind(typed);
      expect(memory.find).toBe(typed);
      expect(memory.rows).toBe(rows);
      expect(memory.isNarrowed).toBe(false);
      vi.advanceTimersByTime(79);
    }
    expect(memory.rows).toBe(rows);
    vi.advanceTimersByTime(1);
    expect(names(memory)).toEqual(["memory", "note-4711.md"]);
  });

  test("does not wait to show all again, nor where the found is wanted at once", async () => {
    const memory = await many();
    memory.setFind("note-4711");
    memory.seek();
    expect(names(memory)).toEqual(["memory", "note-4711.md"]);
    memory.setFind("note-47");
    memory.setFind("");
    expect(memory.rows).toHaveLength(5_001);
    vi.advanceTimersByTime(1_000);
    expect(memory.rows).toHaveLength(5_001);
  });

  test("leaves what was closed as it is until there is something else to show", async () => {
    const memory = await many();
    memory.setFind("note-47");
    memory.seek();
    memory.setExpanded(["memory\n"], false);
    memory.seek();
    expect(names(memory)).toEqual(["memory"]);
    memory.setFind("note-471");
    expect(names(memory)).toEqual(["memory"]);
    vi.advanceTimersByTime(80);
    expect(memory.rows.length).toBeGreaterThan(1);
  });
});
