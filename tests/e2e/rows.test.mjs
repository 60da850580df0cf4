/** Rows and what is done with them: their menu, several at once, the clipboard, the way to Memory, the trace as a file. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { inOneWindow, QUESTION } from "./driver/scenario.mjs";
import { KEY } from "./driver/webdriver.mjs";

const scenario = inOneWindow();

/** The rows of the answer, which stays while other views are shown. */
async function answered(window) {
  if (await window.run(() => document.querySelector("[data-chunk]") === null)) await window.ask(QUESTION);
  return window.rowsUntil("the question is answered", (rows) => rows[0]?.name === "home-server.md");
}

const pathOf = ({ chunk }) => `[data-chunk='${chunk}'] .path`;

async function said(window, text) {
  await window.until(
    `“${text}” is said`,
    (wanted) =>
      Array.from(document.querySelectorAll("[role='status']")).some((one) => one.innerText.includes(wanted)),
    text,
  );
}

scenario("the trace is saved as CSV where the user wants it", async ({ window, scratch }) => {
  await answered(window);
  const file = join(scratch.root, "trace.csv");
  await scratch.answerDialogs(file);
  await window.click("[aria-label='Copy or save the trace']");
  await window.click("[role='menuitem']", "Save as CSV…");
  await said(window, "Saved to");
  const [head, first] = (await readFile(file, "utf8")).split("\n");
  assert.match(head, /^rank,path,start_line,end_line,source,tokens,vector rank,vector score,/);
  assert.match(first, /^1,.*home-server\.md,/);
});

scenario("the right button opens a row's menu, which copies and leads to Memory", async ({ window }) => {
  const rows = await answered(window);
  await window.rightClick(pathOf(rows[1]));
  await window.until("its menu is open", () => document.querySelector("[role='menu']") !== null);
  await window.click("[role='menuitem']", "Copy text");
  await said(window, "Copied 1 text.");
  await window.rightClick(pathOf(rows[1]));
  await window.until("its menu is open", () => document.querySelector("[role='menu']") !== null);
  await window.run(() => {
    Array.from(document.querySelectorAll("[role='menuitem']")).find((item) =>
      item.innerText.startsWith("Show in Memory"),
    ).id = "to-memory";
  });
  await window.click("#to-memory");
  await window.until(
    "Memory shows the note",
    (name) =>
      document.querySelector("nav [aria-current='page']")?.textContent === "Memory" &&
      document.querySelector("main").innerText.includes(name),
    rows[1].name,
  );
  await window.show("Search");
});

scenario("several rows are chosen by keys and copied together", async ({ window }) => {
  const rows = await answered(window);
  await window.click(pathOf(rows[0]));
  await window.press(KEY.down, [KEY.shift]);
  await window.press(KEY.down, [KEY.shift]);
  assert.equal(await window.run(() => document.querySelectorAll(".tr.chosen").length), 3);
  await window.press("c", [KEY.control]);
  await said(window, "Copied 3 paths.");
  await window.press(KEY.escape);
  assert.equal(await window.run(() => document.querySelectorAll(".tr.chosen").length), 0);
});

scenario(
  "back from another view, the row that was opened is in sight, and else the best",
  async ({ window }) => {
    const inSight = () =>
      window.run(() => {
        const open = document.querySelector("[role='row'][aria-selected='true']");
        const box = open?.getBoundingClientRect();
        const grid = document.querySelector("[role='grid']");
        const edges = grid?.getBoundingClientRect();
        if (!box || !edges) return null;
        return { top: grid.scrollTop, isSeen: box.top >= edges.top && box.bottom <= edges.bottom + 1 };
      });
    const thereAndBack = async () => {
      await window.show("Settings");
      await window.show("Search");
      return window.until(
        "the row is drawn",
        () => document.querySelector("[role='row'][aria-selected='true']") !== null,
      );
    };
    const rows = await answered(window);
    await window.click(pathOf(rows[0]));
    await window.press(KEY.end);
    await window.until("the last row is opened", () => document.querySelector("[role='grid']").scrollTop > 0);
    await thereAndBack();
    await window.until(
      "the last row is in sight",
      () => document.querySelector("[role='grid']").scrollTop > 0,
    );
    assert.equal((await inSight()).isSeen, true);
    await window.ask("where is the spare key");
    await thereAndBack();
    assert.deepEqual(await inSight(), { top: 0, isSeen: true });
  },
);
