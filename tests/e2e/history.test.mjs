/** What a note said before: beside it, after it was changed on the disk, and switched off in Settings. */
import assert from "node:assert/strict";

import { inOneWindow } from "./driver/scenario.mjs";
import { KEY } from "./driver/webdriver.mjs";

const scenario = inOneWindow({
  prepare: (scratch) =>
    scratch.write("garden/pump.md", "# Pump\n\nThe pump of the koi pond runs at night.\n"),
});

async function open(window) {
  await window.show("Memory");
  await window.click("input[type='search']");
  await window.press("a", [KEY.control]);
  await window.press(`pump.md${KEY.enter}${KEY.enter}`);
  await window.until("the history is there", () =>
    document.querySelector("#side-history-body p, #side-history-body ul"),
  );
}

scenario("a change of a note is listed beside it, and opens to its lines", async ({ window, scratch }) => {
  await open(window);
  await window.until("no change is known", () =>
    document.querySelector("#side-history-body").textContent.includes("No change of this note is known"),
  );
  await scratch.write("garden/pump.md", "# Pump\n\nThe pump of the koi pond runs at noon.\n");
  await window.until("the change is listed", () =>
    document.querySelector("#side-history-body button.change"),
  );
  await window.click("#side-history-body button.change");
  const lines = await window.run(() =>
    Array.from(
      document.querySelectorAll("#side-history-body .line.old, #side-history-body .line.new"),
      (line) => line.textContent.trim(),
    ),
  );
  assert.deepEqual(lines, [
    "-The pump of the koi pond runs at night.",
    "+The pump of the koi pond runs at noon.",
  ]);
});

scenario("switched off in Settings, what was saved is gone", async ({ window }) => {
  await window.show("Settings");
  const box = "section[aria-labelledby='settings-data'] input[type='checkbox']";
  await window.until("the switch is there", (box) => document.querySelector(box)?.checked === true, box);
  await window.click(box);
  await window.click("[role='alertdialog'] button", "Delete");
  await window.until("it is off", (box) => document.querySelector(box)?.checked === false, box);
  const said = await window.run((box) => document.querySelector(box).closest("label").textContent, box);
  assert.match(said, /0 B of at most 67 MB/);
  await open(window);
  await window.until("the note has no change any more", () =>
    document.querySelector("#side-history-body").textContent.includes("switched off in Settings"),
  );
});
