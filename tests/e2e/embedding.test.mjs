/** Settings > Embedding: another model is chosen, a small one or one in a folder; searches go on, and the way back is at once. */
import assert from "node:assert/strict";
import { cp, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { until } from "./driver/deadline.mjs";
import { inOneWindow, QUESTION } from "./driver/scenario.mjs";

/** A hand-made embedding model of a few kilobytes. */
const TINY_EMBED = fileURLToPath(new URL("../fixtures/tiny-embed", import.meta.url));

const scenario = inOneWindow();

/** The models as the window lists them: name, state and vectors in one text each. */
async function models(window) {
  return window.texts("[aria-labelledby='settings-embedding'] li");
}

async function dim(scratch) {
  const { models: all } = JSON.parse(await scratch.memlens("models", "--json"));
  return all.find(({ is_in_use }) => is_in_use).dim;
}

const BUNDLED = "all-MiniLM-L6-v2, 8 bits";
const STATIC = "potion-base-2M, 8 bits";

/** Asks for a model and confirms; resolves with what was asked. */
async function begin(window, label) {
  await window.click(`[aria-label='Use ${label}']`);
  await window.until("it is asked", () => document.querySelector("[role='alertdialog'] .btn.main") !== null);
  await window.until(
    "it is measured",
    () => !/Measuring/.test(document.querySelector("[role='alertdialog']").innerText),
  );
  const asked = await window.texts("[role='alertdialog']");
  await window.click("[role='alertdialog'] .btn.main");
  return asked.join(" ");
}

/** Chooses a model; resolves with what was asked, once all notes are embedded by it. */
async function choose(window, label) {
  const asked = await begin(window, label);
  await isInUse(window, label);
  return asked;
}

async function isInUse(window, label) {
  await window.until(
    `${label} is in use`,
    (wanted) =>
      [...document.querySelectorAll("[aria-labelledby='settings-embedding'] li")].some(
        (one) => one.innerText.includes(wanted) && one.innerText.includes("in use"),
      ),
    label,
  );
}

scenario("a folder that holds no model is refused by name", async ({ window, scratch }) => {
  const folder = join(scratch.root, "no-model");
  await cp(TINY_EMBED, folder, { recursive: true });
  await rm(join(folder, "tokenizer.json"));
  await scratch.answerDialogs(folder);
  await window.show("Settings");
  await window.click("[aria-labelledby='settings-embedding'] .own .btn");
  await window.until("it says why", () =>
    /tokenizer\.json is missing/.test(
      document.querySelector("[aria-labelledby='settings-embedding'] [role='alert']")?.innerText,
    ),
  );
});

scenario("another model is chosen, answers, and the way back embeds nothing", async ({ window, scratch }) => {
  await scratch.answerDialogs(TINY_EMBED);
  await window.show("Settings");
  await window.click("[aria-labelledby='settings-embedding'] .own .btn");
  await until("it is listed", async () => (await models(window)).some((one) => one.includes("tiny-embed")));
  const asked = await choose(window, "tiny-embed");
  assert.match(asked, /texts? of [\d,]+ in \d+ notes? (is|are) embedded by this model/);
  assert.equal(await dim(scratch), 8);
  await window.ask(QUESTION);
  const rows = await window.rowsUntil("there are results", (found) => found.length > 0);
  assert.ok(rows.length > 0);
  await window.show("Settings");
  const back = await choose(window, BUNDLED);
  assert.match(back, /Nothing is embedded again/);
  assert.equal(await dim(scratch), 384);
});

scenario(
  "the small model is chosen while notes cannot be read: the search answers until all are embedded, and the way back is at once",
  async ({ window, scratch }) => {
    const before = await window.invoke("state");
    // A folder that is away keeps its notes, and the change waits for them.
    const away = `${scratch.notes}-away`;
    await rename(scratch.notes, away);
    const asked = await begin(window, STATIC);
    assert.match(
      asked,
      /(\d+) texts of \1 in 11 notes are embedded by this model\. On this machine this takes /,
    );
    await window.until("it waits for a note", () =>
      /Embedding your notes by potion-base-2M, 8 bits.*Until it is done, your notes are searched by all-MiniLM-L6-v2, 8 bits\..*It waits: /s.test(
        document.querySelector("[aria-labelledby='settings-embedding']").innerText,
      ),
    );
    await window.ask(QUESTION);
    const rows = await window.rowsUntil("the model in use answers", (found) => found.length > 0);
    assert.ok(rows.some(({ vector }) => vector !== ""));
    const during = await window.invoke("state");
    assert.equal(during.model, before.model);
    assert.notEqual(during.changing, null);

    await rename(away, scratch.notes);
    await window.show("Settings");
    await isInUse(window, STATIC);
    assert.equal(await dim(scratch), 64);
    await window.ask(`${QUESTION}?`);
    await window.rowsUntil("the small model answers", (found) => found.some(({ vector }) => vector !== ""));
    const [bundled, small] = await stored(scratch);
    assert.ok(bundled > small && small > 0, "both are kept, and their size is shown");

    await window.show("Settings");
    assert.match(await choose(window, BUNDLED), /Nothing is embedded again/);
    assert.equal(await dim(scratch), 384);
    await window.ask(QUESTION);
    const back = await window.rowsUntil("it answers as before", (found) => found.length === rows.length);
    assert.deepEqual(back, rows);
  },
);

/** The bytes of the vectors of the bundled model and of the small one. */
async function stored(scratch) {
  const { models: all } = JSON.parse(await scratch.memlens("models", "--json"));
  return ["bundled", "static"].map((wanted) => all.find(({ name }) => name === wanted).vector_bytes);
}
