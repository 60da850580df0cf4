/** Settings by evidence: a query set is imported, its metrics move with a slider, a curve sets one, and it is undone. */
import assert from "node:assert/strict";
import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { inOneWindow } from "./driver/scenario.mjs";
import { KEY } from "./driver/webdriver.mjs";

const scenario = inOneWindow();

const QUERIES = fileURLToPath(new URL("../fixtures/agent-memory-57/queries.jsonl", import.meta.url));

/** What the card says of nDCG@10: now, pinned, change. */
const ndcg = (window) =>
  window.run(() => {
    const rows = Array.from(document.querySelectorAll("section[aria-labelledby=metrics] tbody tr"));
    const row = rows.find((one) => one.cells[0].textContent.startsWith("nDCG@10"));
    return row === undefined ? null : Array.from(row.cells, (cell) => cell.textContent.trim()).slice(1);
  });

scenario("a set is imported, measured, and moved by a slider and by a curve", async ({ window, scratch }) => {
  // Hidden, so that it is no note; its paths are relative to the notes.
  const queries = join(scratch.notes, ".queries.jsonl");
  await copyFile(QUERIES, queries);
  await scratch.answerDialogs(queries);
  await window.show("Tune");
  await window.click("main button", "Import a file…");
  await window.until(
    "the set is measured",
    () => document.querySelector("section[aria-labelledby=metrics]") !== null,
  );
  const [now, pinned] = await ndcg(window);
  assert.equal(now, pinned);
  assert.ok(Number(now) > 0.5, now);

  await window.drag("vector_weight", 0);
  await window.until(
    "the metrics moved with the slider",
    (before) => {
      const rows = Array.from(document.querySelectorAll("section[aria-labelledby=metrics] tbody tr"));
      const row = rows.find((one) => one.cells[0].textContent.startsWith("nDCG@10"));
      return row.cells[1].textContent.trim() !== before;
    },
    now,
  );
  const [less, same, change] = await ndcg(window);
  assert.equal(same, pinned);
  assert.ok(Number(less) < Number(now), less);
  assert.match(change, /^▽ 0\.\d{3}$/);

  await window.until(
    "the curves are drawn",
    () => document.querySelector("svg[aria-label$='along Vector weight']") !== null,
  );
  await window.run(() => document.querySelector("svg[aria-label$='along Vector weight']").focus());
  await window.press(KEY.end);
  await window.press(KEY.enter);
  await window.until(
    "the slider went to its end",
    () => document.querySelector("[data-parameter=vector_weight] input[type=range]").value === "1",
  );
  await window.press("z", [KEY.control]);
  await window.until(
    "and came back",
    () => document.querySelector("[data-parameter=vector_weight] input[type=range]").value === "0",
  );
});
