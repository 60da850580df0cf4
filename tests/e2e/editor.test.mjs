/** A note is opened at its line in the editor that the user chose; a folder that moved is found again. */
import assert from "node:assert/strict";
import { chmod, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { until } from "./driver/deadline.mjs";
import { inOneWindow, QUESTION } from "./driver/scenario.mjs";

const openedList = (scratch) => join(scratch.root, "opened-at");

const scenario = inOneWindow({
  prepare: async (scratch) => {
    const editor = join(scratch.root, "bin/code");
    await writeFile(editor, `#!/bin/sh\nprintf '%s\\n' "$@" >> '${openedList(scratch)}'\n`);
    await chmod(editor, 0o755);
  },
});

async function first(window) {
  await window.show("Search");
  await window.ask(QUESTION);
  const [row] = await window.rowsUntil("it is answered", (rows) => rows.length > 0 && rows[0].text !== "");
  return row;
}

scenario("O opens the row's note at its line in the editor of Settings", async ({ window, scratch }) => {
  await window.show("Settings");
  await window.choose("[aria-labelledby='settings-editor'] [role='combobox']", "VS Code");
  const { chunk, name } = await first(window);
  await window.click(`[data-chunk='${chunk}'] .path`);
  await window.press("o");
  const opened = await until("the editor was started", () =>
    readFile(openedList(scratch), "utf8").catch(() => null),
  );
  const [flag, place] = opened.trim().split("\n");
  assert.equal(flag, "--goto");
  const [, path, line] = /^(.+):(\d+)$/.exec(place);
  assert.ok(path.startsWith(scratch.notes) && path.endsWith(`/${name}`), path);
  const lines = (await readFile(path, "utf8")).split("\n");
  assert.ok(Number(line) >= 1 && Number(line) <= lines.length, line);
});

scenario("a folder that moved is located, and found by the same questions", async ({ window, scratch }) => {
  const before = await first(window);
  const moved = join(scratch.root, "moved");
  await rename(scratch.notes, moved);
  await window.show("Settings");
  await window.until("it is missing", () => document.querySelector("[aria-label='Locate notes']"));
  await scratch.answerDialogs(moved);
  await window.click("[aria-label='Locate notes']");
  await window.until("it is watched there", () =>
    Array.from(document.querySelectorAll(".folder")).some((folder) =>
      /moved\s+watching/.test(folder.innerText),
    ),
  );
  await window.show("Search");
  await window.rowsUntil("it is found again", (rows) => rows[0]?.name === before.name);
});
