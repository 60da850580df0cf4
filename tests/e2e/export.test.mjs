/** The tuned values leave as a memlens.json that the command line ranks by, and come back to the sliders. */
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { inOneWindow, QUESTION } from "./driver/scenario.mjs";
import { KEY } from "./driver/webdriver.mjs";

const scenario = inOneWindow();

/** Sets values as the user does who knows them; returns the fields' texts. */
async function tune(window) {
  await window.show("Search");
  await window.ask(QUESTION);
  await window.drag("vector_weight", 0.3);
  await window.drag("max_results", 0.12);
  await window.drag("fusion_k", 0.2);
  return fields(window);
}

async function fields(window) {
  return Object.fromEntries(
    await Promise.all(
      ["vector_weight", "max_results", "fusion_k", "fusion"].map(async (id) => [
        id,
        (await window.parameter(id)).value,
      ]),
    ),
  );
}

/** The text of memlens.json as the Export view shows it. */
async function shownText(window) {
  await window.show("Export");
  await window.until(
    "the text is shown",
    () => document.querySelector("[aria-label='Text of memlens.json'] .line") !== null,
  );
  return window.run(() =>
    Array.from(
      document.querySelectorAll("[aria-label='Text of memlens.json'] .line"),
      (line) => line.textContent,
    ).join("\n"),
  );
}

scenario("the Export view shows the file and what differs from the defaults", async ({ window }) => {
  const set = await tune(window);
  const { parameters, resolved } = JSON.parse(await shownText(window));
  const expected = {
    ...set,
    vector_weight: Number(set.vector_weight),
    max_results: Number(set.max_results),
    fusion_k: Number(set.fusion_k),
  };
  // A file always says whether thumbs rank: one without it was saved while they did by default.
  assert.deepEqual(parameters, { ...expected, feedback_on: false });
  for (const [id, value] of Object.entries(expected)) assert.equal(resolved[id], value, id);
  const rows = await window.texts("[aria-label='Values that differ from the defaults'] tbody th .mono");
  assert.deepEqual(rows.toSorted(), Object.keys(expected).toSorted());
});

scenario(
  "a file that was written ranks the command line as it ranks the window",
  async ({ window, scratch }) => {
    await tune(window);
    const rows = await window.rowsUntil("the sliders rank", (rows) =>
      rows.some((row) => /[▲▽]/.test(row.moved)),
    );
    const { resolved } = JSON.parse(await shownText(window));
    const file = join(scratch.root, "memlens.json");
    await scratch.answerDialogs(file);
    await window.click("main button", "Save…");
    await window.until("it was written and read again", () =>
      /Read back to check: all \d+ values match/.test(document.querySelector("main").innerText),
    );
    const { params, results } = await scratch.search(QUESTION, "--preset", file);
    assert.deepEqual(params, resolved);
    assert.deepEqual(
      results.map(({ path, start_line, end_line }) => `${path.split("/").at(-1)}:${start_line}–${end_line}`),
      rows.filter((row) => row.rank !== null).map((row) => row.name + row.lines),
    );
    const read = await window.invoke("preset_open");
    assert.deepEqual(read.params, resolved);
  },
);

scenario("the text can be copied", async ({ window }) => {
  await tune(window);
  const text = await shownText(window);
  await window.click("main button", "Copy");
  await window.until(
    "the window says so",
    (lines) => document.querySelector("[role='status']").innerText.includes(`${lines} lines copied`),
    text.trimEnd().split("\n").length,
  );
  await window.press("k", [KEY.control]);
  await window.press("v", [KEY.control]);
  await window.until("it can be pasted", () =>
    document.getElementById("query").value.includes('"schemaVersion": 1'),
  );
});

scenario("a saved preset brings the sliders back", async ({ window }) => {
  const set = await tune(window);
  await window.click("button[aria-label^='Preset:']");
  await window.click("[role='menuitem']", "Save as…");
  await window.until("the name has the focus", () => document.activeElement?.id === "preset-name");
  await window.press(`for the agent${KEY.enter}`);
  await window.until("the dialog is closed", () => document.querySelector("[role='dialog']") === null);
  await window.click(".rail-foot button", "Reset all");
  assert.equal((await fields(window)).fusion, "calibrated");
  await window.click("button[aria-label^='Preset:']");
  await window.click("[role='menuitem'] span", "for the agent");
  await window.until(
    "the sliders are back",
    (k) => document.getElementById("field-fusion_k").value === k,
    set.fusion_k,
  );
  assert.deepEqual(await fields(window), set);
});

scenario(
  "a file with a value that cannot be is refused, with key, value and range",
  async ({ window, scratch }) => {
    const file = join(scratch.root, "broken.json");
    const text = JSON.parse(await shownText(window));
    await writeFile(
      file,
      JSON.stringify({
        ...text,
        parameters: { max_results: 5000 },
        resolved: { ...text.resolved, max_results: 5000 },
      }),
    );
    await scratch.answerDialogs(file);
    await assert.rejects(window.invoke("preset_open"), /max_results.*5000.*1.*100/);
    // What could not be read was not touched.
    assert.match(await readFile(file, "utf8"), /5000/);
  },
);
