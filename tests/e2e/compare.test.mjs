/** Two rankings beside each other: what another program finds, and what ours does. */
import assert from "node:assert/strict";

import { inOneWindow, QUESTION } from "./driver/scenario.mjs";

const scenario = inOneWindow();

/** The paths of a side's kept rows. */
const kept = (window, side) =>
  window.texts(`.both ol[aria-label^="${side}:"] > li.row:not(.dropped) .line b`);

async function chosen(window, side, label) {
  await window.click(`.heads button[aria-label^="${side}:"]`);
  await window.until(
    "the menu is open",
    (label) => Array.from(document.querySelectorAll("[role=menuitemradio]")).some((item) => item.textContent.includes(label)),
    label,
  );
  await window.run((label) => {
    const items = Array.from(document.querySelectorAll("[role=menuitemradio]"));
    items.find((item) => item.textContent.includes(label)).click();
  }, label);
  await window.until(
    `${side} is ${label}`,
    (side, label) => document.querySelector(`.both ol[aria-label^="${side}: ${label}"]`) !== null,
    side,
    label,
  );
}

scenario("the program whose faults began this finds nothing where ours does", async ({ window }) => {
  await window.show("Search");
  await window.ask(QUESTION);
  await window.show("Compare");
  await chosen(window, "A", "OpenClaw 2026.2");
  await window.until(
    "both sides are there",
    () => document.querySelectorAll(".both ol").length === 2 && document.querySelector(".both .told") === null,
  );
  await window.until(
    "the side of OpenClaw keeps nothing",
    () => document.querySelectorAll('.both ol[aria-label^="A: OpenClaw 2026.2"] > li.row:not(.dropped)').length === 0,
  );
  const ours = await kept(window, "B");
  assert.ok(ours.includes("reference/home-server.md"), ours.join());
  const reasons = await window.texts('.both ol[aria-label^="A:"] li.dropped .what > .cap');
  assert.ok(reasons[0].endsWith("is below minScore 0.35"), reasons[0]);

  await chosen(window, "A", "OpenClaw 2026.9");
  await window.until(
    "the side of OpenClaw keeps rows",
    () => document.querySelectorAll('.both ol[aria-label^="A: OpenClaw 2026.9"] > li.row:not(.dropped)').length > 0,
  );
  const theirs = await kept(window, "A");
  assert.equal(theirs[0], "reference/home-server.md");
  const [both] = await window.texts("[aria-label='What changed'] dd");
  assert.ok(Number(both) > 0, both);
});
