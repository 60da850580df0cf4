/** The menus of rows and of the tree: opened by every means, and what they do outside of the window. */
import assert from "node:assert/strict";
import { join } from "node:path";

import { until } from "./driver/deadline.mjs";
import { inOneWindow, QUESTION } from "./driver/scenario.mjs";
import { KEY } from "./driver/webdriver.mjs";

const scenario = inOneWindow({
  prepare: async (scratch) => {
    // No file manager of this machine: the folder is opened with the system's program, which writes down what it opens.
    scratch.environment.DBUS_SESSION_BUS_ADDRESS = `unix:path=${join(scratch.root, "no-bus")}`;
  },
});

async function opened(window) {
  await window.until("a menu is open", () => document.querySelector("[role='menu']") !== null);
}

/** Chooses an item by how its words begin: a key may be beside them. */
async function choose(window, words) {
  await opened(window);
  await window.run((wanted) => {
    for (const item of document.querySelectorAll("[role='menuitem']"))
      if (item.querySelector(".short")?.textContent === wanted) item.dataset.wanted = "";
  }, words);
  await window.click("[data-wanted]");
  await window.until("it is closed", () => document.querySelector("[role='menu']") === null);
}

/** What an item says; null if there is none. */
async function itemOf(window, words) {
  return window.run((wanted) => {
    const item = Array.from(document.querySelectorAll("[role='menuitem']")).find(
      (one) => one.querySelector(".short")?.textContent === wanted,
    );
    return item === undefined
      ? null
      : {
          isDisabled: item.ariaDisabled === "true",
          said: item.innerText.replaceAll(/\s+/g, " ").trim(),
        };
  }, words);
}

async function answered(window) {
  await window.show("Search");
  await window.ask(QUESTION);
  return window.rowsUntil("the question is answered", (rows) => rows[0]?.name === "home-server.md");
}

scenario("a row's menu opens by keys and buttons, and is walked by arrows", async ({ window }) => {
  const [first] = await answered(window);
  await window.click(`[data-chunk='${first.chunk}'] .path`);
  await window.press(KEY.f10, [KEY.shift]);
  await opened(window);
  await window.press(KEY.down);
  await window.until(
    "an item has the keyboard",
    () => document.activeElement?.getAttribute("role") === "menuitem",
  );
  await window.press(KEY.escape);
  await window.until("it is closed", () => document.querySelector("[role='menu']") === null);
  await window.until(
    "the table has the keyboard again",
    () => document.activeElement?.getAttribute("role") === "grid",
  );
  await window.click(`[data-chunk='${first.chunk}'] [aria-label^='Menu of']`);
  await opened(window);
  assert.deepEqual(await itemOf(window, "Why not…?"), {
    isDisabled: true,
    said: "Why not…? the row is kept",
  });
  const box = await window.run(() => {
    const { top, bottom, left, right } = document.querySelector("[role='menu']").getBoundingClientRect();
    return top >= 0 && left >= 0 && bottom <= innerHeight && right <= innerWidth;
  });
  assert.ok(box, "the menu is within the window");
  await window.press(KEY.escape);
  await window.until("it is closed", () => document.querySelector("[role='menu']") === null);
  await window.click("[aria-label='Menu of the row']");
  await choose(window, "Thumb up");
  await window.until("the row has a thumb", () => document.querySelector(".tr .thumb.up") !== null);
});

scenario("a row's note is shown in its folder, and searched from there", async ({ window, scratch }) => {
  const [first] = await answered(window);
  await window.click(`[data-chunk='${first.chunk}'] .path`);
  await window.click(`[data-chunk='${first.chunk}'] [aria-label^='Menu of']`);
  await choose(window, "Show in folder");
  const [shown] = await until("its folder was opened", async () => {
    const paths = await scratch.opened();
    return paths.length > 0 && paths;
  });
  assert.equal(shown, join(scratch.notes, "reference"));
  await window.click(`[data-chunk='${first.chunk}'] .path`);
  await window.click(`[data-chunk='${first.chunk}'] [aria-label^='Menu of']`);
  await choose(window, "In this note");
  await window.rowsUntil("only its note is found", (rows) =>
    rows.every(({ name, rank }) => rank === null || name === "home-server.md"),
  );
  await window.click("[aria-label='Search in: home-server.md']");
  await opened(window);
  await window.click("[role='menuitemradio']", "All folders");
  await window.rowsUntil("other notes are found again", (rows) =>
    rows.some(({ name }) => name !== "home-server.md"),
  );
});

scenario(
  "the tree's menu opens by the Menu key, and shows a file in its folder",
  async ({ window, scratch }) => {
    await window.show("Memory");
    await window.until("the tree is read", () => document.querySelectorAll("[role='treeitem']").length > 3);
    const before = (await scratch.opened()).length;
    await window.run(() => document.querySelector("[role='tree']").focus());
    await window.press(KEY.down);
    await window.press(KEY.f10, [KEY.shift]);
    await opened(window);
    assert.equal((await itemOf(window, "Open in editor")).isDisabled, true);
    await choose(window, "Show in folder");
    const paths = await until("its folder was opened", async () => {
      const found = await scratch.opened();
      return found.length > before && found;
    });
    assert.equal(paths.at(-1), scratch.notes);
  },
);
