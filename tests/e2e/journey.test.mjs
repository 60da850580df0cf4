/** The journey of a row holds the very numbers that the command line gives, while the window is open. */
import assert from "node:assert/strict";

import { inOneWindow, QUESTION } from "./driver/scenario.mjs";

const scenario = inOneWindow();

/** 32-bit scores are printed with more digits on one way than on the other. */
const TOLERANCE = 1e-6;

/** The panel of the opened row, its numbers as they are under the pointer: unrounded. */
async function panel(window) {
  return window.run(() => {
    const panel = document.querySelector("[aria-label='Journey of the opened row']");
    const number = (text) => Number(text.replace("−", "-"));
    return {
      name: panel.querySelector("h2").textContent.trim(),
      rank: panel.querySelector(".jh").innerText.match(/Rank (\d+)/)?.[1] ?? null,
      formula: Array.from(panel.querySelectorAll(".fx dt"), (label) => {
        const expression = label.nextElementSibling;
        return {
          label: label.innerText,
          expression: expression.innerText,
          value: number(expression.nextElementSibling.dataset.exact),
        };
      }),
      bars: Array.from(panel.querySelectorAll(".wf g"), (bar) => {
        const [label, value] = bar.querySelector("title").textContent.split(": ");
        return { label, value: number(value) };
      }),
      steps: Array.from(panel.querySelectorAll(".j-steps ol > li"), (step) => ({
        label: step.querySelector(".label").innerText.trim(),
        sentence: step.querySelector(".sentence").innerText.trim(),
      })),
    };
  });
}

async function open(window, row) {
  await window.click(`[data-chunk='${row.chunk}'] .path`);
  await window.until(
    "the row is opened",
    (name) =>
      document.querySelector("[aria-label='Journey of the opened row'] h2")?.textContent.trim() === name,
    row.name + row.lines,
  );
}

function stepOf(result, stage) {
  return result.journey.find((step) => step.stage === stage);
}

function assertNear(actual, expected, what) {
  assert.ok(Math.abs(actual - expected) <= TOLERANCE, `${what}: ${actual}, not ${expected}`);
}

scenario("a kept row's formula and waterfall are those of the command line", async ({ window, scratch }) => {
  await window.ask(QUESTION);
  const rows = await window.rowsUntil(
    "the question is answered",
    (rows) => rows[0]?.name === "home-server.md",
  );
  const { results } = await scratch.search(QUESTION);
  for (const at of [0, 1, 4]) {
    await open(window, rows[at]);
    const shown = await panel(window);
    const result = results[at];
    assert.equal(shown.name, `${result.path.split("/").at(-1)}:${result.start_line}–${result.end_line}`);
    assert.equal(Number(shown.rank), result.rank);

    const [vector, bm25, fusion] = ["vector", "bm25", "fusion"].map((stage) => stepOf(result, stage));
    const { detail } = fusion;
    const values = [vector.score_after, bm25.score_after, detail.text, fusion.score_after, detail.rrf];
    assert.equal(shown.formula.length, values.length);
    for (const [line, { label, value }] of shown.formula.entries())
      assertNear(value, values[line], `formula ${label}`);

    const bars = [detail.vector_weight * detail.vector, detail.text_weight * detail.text, result.score];
    assert.deepEqual(
      shown.bars.map((bar) => bar.label),
      ["Vector", "BM25", "Fused"],
    );
    for (const [bar, { label, value }] of shown.bars.entries()) assertNear(value, bars[bar], `bar ${label}`);

    assert.deepEqual(
      shown.steps.map((step) => step.sentence),
      result.journey.map((step) => step.sentence),
    );
  }
});

scenario("a dropped row shows the stage and the number that lost it", async ({ window, scratch }) => {
  await window.ask(QUESTION);
  const rows = await window.rowsUntil(
    "the question is answered",
    (rows) => rows[0]?.name === "home-server.md",
  );
  const row = rows.find(({ rank, text }) => rank === null && text.startsWith("below min score"));
  await open(window, row);
  const { dropped } = await scratch.search(QUESTION);
  const result = dropped.find(
    ({ path, start_line }) => row.name === path.split("/").at(-1) && row.lines.startsWith(`:${start_line}–`),
  );
  const shown = await panel(window);
  assert.equal(shown.rank, null);
  // The window also names the stages behind the one that dropped the row.
  assert.deepEqual(
    shown.steps.map((step) => step.sentence).filter((sentence) => sentence !== "not reached"),
    result.journey.map((step) => step.sentence),
  );
  assert.equal(stepOf(result, "threshold").dropped, true);
});

scenario("the journey follows the sliders", async ({ window, scratch }) => {
  await window.ask(QUESTION);
  const [first] = await window.rowsUntil(
    "the question is answered",
    (rows) => rows[0]?.name === "home-server.md",
  );
  await open(window, first);
  await window.drag("vector_weight", 0.9);
  const { value } = await window.parameter("vector_weight");
  const { results } = await scratch.search(QUESTION, "--set", `vector_weight=${value}`);
  const result = results.find(
    ({ path, start_line }) => path.endsWith(first.name) && first.lines.startsWith(`:${start_line}–`),
  );
  await window.until(
    "the journey's last total is the row's new score",
    (score, tolerance) => {
      const totals = document.querySelectorAll(".wf g title");
      return Math.abs(Number(totals[totals.length - 1].textContent.split(": ")[1]) - score) <= tolerance;
    },
    result.score,
    TOLERANCE,
  );
});
