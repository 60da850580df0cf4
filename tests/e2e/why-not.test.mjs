/** "Why not…?" in the real window: what lost a note, the change that brings it back, and notes that are not indexed. */
import assert from "node:assert/strict";

import { until } from "./driver/deadline.mjs";
import { inOneWindow, QUESTION } from "./driver/scenario.mjs";
import { KEY } from "./driver/webdriver.mjs";

const scenario = inOneWindow({
  prepare: async (scratch) => {
    await scratch.write(".gitignore", "drafts/\n");
    await scratch.write("drafts/plan.md", "# Plan\n\nWhat to try when the internet is down at home.\n");
  },
});

/** What the panel says; null while it is closed. */
async function panel(window) {
  return window.run(() => {
    const panel = document.getElementById("why-not");
    if (panel === null) return null;
    return {
      said: panel.querySelector("[role='status']").innerText.trim(),
      isAsking: panel.querySelector("[aria-busy='true'], .old") !== null,
      place: document.getElementById("why-not-place").value,
      chunks: Array.from(panel.querySelectorAll("[role='radiogroup'] label"), (label) =>
        label.innerText.trim(),
      ),
      changes: Array.from(panel.querySelectorAll("tbody tr"), (row) => ({
        name: row.cells[0].innerText.trim(),
        values: row.cells[1].innerText.trim(),
        button: row.cells[3].innerText.trim(),
      })),
    };
  });
}

/** Resolves with the panel once it has reported what `holds` wants. */
async function panelOnce(window, what, holds) {
  return until(what, async () => {
    const now = await panel(window);
    return now !== null && !now.isAsking && holds(now) && now;
  });
}

async function askFor(window, name) {
  await window.press(KEY.escape);
  await window.until("the table is there", () => {
    const grid = document.querySelector("[role='grid']");
    grid?.focus();
    return grid !== null;
  });
  await window.press("w");
  await window.until("the picker has the focus", () => document.activeElement?.id === "why-not-place");
  await window.press(KEY.backspace + name + KEY.enter);
}

scenario(
  "W on a dropped row: applied by the keyboard, its row is kept; undone, it is lost",
  async ({ window }) => {
    await window.ask(QUESTION);
    const rows = await window.rowsUntil("rows were dropped", (rows) => rows.some((row) => row.rank === null));
    const nKept = rows.filter((row) => row.rank !== null).length;
    const dropped = rows[nKept];
    await window.press(KEY.escape + KEY.down.repeat(nKept));
    await window.until(
      "the first dropped row is open",
      (chunk) => document.querySelector("[role='row'][aria-selected='true']")?.dataset.chunk === chunk,
      dropped.chunk,
    );
    await window.press("w");
    const lost = await panelOnce(window, "it says what lost the row", ({ said }) =>
      said.startsWith("Lost at"),
    );
    assert.ok(lost.place.includes(dropped.name), lost.place);
    assert.ok(lost.changes.length >= 1 && lost.changes.length <= 3, JSON.stringify(lost.changes));
    await window.until("a change can be applied", () => {
      const apply = document.querySelector("#why-not tbody button");
      apply?.focus();
      return document.activeElement === apply && !apply.disabled;
    });
    await window.press(KEY.enter);
    await panelOnce(window, "the row is kept", ({ said }) => said.startsWith("Found at rank"));
    const after = await window.rows();
    assert.ok(after.some((row) => row.chunk === dropped.chunk && row.rank !== null));
    await window.press("z", [KEY.control]);
    await panelOnce(window, "the row is lost again", ({ said }) => said === lost.said);
    await window.press(KEY.escape);
  },
);

scenario("the stage and the number are those of the command line", async ({ window, scratch }) => {
  await window.ask(QUESTION);
  await askFor(window, "health-and-food.md");
  const { said } = await panelOnce(window, "it says what lost the note", ({ said }) =>
    /^(Lost|Found)/.test(said),
  );
  const answer = JSON.parse(
    await scratch.memlens("why", "--json", "--", QUESTION, "people/health-and-food.md"),
  );
  const [best] = answer.why.chunks;
  assert.equal(said.toLowerCase(), `${best.sentence}.`.toLowerCase());
});

scenario("a note that is not indexed: by which rule, or that nothing is there", async ({ window }) => {
  await window.ask(QUESTION);
  await askFor(window, "drafts/plan.md");
  const { said } = await panelOnce(window, "it names the rule", ({ said }) => said.startsWith("Left out."));
  assert.match(said, /drafts/);
  await askFor(window, "no/such/note.md");
  await panelOnce(window, "it is not there", ({ said }) => said.startsWith("Not found."));
  await askFor(window, "/etc/hostname");
  await panelOnce(window, "it is not watched", ({ said }) => said.startsWith("Not watched."));
  await window.press(KEY.escape);
  await until("the panel is closed", async () => (await panel(window)) === null);
});
