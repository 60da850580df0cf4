/** Thumbs by keys: the row's weight and score at once, undo, the list of all; the command line ranks by the same. */
import assert from "node:assert/strict";

import { inOneWindow, QUESTION } from "./driver/scenario.mjs";

const scenario = inOneWindow();

const thumbs = (window) =>
  window.run(() =>
    Array.from(document.querySelectorAll("[role='row'] [role='img'][aria-label^='thumb ']"), (image) => [
      image.closest("[role='row']").textContent,
      image.getAttribute("aria-label"),
    ]),
  );

/** What the journey says of the opened row's thumb. */
const pressed = (window) =>
  window.run(() =>
    Array.from(
      document.querySelectorAll("[role='group'][aria-label='Your rating for this question'] button"),
      (button) => button.getAttribute("aria-pressed") === "true",
    ),
  );

scenario(
  "a key gives the opened row a thumb, the other turns it, the same takes it back",
  async ({ window, scratch }) => {
    await window.show("Search");
    await window.ask(QUESTION);
    await window.rowsUntil("it is answered", (rows) => rows[0]?.name === "home-server.md");
    // A thumb is a judgment; it ranks only while the stage is on.
    await window.switchOn("Feedback");
    const [first] = await window.rowsUntil("it is answered", (rows) => rows[0]?.name === "home-server.md");
    const own = (rows) => rows.find(({ chunk }) => chunk === first.chunk);
    await window.click(`[role='row'][data-chunk='${first.chunk}'] .path`);
    await window.until("a row is opened", () =>
      document.querySelector("[aria-label='Your rating for this question']"),
    );

    await window.press("+");
    await window.rowsUntil("it counts more", (rows) => Number(own(rows)?.final) > Number(first.final));
    assert.deepEqual(await pressed(window), [true, false]);
    assert.deepEqual(
      (await thumbs(window)).map(([, label]) => label),
      ["thumb up"],
    );
    const { results } = await scratch.search(QUESTION, "--set", "feedback_on=true");
    const row = own(await window.rows());
    assert.ok(Math.abs(Number(row.final) - results[0].score) < 0.006, `${row.final} ${results[0].score}`);
    // A single thumb: 1 + 0.5 · 1 / 3.
    assert.match(row.feedback, /^×1\.17$/);

    await window.press("-");
    await window.rowsUntil("it counts less", (rows) => Number(own(rows)?.final) < Number(first.final));
    assert.deepEqual(await pressed(window), [false, true]);
    await window.press("-");
    await window.rowsUntil("it counts as before", (rows) => own(rows)?.final === first.final);
    assert.deepEqual(await thumbs(window), []);
  },
);

scenario("all thumbs are listed in the Memory view, and taken back there", async ({ window }) => {
  await window.show("Search");
  await window.press("+");
  await window.until("it has a thumb", () => document.querySelector("[role='row'] [aria-label='thumb up']"));
  await window.show("Memory");
  await window.click("button", "Your ratings…");
  const listed = await window.until(
    "it is listed",
    () => document.querySelector("[role='dialog'] li .asked")?.textContent,
  );
  assert.equal(listed, QUESTION);
  await window.click("[role='dialog'] button", "Remove");
  await window.until("none is left", () => document.querySelector("[role='dialog'] li") === null);
  assert.deepEqual(await window.invoke("feedback"), []);
  await window.click("[role='dialog'] button", "Close");
  await window.show("Search");
  assert.deepEqual(await thumbs(window), []);
});
