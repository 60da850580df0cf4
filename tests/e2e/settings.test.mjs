/** Settings: colours, and folders that are added, paused and removed without a note being touched. */
import assert from "node:assert/strict";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { until } from "./driver/deadline.mjs";
import { inOneWindow, QUESTION } from "./driver/scenario.mjs";
import { KEY } from "./driver/webdriver.mjs";

const scenario = inOneWindow();

async function addTyped(window, path) {
  await window.show("Settings");
  await window.click("form.typed input");
  await window.press(path + KEY.enter);
}

async function folderSaid(window) {
  return window.texts("li.folder");
}

scenario("the colours change at once and stay", async ({ window }) => {
  await window.show("Settings");
  const ground = () => getComputedStyle(document.body).backgroundColor;
  const grounds = {};
  for (const [label, theme] of [
    ["Dark", "dark"],
    ["Light", "light"],
  ]) {
    await window.click(".themes label", label);
    await window.until(
      `${label} is set`,
      (wanted) => document.documentElement.dataset.theme === wanted,
      theme,
    );
    grounds[theme] = await window.run(ground);
  }
  assert.notEqual(grounds.dark, grounds.light);
  await window.show("Search");
  assert.equal(await window.run(() => document.documentElement.dataset.theme), "light");
  await window.show("Settings");
  await window.click(".themes label", "Match system");
  await window.until("the system decides", () => document.documentElement.dataset.theme === undefined);
});

scenario(
  "a folder is added by its path, and what cannot be added is refused in place",
  async ({ window, scratch }) => {
    await addTyped(window, join(scratch.root, "nowhere"));
    await window.until("it says why", () =>
      /nowhere/.test(document.querySelector(".said [role='alert']")?.innerText ?? ""),
    );
    const more = join(scratch.root, "more");
    await mkdir(more);
    await writeFile(
      join(more, "tide.md"),
      "# Tide\n\nThe ferry to the island leaves two hours before high tide.\n",
    );
    await window.click("form.typed input");
    await window.press("a", [KEY.control]);
    await window.press(more + KEY.enter);
    await window.until("both folders are listed", () => document.querySelectorAll("li.folder").length === 2);
    await window.indexed();
    await window.ask("when does the ferry leave");
    await window.rowsUntil("its note is found", (rows) => rows[0]?.name === "tide.md");
  },
);

scenario("a paused folder is left alone until it is resumed", async ({ window, scratch }) => {
  await window.show("Settings");
  await window.click("li.folder button", "Pause more");
  await window.until("it is paused", () =>
    /paused/.test(document.querySelector("[aria-label='Resume more']")?.closest("li").innerText ?? ""),
  );
  await writeFile(join(scratch.root, "more/gull.md"), "# Gull\n\nThe gull on the pier steals sandwiches.\n");
  await window.click("li.folder button", "Resume more");
  await window.until("it is watched", () => document.querySelector("[aria-label='Pause more']") !== null);
  await window.ask("which bird steals sandwiches");
  await window.rowsUntil("what came meanwhile is found", (rows) => rows[0]?.name === "gull.md");
});

scenario(
  "removing a folder asks first; its notes stay on the disk and leave the results",
  async ({ window, scratch }) => {
    await window.show("Settings");
    await window.click("li.folder button", "Remove more");
    await window.until("it asks", () =>
      document.querySelector("[role='alertdialog']")?.innerText.includes("Your notes are not touched."),
    );
    await window.press(KEY.escape);
    await window.until("Escape keeps it", () => document.querySelector("[role='alertdialog']") === null);
    assert.equal((await folderSaid(window)).length, 2);

    await window.click("li.folder button", "Remove more");
    await window.click("[role='alertdialog'] button", "Remove");
    await window.until("it is gone", () => document.querySelectorAll("li.folder").length === 1);
    assert.deepEqual((await readdir(join(scratch.root, "more"))).toSorted(), ["gull.md", "tide.md"]);
    await window.ask("which bird steals sandwiches");
    await window.rowsUntil(
      "its notes are not found",
      (rows) => rows.length > 0 && rows.every((row) => row.name !== "gull.md"),
    );
  },
);

scenario(
  "without a folder the window asks for one, and works once it has one",
  async ({ window, scratch }) => {
    await window.show("Settings");
    await window.click("li.folder button", "Remove notes");
    await window.click("[role='alertdialog'] button", "Remove");
    await window.until("no folder is left", () => document.querySelectorAll("li.folder").length === 0);
    await window.show("Search");
    await window.until(
      "it asks for one",
      () => document.querySelector("h1")?.innerText === "Which folders hold your agent's memory?",
    );
    await window.click("form.typed input");
    await window.press(scratch.notes + KEY.enter);
    await window.until("the question can be typed", () => document.getElementById("query") !== null);
    await window.indexed();
    await window.ask(QUESTION);
    await window.rowsUntil("the notes are found", (rows) => rows[0]?.name === "home-server.md");
  },
);

scenario("what does not decay is listed, and is taken off the list there", async ({ window, scratch }) => {
  const [{ id }] = (await window.invoke("state")).folders;
  await window.invoke("set_evergreen", {
    folder: id,
    path: "people",
    isEvergreen: true,
  });
  await window.show("Search");
  await window.show("Settings");
  const listed = () => window.texts("[aria-labelledby='settings-evergreen'] li");
  await until("the folder is listed", async () => /people/.test((await listed()).join()));
  assert.equal((await listed()).length, 1);
  await window.click("[aria-labelledby='settings-evergreen'] li button", "Let it decay");
  await until("nothing is listed", async () => (await listed()).length === 0);
  assert.doesNotMatch(await scratch.memlens("evergreen", "list"), /people/);
});

scenario(
  "opposite words are added and switched off, and notes are compared by them",
  async ({ window, scratch }) => {
    await scratch.write("valve-a.md", "The valve in the cellar is primed.\n");
    await scratch.write("valve-b.md", "The valve in the cellar is drained.\n");
    await window.indexed();
    const found = async () => {
      const { contradictions } = JSON.parse(await scratch.memlens("drift", "--json"));
      return contradictions.filter(({ a }) => a.path === "valve-a.md").length;
    };
    await until("the notes are read", async () =>
      /valve-b/.test(await scratch.memlens("search", "valve drained")),
    );
    assert.equal(await found(), 0);
    const card = "[aria-labelledby='settings-oppositions']";
    const listed = () => window.texts(`${card} li`);
    await window.show("Settings");
    await until("the pairs are listed", async () => (await listed()).length > 40);
    await window.click(`${card} form label:first-child input`);
    await window.press("open");
    await window.click(`${card} form label:nth-child(2) input`);
    await window.press(`sealed${KEY.enter}`);
    await until("the reason is shown", async () =>
      /is in the pair "open \| closed, shut" already/.test(
        (await window.texts(`${card} [role='alert']`)).join(),
      ),
    );
    await window.click(`${card} li label`, "open | closed, shut");
    await until("one is off", async () => /, 1 off/.test((await window.texts(`${card} header`)).join()));
    await window.click(`${card} form label:nth-child(2) input`);
    await window.press(KEY.enter);
    await until("the pair is listed", async () => /^open \| sealed/.test((await listed())[0]));
    await window.click(`${card} form label:first-child input`);
    await window.press("primed");
    await window.click(`${card} form label:nth-child(2) input`);
    await window.press(`drained${KEY.enter}`);
    await until("it is first", async () => /^primed \| drained/.test((await listed())[0]));
    assert.equal(await found(), 1);
    await window.click(`${card} [aria-label='Remove primed | drained']`);
    await until("it is gone", async () => !/primed/.test((await listed()).join()));
    assert.equal(await found(), 0);
  },
);

scenario(
  "erasing all asks first; notes stay on the disk, the library is empty",
  async ({ window, scratch }) => {
    const before = (await readdir(scratch.notes)).toSorted();
    await window.show("Settings");
    await window.click("button", "Show");
    assert.equal(
      await until("the system was asked", async () => (await scratch.opened()).at(-1)),
      scratch.library,
    );
    await scratch.answerDialogs(null);
    assert.equal(await window.invoke("erase_all"), null);
    assert.equal((await window.invoke("state")).folders.length, 1);
    await scratch.answerDialogs("yes");
    await window.click("button", "Erase all stored data…");
    await window.until("it asks", () =>
      document.querySelector("[role='alertdialog']")?.innerText.includes("Your notes stay."),
    );
    await window.click("[role='alertdialog'] button", "Erase all");
    await window.until("no folder is left", () => document.querySelectorAll("li.folder").length === 0);
    const state = await window.invoke("state");
    assert.deepEqual([state.folders, state.n_files, state.n_chunks], [[], 0, 0]);
    assert.deepEqual((await readdir(scratch.notes)).toSorted(), before);
    await window.show("Search");
    await window.until("it asks for a folder", () => document.querySelector("main.first-run") !== null);
  },
);
