/** An agent's pipeline in the real window: the edition that finds nothing says why by its stage, the newest one finds. */
import assert from "node:assert/strict";

import { until } from "./driver/deadline.mjs";
import { inOneWindow, QUESTION } from "./driver/scenario.mjs";

const scenario = inOneWindow();

/** Chooses a preset or an agent by its name in the menu. */
async function choose(window, name) {
  const label = await window.run(() =>
    document.querySelector("button[aria-label^='Preset: ']").getAttribute("aria-label"),
  );
  await window.click("button", label);
  await window.until(
    `${name} is offered`,
    (wanted) =>
      Array.from(document.querySelectorAll(".menu-item .cut1")).some((one) => one.innerText === wanted),
    name,
  );
  await window.click(".menu-item .cut1", name);
  await window.until(
    `${name} is chosen`,
    (wanted) =>
      document
        .querySelector("button[aria-label^='Preset: ']")
        .getAttribute("aria-label")
        .startsWith(`Preset: ${wanted}`),
    name,
  );
}

/** The names of the stages in the strip. */
async function stages(window) {
  return window.texts("[role='toolbar'] .name");
}

scenario("OpenClaw 2026.2 finds nothing, and its stage says why", async ({ window }) => {
  await window.ask(QUESTION);
  await choose(window, "OpenClaw 2026.2");
  const card = await until("it says that nothing passed", async () => (await window.texts(".card-none"))[0]);
  assert.match(card, /^Nothing passed\s+minScore dropped the last \d+ rows/);
  assert.match(card, /0\.\d+ < 0\.35|below/);
  assert.deepEqual(await stages(window), ["Vector", "Keywords", "Sum", "minScore", "maxResults"]);
  const rows = await window.rows();
  assert.ok(rows.length > 0 && rows.every((row) => row.rank === null), "every row is dropped");
});

scenario("OpenClaw 2026.9 finds, and its minScore moves live", async ({ window }) => {
  await choose(window, "OpenClaw 2026.9");
  const rows = await window.rowsUntil("rows are kept", (rows) => rows.some((row) => row.rank === 1));
  const nKept = rows.filter((row) => row.rank !== null).length;
  assert.deepEqual(
    await window.run(() =>
      Array.from(document.querySelectorAll("[role='columnheader'] b"), (head) => head.innerText),
    ),
    ["Vector", "Keywords", "Sum", "MMR", "Final"],
  );
  assert.ok((await stages(window)).includes("MMR"));
  assert.match((await window.texts(".emulated"))[0], /^emulated · other model/);
  await window.drag("openclaw.max_results", 0);
  await window.rowsUntil("one row is kept", (rows) => rows.filter((row) => row.rank !== null).length === 1);
  await window.click("button", "Undo");
  await window.rowsUntil("they are back", (rows) => rows.filter((row) => row.rank !== null).length === nKept);
  await window.drag("openclaw.min_score", 1);
  await until(
    "the field follows",
    async () => (await window.parameter("openclaw.min_score")).value === "1.00",
  );
  // Nothing reaches it, so that edition brings back what words found.
  const strip = "[data-stage='openclaw.threshold']";
  await window.until(
    "what was let go comes back",
    (wanted) => /\d+ → [1-9]/.test(document.querySelector(wanted).innerText),
    strip,
  );
  await until("the journey says so", async () =>
    (await window.texts(".j-steps .sentence")).some((said) => said.includes("brought back")),
  );
});

scenario("OpenClaw 2026.7 cuts the notes again when the length of chunks is released", async ({ window }) => {
  await choose(window, "OpenClaw 2026.7");
  const nSearched = () =>
    window.run(() => {
      const strip = document.querySelector("[data-stage='openclaw.vector'].stg");
      return Number(/^(\d+) →/m.exec(strip?.innerText ?? "")?.[1] ?? 0);
    });
  const before = await until("it is ranked", async () => (await nSearched()) || null);
  // Near the short end of 8 to 4,000 tokens.
  await window.drag("openclaw.chunk_tokens", 0.3);
  await until("more chunks are searched", async () => (await nSearched()) > before * 3);
  await window.click("button", "Undo");
  await until("they are cut as before", async () => (await nSearched()) === before);
});

scenario("back at Default our own stages and values stand as they were", async ({ window }) => {
  await choose(window, "Default");
  await window.rowsUntil("rows are kept by ours", (rows) =>
    rows.some((row) => row.rank === 1 && typeof row.bm25 === "string"),
  );
  assert.equal((await stages(window)).length, 6);
  assert.match((await window.texts("[role='toolbar'] .off-cell"))[0], /^7 off/);
  assert.equal((await window.parameter("min_score")).value, "0.10");
});
