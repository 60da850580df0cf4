/** The whole loop as a new user walks it: from an empty library to what is cut, never searched and missed, to a config that is written and put back. */
import assert from "node:assert/strict";
import { readFile, rename, utimes } from "node:fs/promises";
import { join } from "node:path";

import { until } from "./driver/deadline.mjs";
import { inOneWindow } from "./driver/scenario.mjs";
import { hoursAgo, logOf, transcript } from "./driver/recall.mjs";
import { KEY } from "./driver/webdriver.mjs";
import { MemlensWindow } from "./driver/window.mjs";

const WORKSPACE = ".openclaw/workspace";
/** One result for each question, so that the answer is often not among them. */
const CONFIG = `{
  // mine
  "meta": { "lastTouchedVersion": "2026.9.6" },
  "memory": { "search": { "query": { "maxResults": 1, "minScore": 0.35 } } },
}
`;
const INSTALLER = "The installer of the boiler is Marta Lindqvist.";
const MISSED = "who is the installer of the boiler";
const LAMP = "when does the harbour ferry leave, and how often does the lighthouse lamp turn";

const scenario = inOneWindow({
  prepare: async (scratch) => {
    const attic = "- The tide table hangs in the hall beside the map.\n".repeat(430);
    await scratch.writeHome(".openclaw/openclaw.json", CONFIG);
    await scratch.writeHome(`${WORKSPACE}/MEMORY.md`, `# Attic\n\n${attic}`);
    await scratch.writeHome(`${WORKSPACE}/AGENTS.md`, "Be brief.\n");
    await scratch.writeHome(`${WORKSPACE}/projects/heating.md`, `# Heating\n\n${INSTALLER}\n`);
    await scratch.writeHome(
      `${WORKSPACE}/memory/lamp.md`,
      "# Lamp\n\nThe lamp turns every eleven seconds.\n",
    );
    for (let pier = 1; pier <= 4; pier++) {
      const text = `# Harbour ferry at the lighthouse\n\nWhen the harbour ferry leaves pier ${pier}: ${5 + pier}:15.\n`;
      await scratch.writeHome(`${WORKSPACE}/memory/pier-${pier}.md`, text);
    }
    await scratch.writeHome(
      ".claude/projects/-srv-house/memory/MEMORY.md",
      Array.from({ length: 260 }, (_, at) => `- Fact ${at + 1}: the ferry leaves at noon.\n`).join(""),
    );
    const weekAgo = new Date(hoursAgo(7 * 24));
    for (const note of ["memory/lamp.md", "projects/heating.md"])
      await utimes(join(scratch.home, WORKSPACE, note), weekAgo, weekAgo);
    const searches = [
      {
        at: hoursAgo(40 * 24),
        query: "which colour has the boathouse",
        results: [],
      },
      { at: hoursAgo(26), query: MISSED, results: [] },
      {
        at: hoursAgo(3),
        query: LAMP,
        results: [["memory/pier-1.md", 1, 3, 0.6]],
        opens: "memory/lamp.md",
      },
    ];
    // The calls set nothing, so that the config decides.
    await scratch.writeHome(logOf("7f3a"), transcript("7f3a", searches, {}));
  },
  open: async (scratch) => {
    const window = await MemlensWindow.open(scratch, { folders: [] });
    await window.ready();
    return window;
  },
});

const config = (scratch) => readFile(join(scratch.home, ".openclaw/openclaw.json"), "utf8");

/** Follows the finding that begins so. */
async function follow(window, pattern) {
  const text = await window.until(
    `${pattern} is found`,
    (wanted) =>
      Array.from(document.querySelectorAll(".findings .finding span:first-child"), (it) => it.innerText).find(
        (text) => new RegExp(wanted).test(text),
      ),
    pattern.source,
  );
  await window.click(".finding", `${text}\n→`);
  return text;
}

const said = (window, selector, pattern) =>
  window.until(
    `${selector} says ${pattern}`,
    (where, wanted) => {
      const elements = Array.from(document.querySelectorAll(where));
      return elements.map(({ innerText }) => innerText).find((text) => new RegExp(wanted).test(text));
    },
    selector,
    pattern.source,
  );

/** What the strip of the last replay says, figure by figure. */
const figures = (window) => window.texts("[aria-label='Last replay'] .figure .value");

async function replay(window) {
  await window.show("Past questions");
  await window.until("it can be replayed", () =>
    Array.from(document.querySelectorAll("main .bar button")).some((it) => it.innerText === "Replay"),
  );
  const before = await window.invoke("past_questions", {
    filter: { text: "", agent: null, only: "all" },
    page: { at: null, open: null },
  });
  await window.click("main .bar button", "Replay");
  return until("it is replayed", async () => {
    const { replay } = await window.invoke("past_questions", {
      filter: { text: "", agent: null, only: "all" },
      page: { at: null, open: null },
    });
    return replay !== null && replay.at_ms !== before.replay?.at_ms && replay;
  });
}

scenario("the cut MEMORY.md is found, at the line", async ({ window }) => {
  await window.until("both are offered", () => document.querySelectorAll("li.agent").length === 2);
  await window.click("main button", "Watch all");
  await window.until("both are watched", () => document.querySelectorAll("li.agent .watching").length === 2);
  await window.indexed();
  await follow(window, /of MEMORY\.md are never loaded by OpenClaw/);
  await said(window, "[role='note']", /^Not loaded by OpenClaw from/);
});

scenario(
  "a note that is never searched says why, and is followed to where it was moved",
  async ({ window, scratch }) => {
    await window.show("Search");
    await follow(window, /^2 of 8 notes are never searched by OpenClaw; 1 of them is loaded/);
    // That which is not loaded either is opened.
    await said(window, "article h2", /heating\.md/);
    await said(window, "main", /Never searched by OpenClaw[^]*Move the note below memory/);
    const at = (folder) => join(scratch.home, WORKSPACE, folder, "heating.md");
    await rename(at("projects"), at("memory"));
    await said(window, "article", /This note is now memory\/heating\.md/);
    await window.click("article button", "Open it there");
    await said(window, "article h2", /memory\/\s*heating\.md/);
    await window.until(
      "it is searched",
      () => !document.body.innerText.includes("Never searched by OpenClaw"),
    );
    await window.show("Search");
    await window.until("it is no finding any more", () => {
      const findings = document.querySelector(".findings")?.innerText;
      return findings !== undefined && !findings.includes("never searched");
    });
  },
);

scenario("a missed question is explained", async ({ window, scratch }) => {
  await scratch.answerDialogs("yes");
  await window.click("main button", "Read past questions…");
  const text = await follow(window, /found nothing/);
  // One is older than a month; the list that follows holds it too.
  assert.equal(text, "1 of 2 past questions of the last 30 days found nothing, 2 of 3 in all");
  await window.until("both are listed", () =>
    /^Found nothing.2$/.test(document.querySelector(".kinds [aria-pressed='true']")?.innerText),
  );
  await window.click("[role='row'] .question", MISSED);
  await said(window, "[aria-label='Then and now'] .nothing", /^Nothing was found\.$/);
  // It was never searched; since it was moved the same question finds it.
  await said(window, "ol[aria-label='Now']", /heating\.md/);
  await window.click("[aria-label='Then and now'] button", "Why did it forget…? F");
  await window.until("it can be typed", () => document.activeElement?.closest("[role='dialog']") !== null);
  // The question and the note that it finds now are offered before a fact is typed.
  await said(window, "[role='dialog'] .asked", new RegExp(MISSED));
  await said(window, "[role='dialog'] .choice.note", /heating\.md/);
  await window.press(INSTALLER + KEY.enter);
  await said(window, "[role='dialog']", /OpenClaw asked[^]*Written[^]*heating\.md:3/);
  await window.press(KEY.escape);
  await window.until("it is closed", () => document.querySelector("[role='dialog']") === null);
});

scenario(
  "a tuned value is measured, written, seen in the replay, and undone",
  async ({ window, scratch }) => {
    const before = await replay(window);
    assert.equal(before.n_questions, 3);
    await window.show("Tune");
    // What the agent opened after a question is its answer.
    await said(window, "main", /Note found\s+0\/1/);
    await until(
      "the agent ranks",
      async () => (await window.parameter("openclaw.max_results")).value === "1",
    );
    await window.drag("openclaw.max_results", 0.3);
    const tuned = Number((await window.parameter("openclaw.max_results")).value);
    assert.ok(tuned > 5, String(tuned));
    await window.click(".rail-foot button", "Apply…");
    await said(window, "[aria-label='What changes in the config']", new RegExp(`"maxResults": *${tuned}`));
    const table = await said(window, "[aria-label='Before and after']", /^1 query/);
    assert.match(table, /Note found\s+0\/1\s+1\/1\s+▲ \+1/);
    await scratch.answerDialogs("yes");
    await window.click("[role='dialog'] button", "Write…");
    await said(window, "[role='dialog']", /Written:/);
    assert.equal(await config(scratch), CONFIG.replace('"maxResults": 1', `"maxResults": ${tuned}`));
    await window.press(KEY.escape);
    await window.until("it is closed", () => document.querySelector("[role='dialog']") === null);
    const after = await replay(window);
    assert.ok(after.n_never_found < before.n_never_found, JSON.stringify([before, after]));
    const [, , nothing, never] = await figures(window);
    assert.match(nothing, /^\d\s+of 3\s+· 2 then$/);
    assert.match(never, new RegExp(`^${after.n_never_found}\\s+of 9$`));
    await window.show("Tune");
    await window.click(".rail-foot button", "Apply…");
    await window.click("[role='dialog'] button", "Undo…");
    await said(window, "[role='dialog']", /Put back:/);
    assert.equal(await config(scratch), CONFIG);
  },
);
