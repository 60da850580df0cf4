/** Notes that are written, changed, renamed and deleted while the window is open; and a folder that goes and comes back. */
import assert from "node:assert/strict";
import { rename, rm } from "node:fs/promises";
import { join } from "node:path";

import { until } from "./driver/deadline.mjs";
import { inOneWindow, QUESTION } from "./driver/scenario.mjs";

const scenario = inOneWindow();
const AXOLOTL = "who feeds the axolotl in the winter";

/** What the Memory view's list says of a note, newest first. */
async function happenings(window, path) {
  return window.run((wanted) => {
    const list = document.querySelectorAll("[aria-labelledby='side-happened'] li");
    return Array.from(list, (entry) => ({
      path: entry.querySelector(".place").title,
      what: entry.querySelector(".what").textContent,
    }))
      .filter((entry) => entry.path === wanted)
      .map((entry) => entry.what);
  }, path);
}

async function happened(window, path, expected) {
  await window.show("Memory");
  await until(
    `${path}: ${expected}`,
    async () => String(await happenings(window, path)) === String(expected),
  );
}

scenario("a note is found a moment after it was saved, without asking again", async ({ window, scratch }) => {
  await window.ask(AXOLOTL);
  await window.rowsUntil("there is no such note", (rows) => rows.every((row) => row.name !== "axolotl.md"));
  await scratch.write(
    "pets/axolotl.md",
    "# Axolotl\n\nIn the winter Bram feeds the axolotl, every second day.\n",
  );
  const rows = await window.rowsUntil("the note is on top", (rows) => rows[0]?.name === "axolotl.md");
  assert.match(rows[0].text, /Bram feeds the axolotl/);
  await happened(window, "pets/axolotl.md", ["added"]);
});

scenario("a changed note is found as it is now", async ({ window, scratch }) => {
  await window.show("Search");
  await scratch.write("pets/axolotl.md", "# Axolotl\n\nIn the winter Signe feeds the axolotl, on Sundays.\n");
  const rows = await window.rowsUntil(
    "the new text is on top",
    (rows) => rows[0]?.name === "axolotl.md" && rows[0].text.includes("Signe feeds the axolotl"),
  );
  assert.equal(rows.filter((row) => row.name === "axolotl.md").length, 1);
  await happened(window, "pets/axolotl.md", ["changed", "added"]);
});

scenario("a renamed note goes by its new name", async ({ window, scratch }) => {
  await window.show("Search");
  await rename(join(scratch.notes, "pets/axolotl.md"), join(scratch.notes, "pets/salamander.md"));
  await window.rowsUntil(
    "the new name is on top and the old one gone",
    (rows) => rows[0]?.name === "salamander.md" && rows.every((row) => row.name !== "axolotl.md"),
  );
  await happened(window, "pets/salamander.md", ["renamed"]);
});

scenario("a deleted note is not found any more", async ({ window, scratch }) => {
  await window.show("Search");
  await rm(join(scratch.notes, "pets/salamander.md"));
  await window.rowsUntil(
    "the note is gone",
    (rows) => rows.length > 0 && rows.every((row) => row.name !== "salamander.md"),
  );
  await happened(window, "pets/salamander.md", ["deleted", "renamed"]);
});

scenario(
  "a folder that is removed is reported, its notes can still be found, and it comes back",
  async ({ window, scratch }) => {
    const away = join(scratch.root, "away");
    await rename(scratch.notes, away);
    await window.until("the window says that a folder is missing", () =>
      document.querySelector("[aria-label='Library']").innerText.includes("1 folder missing"),
    );
    await window.ask(QUESTION);
    await window.rowsUntil("its notes are still found", (rows) => rows[0]?.name === "home-server.md");
    await window.show("Settings");
    const [said] = await window.texts("li.folder");
    assert.match(said, /missing/);
    assert.ok(said.includes(scratch.notes), said);

    await rename(away, scratch.notes);
    await window.until("the window watches it again", () =>
      document.querySelector("[aria-label='Library']").innerText.includes("watching 1 folder"),
    );
    await window.ask(AXOLOTL);
    await scratch.write(
      "pets/newt.md",
      "# Newt\n\nIn the winter nobody feeds the axolotl: it became a newt.\n",
    );
    await window.rowsUntil("new notes are seen again", (rows) => rows[0]?.name === "newt.md");
  },
);
