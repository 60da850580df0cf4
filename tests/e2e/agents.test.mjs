/** Agents in a made-up home: offered at first start, watched at a click, marked, and the line that one does not see past. */
import assert from "node:assert/strict";
import { join } from "node:path";

import { inOneWindow } from "./driver/scenario.mjs";
import { MemlensWindow } from "./driver/window.mjs";

/** More lines than Claude Code loads. */
const LONG = Array.from(
  { length: 260 },
  (_, at) => `- Fact ${at + 1}: the tide table hangs in the hall.\n`,
).join("");
const CLAUDE = ".claude/projects/-srv-house/memory/MEMORY.md";

const scenario = inOneWindow({
  prepare: async (scratch) => {
    await scratch.writeHome(CLAUDE, LONG);
    await scratch.writeHome(".claude/projects/-srv-house/0f.jsonl", "{}\n");
    await scratch.writeHome(".codex/config.toml", "[features]\nmemories = true\n");
    await scratch.writeHome(".codex/memories/memory_summary.md", "The tide table was sold.\n");
    await scratch.writeHome(".openclaw/openclaw.json", "{broken");
  },
  open: async (scratch) => {
    const window = await MemlensWindow.open(scratch, { folders: [] });
    await window.ready();
    return window;
  },
});

const folders = async (window) => (await window.invoke("state")).folders;

scenario("first start offers what is there and watches nothing unasked", async ({ window, scratch }) => {
  await window.until("agents are offered", () => document.querySelectorAll("li.agent").length === 3);
  assert.deepEqual(await folders(window), []);
  const [openclaw, claude, codex] = await window.texts("li.agent");
  assert.match(openclaw, /Cannot read ~\/\.openclaw\/openclaw\.json: line 1/);
  assert.match(claude, /~\/\.claude\/projects\/-srv-house\/memory\n1 note/);
  assert.match(codex, /~\/\.codex\/memories/);
  await window.click("li.agent button", "Watch: Claude Code");
  await window.until("it is watched", () => document.querySelectorAll("li.agent .watching").length === 1);
  await window.indexed();
  const [folder] = await folders(window);
  assert.equal(folder.name, "Claude Code");
  assert.equal(folder.path, join(scratch.home, ".claude/projects/-srv-house/memory"));
  assert.equal(folder.agent.id, "claude-code");
  // Of its logs beside the memory nothing is read.
  assert.equal(folder.n_files, 1);
});

scenario("Settings watches another one, and a search stays with one agent", async ({ window }) => {
  await window.show("Settings");
  await window.click("li.agent button", "Watch: Codex");
  await window.until("both are watched", () => document.querySelectorAll("li.agent .watching").length === 2);
  await window.indexed();
  await window.ask("tide table");
  const names = async () => new Set((await window.rows()).map((row) => row.name));
  assert.deepEqual(await names(), new Set(["MEMORY.md", "memory_summary.md"]));
  await window.click("button", "Search in: all folders");
  await window.click("[role='menuitemradio']", "Codex\nagent");
  await window.rowsUntil(
    "only Codex is searched",
    (rows) => rows.length > 0 && rows.every((row) => row.name === "memory_summary.md"),
  );
});

scenario("the note has the line that its agent does not see past", async ({ window }) => {
  await window.show("Memory");
  await window.until("the note is marked", () =>
    Array.from(document.querySelectorAll("[role='treeitem']")).some((row) =>
      /60 lines not loaded/.test(row.getAttribute("aria-label")),
    ),
  );
  await window.click("button", "Agent: all");
  await window.click("[role='menuitemradio']", "Claude Code");
  await window.until(
    "only its folder is shown",
    () => document.querySelectorAll("[role='treeitem'].root").length === 1,
  );
  await window.click("[role='treeitem'][aria-label^='MEMORY.md']");
  await window.until("the note is open", () => document.querySelector("article [role='region']") !== null);
  await window.press("l");
  await window.until("the line is in sight", () => {
    const line = document.querySelector("[role='note']");
    const box = line?.getBoundingClientRect();
    return (
      /Not loaded by Claude Code from here on: 60 of 260 lines/.test(line?.innerText) &&
      box.top > 0 &&
      box.bottom < innerHeight
    );
  });
  const loaded = await window.texts("section[aria-labelledby='side-loaded'] li");
  assert.match(loaded[0], /260 \/ 200 lines/);
});
