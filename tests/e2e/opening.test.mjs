/** A library that cannot be opened: the window stays, says why, and continues once the cause is repaired. */
import assert from "node:assert/strict";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { inOneWindow, QUESTION } from "./driver/scenario.mjs";
import { MemlensWindow } from "./driver/window.mjs";

const database = (scratch) => join(scratch.library, "library.sqlite");
let sound;

const scenario = inOneWindow({
  prepare: async (scratch) => {
    await scratch.memlens("index", scratch.notes);
    sound = await readFile(database(scratch));
    await writeFile(database(scratch), "This is no database.".repeat(1_000));
    // From this a new database would be filled.
    await rm(join(scratch.library, "made.jsonl"));
  },
  open: (scratch) => MemlensWindow.open(scratch),
});

const whatIsWrong = () => document.querySelector("main.opening [role='alert']")?.innerText;

scenario("what is wrong with the library is said in the window", async ({ window, scratch }) => {
  const message = await window.until("it says why", whatIsWrong);
  assert.match(message, /damaged/);
  assert.ok(message.includes(scratch.library), message);
});

scenario("until then no view can be chosen", async ({ window }) => {
  const areDisabled = () => [...document.querySelectorAll(".tab")].map((tab) => tab.disabled);
  assert.deepEqual(new Set(await window.run(areDisabled)), new Set([true]));
});

scenario("once it is repaired the window opens it", async ({ window, scratch }) => {
  await writeFile(database(scratch), sound);
  await window.click("main.opening button", "Try again");
  await window.until("the library is open", () => document.querySelector("main.opening") === null);
  await window.ready();
  await window.ask(QUESTION);
  await window.rowsUntil("the note that answers is on top", (rows) => rows[0]?.name === "home-server.md");
});
