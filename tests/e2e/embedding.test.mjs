/** Settings > Embedding: a model in a folder is added and chosen; searches go on, and the way back is at once. */
import assert from "node:assert/strict";
import { cp, rm } from "node:fs/promises";
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

async function choose(window, label) {
  await window.click(`[aria-label='Use ${label}']`);
  await window.until("it is asked", () => document.querySelector("[role='alertdialog'] .btn.main") !== null);
  await window.until(
    "it is measured",
    () => !/Measuring/.test(document.querySelector("[role='alertdialog']").innerText),
  );
  const asked = await window.texts("[role='alertdialog']");
  await window.click("[role='alertdialog'] .btn.main");
  await window.until(
    `${label} is in use`,
    (wanted) =>
      [...document.querySelectorAll("[aria-labelledby='settings-embedding'] li")].some(
        (one) => one.innerText.includes(wanted) && one.innerText.includes("in use"),
      ),
    label,
  );
  return asked.join(" ");
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
  const back = await choose(window, "all-MiniLM-L6-v2, 8 bits");
  assert.match(back, /Nothing is embedded again/);
  assert.equal(await dim(scratch), 384);
});
