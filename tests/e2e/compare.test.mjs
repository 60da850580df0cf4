/** Two rankings beside each other: what another program finds, and what ours does, of one question and of 57. */
import assert from "node:assert/strict";
import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { inOneWindow, QUESTION } from "./driver/scenario.mjs";

const scenario = inOneWindow();

const QUERIES = fileURLToPath(new URL("../fixtures/agent-memory-57/queries.jsonl", import.meta.url));

/** The paths of a side's kept rows. */
const kept = (window, side) =>
  window.run(
    (rows) => Array.from(document.querySelectorAll(rows), (place) => place.title),
    `.both ol[aria-label^="${side}:"] > li.row:not(.dropped) .line .place[title]`,
  );

async function chosen(window, side, label) {
  await window.click(`.heads button[aria-label^="${side}:"]`);
  await window.until(
    "the menu is open",
    (label) =>
      Array.from(document.querySelectorAll("[role=menuitemradio]")).some((item) =>
        item.textContent.includes(label),
      ),
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
    () =>
      document.querySelectorAll(".both ol").length === 2 && document.querySelector(".both .status") === null,
  );
  await window.until(
    "the side of OpenClaw keeps nothing",
    () =>
      document.querySelectorAll('.both ol[aria-label^="A: OpenClaw 2026.2"] > li.row:not(.dropped)')
        .length === 0,
  );
  const ours = await kept(window, "B");
  assert.ok(ours.includes("reference/home-server.md"), ours.join());
  const reasons = await window.texts('.both ol[aria-label^="A:"] li.dropped .what > .cap');
  assert.ok(reasons[0].endsWith("is below minScore 0.35"), reasons[0]);

  await chosen(window, "A", "OpenClaw 2026.9");
  await window.until(
    "the side of OpenClaw keeps rows",
    () =>
      document.querySelectorAll('.both ol[aria-label^="A: OpenClaw 2026.9"] > li.row:not(.dropped)').length >
      0,
  );
  const theirs = await kept(window, "A");
  assert.equal(theirs[0], "reference/home-server.md");
  const [both] = await window.texts("[aria-label='What changed'] dd");
  assert.ok(Number(both) > 0, both);
});

scenario(
  "over a query set it shows which ranking finds more, and a query opens its comparison",
  async ({ window, scratch }) => {
    // Hidden, so that it is no note; its paths are relative to the notes.
    const queries = join(scratch.notes, ".queries.jsonl");
    await copyFile(QUERIES, queries);
    await scratch.answerDialogs(queries);
    await chosen(window, "A", "OpenClaw 2026.2");
    await window.click("[aria-label='Over a query set'] button[aria-label^='Query set']");
    await window.click("[role=menuitem]", "Import a file…");
    await window.click("[aria-label='Over a query set'] button", "Compare 57 queries");
    await window.until("57 queries are compared", () =>
      document.querySelector("[aria-label='Over a query set'] h2")?.innerText.includes("Over 57 queries"),
    );
    const [all] = (await window.texts("[aria-label='Over a query set'] tr.all")).map((text) =>
      text.replaceAll(/\s+/g, " "),
    );
    const [, before, after, wins, losses] =
      /All 57 (0\.\d+) (0\.\d+) \+0\.\d+ (\d+) \/ \d+ \/ (\d+)/.exec(all) ?? [];
    assert.ok(Number(before) < 0.4 && Number(after) > 0.8, all);
    assert.ok(Number(wins) > 30 && Number(losses) < 3, all);
    const hits = (await window.texts("[aria-label='Over a query set'] dd"))[0];
    assert.match(hits, /^0\.26 → 0\.98$/);
    const [first] = await window.texts(
      "[aria-label='Queries that differ most'] li button > span:nth-child(2)",
    );
    await window.click("[aria-label='Queries that differ most'] li:first-child button");
    await window.until(
      "its comparison is shown",
      (query) => document.querySelector("input[type=search]").value === query,
      first,
    );
  },
);
