/** What does not decay, marked in the tree; what is said more than once, compared on demand. */
import assert from "node:assert/strict";

import { inOneWindow } from "./driver/scenario.mjs";
import { KEY } from "./driver/webdriver.mjs";

const OLD = "hall-2020-01-01.md";
const SAID = "The blue boat is lifted out of the water in the second week of October.";

const scenario = inOneWindow({
  prepare: async (scratch) => {
    await scratch.write(`old/${OLD}`, `The blue boat lay in the hall then.\n\n- ${SAID}\n`);
    await scratch.write("boats/log.md", `- ${SAID.toUpperCase()}\n`);
  },
});

const final = async (window) => Number((await window.rows()).find(({ name }) => name === OLD)?.final);

scenario("a folder that is kept from decay counts in full at once", async ({ window }) => {
  await window.show("Search");
  await window.ask("the blue boat in the hall");
  await window.rowsUntil("it is found", (rows) => rows.some(({ name }) => name === OLD));
  const full = await final(window);
  await window.switchOn("Decay");
  await window.drag("half_life_days", 0.5);
  await window.rowsUntil(
    "it has decayed",
    (rows) => rows.length > 0 && rows.every(({ name, rank }) => name !== OLD || rank === null),
  );
  await window.show("Memory");
  await window.until("the tree is drawn", () =>
    document.querySelector("[role='treeitem'][aria-label^='old,']"),
  );
  await window.click("[role='treeitem'] .name", "old");
  await window.press("e", [KEY.control]);
  await window.until("it is marked", () =>
    document.querySelector("[role='treeitem'][aria-label^='old,'][aria-label$='does not decay'] svg"),
  );
  await window.show("Search");
  await window.rowsUntil("it counts in full", (rows) =>
    rows.some(({ name, rank, final }) => name === OLD && rank !== null && Number(final) === full),
  );
});

scenario("what is said more than once is compared on demand and leads to its place", async ({ window }) => {
  await window.show("Memory");
  await window.click("button", "Said more than once…");
  await window.until("the dialog is open", () => document.querySelector("[role='dialog'] .status"));
  await window.click("[role='dialog'] button", "Compare now");
  const line = await window.until("it is listed", () => {
    const items = [...document.querySelectorAll("[role='dialog'] li button")];
    const found = items.find((item) => item.innerText.toLowerCase().includes("blue boat"));
    found?.click();
    return found?.innerText;
  });
  assert.match(line, /×2/);
  const opened = await window.until("it is opened", () => {
    const items = [...document.querySelectorAll("[role='dialog'] [data-back] ~ *, [role='dialog'] li")];
    return document.querySelectorAll("[role='dialog'] input[type='range']").length === 2
      ? items.map((item) => item.innerText).join("\n")
      : null;
  });
  assert.match(opened, /boats\/\s*log\.md\s*:1/);
  assert.match(opened, /the same words, equal fingerprints/);
  await window.run(() =>
    [...document.querySelectorAll("[role='dialog'] li button")]
      .find((button) => button.innerText.includes("log.md"))
      .click(),
  );
  await window.until("the note is open", () =>
    document.querySelector("article [role='region'][aria-label='Text of boats/log.md']"),
  );
});
