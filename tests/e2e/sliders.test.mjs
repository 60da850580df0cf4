/** Parameters under the finger: the window ranks as the command line does for the same values. */
import assert from "node:assert/strict";

import { inOneWindow, QUESTION } from "./driver/scenario.mjs";
import { KEY } from "./driver/webdriver.mjs";

const scenario = inOneWindow();

/** Begins with the defaults and the question's answer. */
async function begin(window) {
  await window.show("Search");
  if ((await window.texts(".rail-foot button")).includes("Reset all"))
    await window.click(".rail-foot button", "Reset all");
  await window.ask(QUESTION);
  await window.rowsUntil("the defaults rank", (rows) => rows[0]?.name === "home-server.md");
}

/** What the command line keeps with these values: a name and lines per row. */
async function keptBy(scratch, values = {}) {
  const set = Object.entries(values).flatMap(([id, value]) => ["--set", `${id}=${value}`]);
  const { results } = await scratch.search(QUESTION, ...set);
  return results.map(
    ({ path, start_line, end_line }) => `${path.split("/").at(-1)}:${start_line}–${end_line}`,
  );
}

function kept(rows) {
  return rows.filter((row) => row.rank !== null).map((row) => row.name + row.lines);
}

/** What the Moved column must say: the place in `now` against that in `pinned`. */
function moves(now, pinned) {
  return now.map((name, at) => {
    const was = pinned.indexOf(name);
    if (was < 0) return "▲new";
    if (was === at) return "";
    return at < was ? `▲${was - at}` : `▽${at - was}`;
  });
}

async function assertRanksLike(window, expected) {
  const rows = await window.rowsUntil(
    `the rows are ${expected.join(", ")}`,
    (rows) => String(kept(rows)) === String(expected),
  );
  return rows.filter((row) => row.rank !== null);
}

scenario("max results moves the cut while it is dragged", async ({ window, scratch }) => {
  await begin(window);
  const pinned = await keptBy(scratch);
  await window.grab("max_results");
  await window.dragTo("max_results", 0.45);
  // The pointer is still down: the rows follow the finger.
  const more = await window.rowsUntil("more rows are kept", (rows) => kept(rows).length > pinned.length);
  assert.deepEqual(kept(more).slice(0, pinned.length), pinned);
  assert.ok(
    more
      .filter((row) => row.rank !== null)
      .slice(pinned.length)
      .every((row) => row.moved === "▲new"),
  );
  await window.dragTo("max_results", 0.05);
  await window.rowsUntil("fewer rows are kept", (rows) => kept(rows).length < pinned.length);
  await window.releasePointer();
  const { value } = await window.parameter("max_results");
  await assertRanksLike(window, pinned.slice(0, Number(value)));
  const [dropped] = (await window.rows()).filter((row) => row.rank === null);
  assert.equal(dropped.moved, `was ${Number(value) + 1}`);
  assert.match(dropped.text, new RegExp(`^rank ${Number(value) + 1} > max results ${value}$`));
});

scenario(
  "the weights of the lists change the order, and arrows show the moves against the pin",
  async ({ window, scratch }) => {
    await begin(window);
    const pinned = await keptBy(scratch);
    await window.drag("text_weight", 1);
    await window.drag("vector_weight", 0.1);
    const [vector, text] = await Promise.all(
      ["vector_weight", "text_weight"].map((id) => window.parameter(id)),
    );
    assert.equal(text.value, "1.00");
    assert.ok(Number(vector.value) < 0.2, vector.value);
    const expected = await keptBy(scratch, { vector_weight: vector.value, text_weight: text.value });
    assert.notDeepEqual(expected, pinned);
    const rows = await assertRanksLike(window, expected);
    assert.deepEqual(
      rows.map((row) => row.moved),
      moves(expected, pinned),
    );
    // A drag is one step, whatever it passed.
    await window.click(".rail-head button", "Undo");
    await window.click(".rail-head button", "Undo");
    assert.deepEqual(
      (await assertRanksLike(window, pinned)).map((row) => row.moved),
      pinned.map(() => ""),
    );
    assert.equal((await window.parameter("vector_weight")).value, "0.60");
  },
);

scenario(
  "dragging k switches the method to rrf, says so, and undo brings both back",
  async ({ window, scratch }) => {
    await begin(window);
    const pinned = await keptBy(scratch);
    assert.equal((await window.parameter("fusion")).value, "calibrated");
    await window.drag("fusion_k", 0.05);
    const { value, remark } = await window.parameter("fusion_k");
    assert.match(remark, /^Method switched from calibrated to rrf, which uses this\./);
    assert.equal((await window.parameter("fusion")).value, "rrf");
    await assertRanksLike(window, await keptBy(scratch, { fusion: "rrf", fusion_k: value }));
    await window.click(".rail-help button", "Undo");
    await assertRanksLike(window, pinned);
    assert.equal((await window.parameter("fusion")).value, "calibrated");
    assert.equal((await window.parameter("fusion_k")).value, "60");
  },
);

scenario("min score by the keyboard drops rows, and says what dropped them", async ({ window, scratch }) => {
  await begin(window);
  // From the field that the label leads to, the slider is one Tab back.
  await window.click("label[for='field-min_score']");
  await window.press(KEY.tab, [KEY.shift]);
  await window.press(KEY.pageUp + KEY.right.repeat(3));
  await window.until("the slider moved", () => document.getElementById("field-min_score").value === "0.23");
  const expected = await keptBy(scratch, { min_score: 0.23 });
  await assertRanksLike(window, expected);
  const dropped = (await window.rows()).find((row) => row.rank === null);
  assert.match(dropped.text, /^below min score: \d\.\d{3,} < 0\.23$/);
  await window.press(KEY.end);
  await window.until("the empty answer says what to do", () => {
    const card = document.querySelector(".card-none")?.innerText ?? "";
    return /Nothing passed/.test(card) && /Threshold dropped the last \d+ rows/.test(card);
  });
  await window.until(
    "the engine lists what helps",
    () => document.querySelector(".card-none button") !== null,
  );
  await window.click(".card-none tbody tr:first-child button");
  await window.rowsUntil("the best row is back", (rows) => kept(rows).length >= 1);
  await window.click("label[for='field-min_score']");
  await window.press(KEY.tab, [KEY.shift]);
  await window.press(KEY.backspace);
  await assertRanksLike(window, await keptBy(scratch));
});

scenario("a number out of range is refused with the range", async ({ window, scratch }) => {
  await begin(window);
  await window.click("#field-max_results");
  await window.press(`5000${KEY.enter}`);
  const refused = await window.parameter("max_results");
  assert.equal(refused.remark, "Max results takes whole numbers from 1 to 100.");
  await assertRanksLike(window, await keptBy(scratch));
  await window.press(KEY.escape);
  assert.deepEqual(await window.parameter("max_results"), { value: "10", remark: "" });
});

scenario("both weights at 0 are refused", async ({ window, scratch }) => {
  await begin(window);
  await window.click("#field-text_weight");
  await window.press(`0${KEY.enter}`);
  const expected = await keptBy(scratch, { text_weight: 0 });
  await assertRanksLike(window, expected);
  await window.drag("vector_weight", 0);
  const { value, remark } = await window.parameter("vector_weight");
  assert.match(remark, /cannot both be 0/);
  assert.notEqual(Number(value), 0);
  await assertRanksLike(window, expected);
});

scenario("a stage that is switched off says so and does nothing", async ({ window, scratch }) => {
  await begin(window);
  await window.click("[role='switch']", "Limit stage");
  await assertRanksLike(window, await keptBy(scratch, { limit_on: false }));
  const [cell] = await window.texts(".stg[data-stage='limit']");
  assert.match(cell, /Limit\s+off/);
});
