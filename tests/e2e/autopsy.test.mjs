/** "Why did my agent forget…?": from Search, one fact that was ranked out, one that stands nowhere, one that was given. */
import assert from "node:assert/strict";
import { utimes } from "node:fs/promises";
import { join } from "node:path";

import { hoursAgo, logOf, transcript } from "./driver/recall.mjs";
import { inOneWindow, openSample } from "./driver/scenario.mjs";
import { KEY } from "./driver/webdriver.mjs";

const RANKED_OUT = "The lighthouse lamp turns every eleven seconds";
const GIVEN = "The greenhouse heater trips its fuse below zero";
const NOWHERE = "the submarine docks at unobtainium harbour";

const scenario = inOneWindow({
  prepare: async (scratch) => {
    await scratch.writeHome(
      ".openclaw/openclaw.json",
      JSON.stringify({
        meta: { lastTouchedVersion: "2026.9.6" },
        agents: { defaults: { workspace: scratch.notes } },
      }),
    );
    await scratch.write("memory/lighthouse.md", `# Lamp\n\n${RANKED_OUT}.\n`);
    // Notes that answer the agent's question better, so that its six results have no room for the lamp.
    for (let n = 1; n <= 12; n++) {
      await scratch.write(
        `memory/harbour-${n}.md`,
        `# Harbour timetable ${n}\n\nWhat time the harbour ferry leaves: harbour timetable for the ferry, pier ${n}, and the lighthouse.\n`,
      );
    }
    const searches = [
      {
        at: hoursAgo(5),
        query: "what time the harbour ferry leaves, by the timetable at the lighthouse",
        results: [["memory/harbour-1.md", 1, 3, 0.7]],
      },
      {
        at: hoursAgo(4),
        query: "greenhouse heater fuse",
        results: [["memory/greenhouse.md", 1, 3, 0.8]],
      },
    ];
    await scratch.write("memory/greenhouse.md", `# Heater\n\n${GIVEN}.\n`);
    // Saved before the agent asked: what an answer held of a note that was changed since is not known.
    const dayBefore = new Date(hoursAgo(24));
    await utimes(join(scratch.notes, "memory/greenhouse.md"), dayBefore, dayBefore);
    await scratch.writeHome(logOf("7f3a"), transcript("7f3a", searches));
  },
  open: async (scratch) => {
    const window = await openSample(scratch);
    await scratch.answerDialogs("agreed");
    await window.invoke("import_recall");
    return window;
  },
});

/** Asks about a fact from Search, by the key; resolves with what the dialog says once the headline stands. */
async function forgotten(window, fact, headline) {
  await window.show("Search");
  await window.click("button", "Why forgotten…? F");
  await window.until(
    "the fact can be typed",
    () => document.activeElement?.closest("[role='dialog']") !== null,
  );
  await window.press(fact);
  await window.press(KEY.enter);
  await window.until(
    `it says “${headline}”`,
    (said) => document.querySelector("[role='dialog']")?.innerText.includes(said),
    headline,
  );
  return window.run(() =>
    Object.fromEntries(
      Array.from(document.querySelectorAll("[role='dialog'] ol > li:has(> h3)"), (step) => [
        step.querySelector("h3").innerText.trim(),
        {
          outcome: step.querySelector("[role='img']").ariaLabel,
          said: step.innerText,
        },
      ]),
    ),
  );
}

scenario("a fact that was written, and ranked out", async ({ window }) => {
  const steps = await forgotten(window, RANKED_OUT, "OpenClaw asked, but the note was ranked out.");
  assert.equal(steps.Written.outcome, "passed");
  assert.ok(steps.Written.said.includes("lighthouse.md:3"), steps.Written.said);
  assert.equal(steps.Ranked.outcome, "failed", JSON.stringify(steps));
});

scenario("its report is copied", async ({ window }) => {
  await window.click("[role='dialog'] button", "Copy as Markdown C");
  await window.until("it is copied", () =>
    document.querySelector("[role='dialog']").innerText.includes("Copied"),
  );
  // No page may read the clipboard, but the user may paste it.
  await window.click("[role='dialog'] input:not([type='checkbox'])");
  await window.press("a", [KEY.control]);
  await window.press("v", [KEY.control]);
  const pasted = await window.until("it is pasted", () => {
    const { value } = document.querySelector("[role='dialog'] input:not([type='checkbox'])");
    return value.startsWith("# ") && value;
  });
  assert.ok(pasted.includes(`Why was “${RANKED_OUT}” forgotten?`), pasted);
  assert.ok(pasted.includes("| Ranked | failed |"), pasted);
});

scenario("Escape closes it", async ({ window }) => {
  await window.press(KEY.escape);
  await window.until("it is closed", () => document.querySelector("[role='dialog']") === null);
});

scenario("a fact that stands nowhere", async ({ window }) => {
  const steps = await forgotten(window, NOWHERE, "It is not written in any note.");
  assert.equal(steps.Written.outcome, "failed", JSON.stringify(steps));
  await window.press(KEY.escape);
  await window.until("it is closed", () => document.querySelector("[role='dialog']") === null);
});

scenario("a fact that was given", async ({ window }) => {
  const steps = await forgotten(window, GIVEN, "OpenClaw was given it; whether it used it is not known.");
  assert.deepEqual([steps.Given.outcome, steps.Used.outcome], ["passed", "unknown"], JSON.stringify(steps));
  await window.press(KEY.escape);
  await window.until("it is closed", () => document.querySelector("[role='dialog']") === null);
});
