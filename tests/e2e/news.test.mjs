/** Notes that come while an answer stands: rows follow by themselves, or wait for the user who reads them. */
import assert from "node:assert/strict";

import { inOneWindow, QUESTION } from "./driver/scenario.mjs";
import { MemlensWindow } from "./driver/window.mjs";

const AXOLOTL = "who feeds the axolotl in the winter";

const scenario = inOneWindow({
  open: async (scratch) => {
    const window = await MemlensWindow.open(scratch, { args: ["--query", QUESTION] });
    await window.ready();
    return window;
  },
});

/** Resolves when all is indexed and the answer on the screen is of all of it. */
async function settled(window) {
  await window.until("nothing is left to show", () => document.documentElement.dataset.settled === "true");
}

scenario("a question asked before any note was indexed ends with the best of all", async ({ window }) => {
  await settled(window);
  const rows = await window.rows();
  assert.equal(rows[0]?.name, "home-server.md");
  assert.equal(rows.filter((row) => row.rank !== null).length, 10);
  assert.equal((await window.invoke("state")).indexing, null);
});

scenario("rows that the user reads stay, until they ask again", async ({ window, scratch }) => {
  await window.ask(AXOLOTL);
  await settled(window);
  const before = (await window.rows()).map((row) => row.chunk);
  await window.click(`[data-chunk="${before[1]}"]`);
  await scratch.write(
    "pets/axolotl.md",
    "# Axolotl\n\nIn the winter Bram feeds the axolotl, every second day.\n",
  );
  await window.until("it offers to ask again", () =>
    document.querySelector(".pills")?.innerText.includes("Notes have changed"),
  );
  assert.deepEqual(
    (await window.rows()).map((row) => row.chunk),
    before,
  );
  const top = await window.run(() => {
    const grid = document.querySelector("[role='grid']");
    grid.scrollTop = 40;
    return grid.scrollTop;
  });
  await window.click(".pills button", "Ask again");
  await window.rowsUntil("the new note is on top", (rows) => rows[0]?.name === "axolotl.md");
  assert.equal(await window.run(openedChunk), before[1], "the opened row stays open");
  assert.equal(await window.run(() => document.querySelector("[role='grid']").scrollTop), top);
});

scenario("notes that move no row that is read come in quietly", async ({ window, scratch }) => {
  await window.ask(QUESTION);
  await settled(window);
  const [first, second] = await window.rows();
  await window.click(`[data-chunk="${second.chunk}"]`);
  const { generation } = await window.invoke("state");
  await scratch.write("zz/unlike.md", "# Quartz\n\nPyroxene, olivine, feldspar, mica.\n");
  await window.until(
    "the note is indexed",
    async (than) => (await window.__TAURI_INTERNALS__.invoke("state")).generation > than,
    generation,
  );
  await settled(window);
  assert.deepEqual(await window.texts(".pills"), [""]);
  assert.equal((await window.rows())[0].chunk, first.chunk);
  assert.equal(await window.run(openedChunk), second.chunk);
});

// Runs in the page.
function openedChunk() {
  return document.querySelector("[role='row'][aria-selected='true']")?.dataset.chunk;
}
