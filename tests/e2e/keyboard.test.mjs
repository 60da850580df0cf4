/** The Search view without a pointer. */
import assert from "node:assert/strict";
import { join } from "node:path";

import { until } from "./driver/deadline.mjs";
import { inOneWindow, QUESTION } from "./driver/scenario.mjs";
import { KEY } from "./driver/webdriver.mjs";

const scenario = inOneWindow();

async function journey(window) {
  return window.run(() => {
    const panel = document.querySelector("[aria-label='Journey of the opened row']");
    return {
      name: panel.querySelector("h2")?.textContent.trim(),
      hasFocus: document.activeElement === panel,
    };
  });
}

scenario("question, row, journey and back", async ({ window }) => {
  await window.ask(QUESTION);
  const rows = await window.rowsUntil(
    "the question is answered",
    (rows) => rows[0]?.name === "home-server.md",
  );
  await window.press(KEY.escape);
  await window.until(
    "the table has the keyboard",
    () => document.activeElement?.getAttribute("role") === "grid",
  );
  await window.press(KEY.down.repeat(5) + KEY.up);
  await window.until(
    "the fifth row is active",
    (chunk) => {
      const active = document.activeElement.getAttribute("aria-activedescendant");
      const row = active === null ? null : document.getElementById(active);
      return row?.dataset.chunk === chunk && row.getAttribute("aria-selected") === "true";
    },
    rows[4].chunk,
  );
  await window.press(KEY.enter);
  await until("the journey of the fifth row has the keyboard", async () => {
    const { name, hasFocus } = await journey(window);
    return hasFocus && name === rows[4].name + rows[4].lines;
  });
  await window.press(KEY.escape + KEY.end);
  await until(
    "the last row is opened",
    async () => (await journey(window)).name !== rows[4].name + rows[4].lines,
  );
  await window.press(KEY.home);
  await until(
    "the first row is opened",
    async () => (await journey(window)).name === rows[0].name + rows[0].lines,
  );
});

scenario("the system opens the row's note", async ({ window, scratch }) => {
  await window.ask(QUESTION);
  await window.rowsUntil("the question is answered", (rows) => rows[0]?.name === "home-server.md");
  await window.press(`${KEY.escape}${KEY.home}o`);
  const opened = await until("the system was asked", async () => (await scratch.opened()).at(-1));
  assert.equal(opened, join(scratch.notes, "reference/home-server.md"));
});

scenario("what is set now is pinned, and moves are measured against it", async ({ window }) => {
  await window.ask(QUESTION);
  await window.press(KEY.escape);
  await window.click("label[for='field-text_weight']");
  await window.press(KEY.tab, [KEY.shift]);
  await window.press(KEY.end);
  await window.rowsUntil("rows moved", (rows) => rows.some((row) => /[▲▽]/.test(row.moved)));
  await window.press("p");
  await window.rowsUntil("nothing has moved since", (rows) => rows.every((row) => row.moved === ""));
  await window.press("z", [KEY.control]);
  await window.rowsUntil("the change was undone", (rows) => rows.some((row) => /[▲▽]/.test(row.moved)));
});

scenario("the keys are listed, and Escape leads back", async ({ window }) => {
  await window.ask(QUESTION);
  await window.press(`${KEY.escape}?`);
  await window.until("the list is open", () =>
    document.querySelector("[role='dialog']")?.innerText.includes("Pin the current settings"),
  );
  await window.press(KEY.escape);
  await window.until("the list is closed", () => document.querySelector("[role='dialog']") === null);
});

scenario("earlier questions come back by the arrow keys", async ({ window }) => {
  await window.ask("who wants to be told what, and how");
  await window.ask(QUESTION);
  await window.press(KEY.up);
  await window.until("the former question is back", () =>
    document.getElementById("query").value.startsWith("who wants"),
  );
  await window.press(KEY.down);
  await window.until(
    "the last question is back",
    (last) => document.getElementById("query").value === last,
    QUESTION,
  );
});
