/** From a folder to the trace: indexing says how far it is, waits when asked to, and can be searched meanwhile. */
import assert from "node:assert/strict";

import { inOneWindow, QUESTION } from "./driver/scenario.mjs";
import { MemlensWindow } from "./driver/window.mjs";

const N_SAMPLE_NOTES = 11;
/** Notes behind the sample ones in the order of indexing, so that it runs for a while. */
const N_FURTHER_NOTES = 8;
const N_NOTES = N_SAMPLE_NOTES + N_FURTHER_NOTES;

const scenario = inOneWindow({
  prepare: async (scratch) => {
    for (let note = 0; note < N_FURTHER_NOTES; note++)
      await scratch.write(`zz/further-${note}.md`, furtherNote(note));
  },
  open: async (scratch) => {
    const window = await MemlensWindow.open(scratch);
    await window.ready();
    return window;
  },
});

scenario("indexing shows how far it is and waits for the user", async ({ window }) => {
  const running = await window.until(
    "indexing is shown",
    () => document.querySelector(".lib .indexing")?.innerText,
  );
  assert.match(running.trim(), new RegExp(`^indexing \\d+/${N_NOTES}$`));
  await window.click(".lib .indexing");
  const paused = await window.until("indexing is paused", () => {
    const text = document.querySelector(".lib .indexing")?.innerText.trim();
    return text?.startsWith("paused") && text;
  });
  assert.match(paused, new RegExp(`^paused at \\d+/${N_NOTES}$`));
});

scenario("what is indexed can be found while the rest is not", async ({ window }) => {
  const { indexing, phase } = await window.invoke("state");
  assert.ok(phase.kind === "paused" && indexing.n_done < N_NOTES, JSON.stringify({ indexing, phase }));
  await window.click(".lib .indexing");
  await window.ask(QUESTION);
  // The rows come as the notes do, without asking again.
  await window.rowsUntil("the note that answers is on top", (rows) => rows[0]?.name === "home-server.md");
  const state = await window.invoke("state");
  assert.ok(state.indexing !== null, "all was indexed before the first rows came");
});

scenario("the trace table shows each list, the fused score and the best row first", async ({ window }) => {
  await window.indexed();
  await window.until("the line shows all files", () => document.querySelector(".lib .indexing") === null);
  const line = (await window.texts(".lib")).join();
  assert.ok(line.includes(`${N_NOTES} files`), line);
  const heads = await window.texts("[role='columnheader']");
  for (const head of ["Vector", "BM25", "RRF", "Fused", "Final"]) {
    assert.ok(
      heads.some((text) => text.startsWith(head)),
      `${head} in ${heads}`,
    );
  }
  const rows = await window.rowsUntil(
    "ten rows are kept",
    (rows) => rows.filter((row) => row.rank !== null).length === 10,
  );
  const [first] = rows;
  assert.equal(first.name, "home-server.md");
  assert.equal(first.rank, 1);
  for (const cell of [first.vector, first.bm25, first.rrf]) assert.match(cell, /^\d+\s+\d+\.\d+$/);
  for (const cell of [first.fused, first.final]) assert.match(cell, /^0\.\d{3}$/);
});

/** Paragraphs that no other note holds, so that each is embedded. */
function furtherNote(note) {
  const paragraphs = Array.from({ length: 15 }, (_, at) => {
    const words = Array.from(
      { length: 50 },
      (_, word) => WORDS[(note * 131 + at * 31 + word * (7 + at)) % WORDS.length],
    );
    return `Entry ${note}-${at}: ${words.join(" ")}.`;
  });
  return `# Further note ${note}\n\n${paragraphs.join("\n\n")}\n`;
}

const WORDS =
  "amber bridge candle delta ember falcon garden harbour island jasmine kettle lantern meadow needle orchard pebble quarry ribbon saddle timber umbrella valley willow yonder zephyr".split(
    " ",
  );
