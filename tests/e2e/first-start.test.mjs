/** A first start beside OpenClaw and Claude Code: all is watched at one click, and each finding leads to where the same figure stands. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { until } from "./driver/deadline.mjs";
import { inOneWindow } from "./driver/scenario.mjs";
import { hoursAgo, logOf, transcript } from "./driver/recall.mjs";
import { MemlensWindow } from "./driver/window.mjs";

const WORKSPACE = ".openclaw/workspace";
const CLAUDE = ".claude/projects/-srv-house/memory/MEMORY.md";
/** Longer than the 20,000 characters that OpenClaw loads. */
const MEMORY = "# Attic\n\n" + "- The tide table hangs in the hall beside the map.\n".repeat(430);
/** More lines than the 200 that Claude Code loads. */
const LONG = Array.from({ length: 260 }, (_, at) => `- Fact ${at + 1}: the ferry leaves at noon.\n`).join("");
const CONFIG = '{"meta": {"lastTouchedVersion": "2026.9.6"}}';
const NOTE = "memory/2026-11-02.md";
const ANSWERED = "which port does the push relay use";
const MISSED = "who feeds the koi in May";

const scenario = inOneWindow({
  prepare: async (scratch) => {
    await scratch.writeHome(".openclaw/openclaw.json", CONFIG);
    await scratch.writeHome(`${WORKSPACE}/MEMORY.md`, MEMORY);
    await scratch.writeHome(`${WORKSPACE}/AGENTS.md`, "Be brief.\n");
    await scratch.writeHome(`${WORKSPACE}/TOOLS.md`, "The relay is a tool.\n");
    await scratch.writeHome(`${WORKSPACE}/memory/2026-11-02.md`, "The push relay listens on port 8093.\n");
    await scratch.writeHome(CLAUDE, LONG);
    const found = [[NOTE, 1, 1, 0.61]];
    await scratch.writeHome(
      logOf("7f3a"),
      transcript("7f3a", [
        { at: hoursAgo(3), query: MISSED, results: [] },
        {
          at: hoursAgo(2),
          query: "which port does the push relay use",
          results: found,
        },
      ]),
    );
  },
  open: async (scratch) => {
    const window = await MemlensWindow.open(scratch, { folders: [] });
    await window.ready();
    return window;
  },
});

const findings = (window) => window.texts(".findings li");

async function findingOf(window, pattern) {
  return window.until(
    `${pattern} is found`,
    (wanted) =>
      Array.from(document.querySelectorAll(".findings .finding span:first-child"), (it) => it.innerText).find(
        (text) => new RegExp(wanted).test(text),
      ),
    pattern.source,
  );
}

/** Back to the start page, by its tab. */
async function back(window) {
  await window.show("Search");
  await window.until("the start page is shown", () => document.querySelector("main.first-run") !== null);
}

scenario(
  "one click watches every agent, is answered within 100 ms, and all stay listed",
  async ({ window }) => {
    await window.until("both are offered", () => document.querySelectorAll("li.agent").length === 2);
    assert.deepEqual((await window.invoke("state")).folders, []);
    assert.deepEqual(await findings(window), []);
    await window.run(() => {
      const times = { clicked: null, shown: null };
      window.timesOfClick = times;
      document.addEventListener("click", () => (times.clicked ??= performance.now()), {
        capture: true,
        once: true,
      });
      new MutationObserver(() => {
        if (document.querySelector(".found")?.innerText.includes("Adding…"))
          times.shown ??= performance.now();
      }).observe(document.body, {
        subtree: true,
        childList: true,
        characterData: true,
      });
    });
    await window.click("main button", "Watch all");
    const took = await window.until("it says so", () => {
      const { clicked, shown } = window.timesOfClick;
      return shown === null ? null : shown - clicked;
    });
    assert.ok(took < 100, `${took} ms`);
    await window.until(
      "both are watched",
      () => document.querySelectorAll("li.agent .watching").length === 2,
    );
    await window.indexed();
    const [openclaw, claude] = await window.texts("li.agent");
    assert.match(openclaw, /watching\n+4 files/);
    assert.match(claude, /watching\n+1 file/);
  },
);

scenario("what an agent never loads leads to the line in the note", async ({ window }) => {
  const text = await findingOf(window, /of MEMORY\.md are never loaded by OpenClaw/);
  const [, amount] = /^([\d,]+ characters) of MEMORY\.md are never loaded by OpenClaw/.exec(text);
  const { files } = { files: await window.invoke("agents_loaded") };
  const file = files.find(({ agent, name }) => agent === "openclaw" && name === "MEMORY.md");
  assert.equal(amount, `${file.left_out.toLocaleString("en")} characters`);
  // All of it is head, tail and what is left out between them.
  assert.ok(file.left_out > file.used - file.cap);
  await window.click(".finding", `${text}\n→`);
  await window.until(
    "the note shows the same figure",
    (wanted) =>
      Array.from(document.querySelectorAll("[role='note']")).some((line) => line.innerText.includes(wanted)),
    `${file.left_out.toLocaleString("en")} of ${file.used.toLocaleString("en")} characters`,
  );
  await back(window);
  await findingOf(window, /^60 lines of MEMORY\.md are never loaded by Claude Code/);
});

scenario("what no search finds leads to those notes alone", async ({ window }) => {
  const text = await findingOf(window, /never searched/);
  assert.equal(
    text,
    "2 of 4 notes are never searched by OpenClaw; 1 of them is loaded when a session begins",
  );
  await window.click(".finding", `${text}\n→`);
  await window.until("they are listed alone", () => {
    const box = document.querySelector(".filter input");
    return box?.checked && /Only the 2 notes/.test(box.closest("label").innerText);
  });
  const names = await window.run(() =>
    Array.from(document.querySelectorAll("[role='treeitem']"), (row) => row.ariaLabel).filter((label) =>
      /never searched/.test(label),
    ),
  );
  assert.equal(names.length, 2);
  await back(window);
});

scenario(
  "past questions are read after consent, and a missed one is suggested first",
  async ({ window, scratch }) => {
    await scratch.answerDialogs("");
    await window.click("main button", "Read past questions…");
    await window.until("nothing was read", () => document.querySelector(".logs button")?.disabled === false);
    assert.equal((await window.invoke("recall_logs")).is_allowed, false);
    await scratch.answerDialogs("yes");
    await window.click("main button", "Read past questions…");
    const text = await findingOf(window, /past question/);
    assert.equal(text, "1 of 2 past questions of the last 30 days found nothing");
    await window.click(".finding", `${text}\n→`);
    await window.until("the filter shows the same figure", () =>
      /^Found nothing.1$/.test(document.querySelector(".kinds [aria-pressed='true']")?.innerText),
    );
    await back(window);
    await window.until("they are suggested", () => document.querySelectorAll(".questions li").length === 2);
    const [first, second] = await window.texts(".questions li");
    assert.match(first, new RegExp(`^${MISSED}\\n+OpenClaw: found nothing$`));
    assert.match(second, /^which port does the push relay use\n+OpenClaw$/);
  },
);

scenario(
  "a config that breaks while the window is open is reported, and nothing is lost",
  async ({ window, scratch }) => {
    await scratch.writeHome(".openclaw/openclaw.json", "{broken");
    await window.run(() => window.dispatchEvent(new Event("focus")));
    await window.until("it says so", () =>
      /Cannot read ~\/\.openclaw\/openclaw\.json/.test(document.querySelector("li.agent").innerText),
    );
    assert.equal((await window.texts("li.agent .watching")).length, 2);
    await scratch.writeHome(".openclaw/openclaw.json", CONFIG);
    await window.run(() => window.dispatchEvent(new Event("focus")));
    await window.until(
      "it is well again",
      () => !/Cannot read/.test(document.querySelector("li.agent").innerText),
    );
  },
);

scenario("a suggested question is asked at one click", async ({ window }) => {
  await window.click(".questions .finding", `${ANSWERED}\nOpenClaw`);
  await window.rowsUntil("it is answered", (rows) => rows[0]?.name === "2026-11-02.md");
  assert.equal(
    await window.run(() => document.querySelector("#query").value),
    "which port does the push relay use",
  );
});

/** The name of the ranking that the header shows. */
const ranking = (window) => window.run(() => document.querySelector(".preset-trigger").ariaLabel);

scenario(
  "the agent's ranking is chosen at first, and one key leads to Memlens's and back",
  async ({ window }) => {
    // On a busy machine its memory is ready after the question: then it is offered, and no row moves by itself.
    await window.until(
      "its memory is ready",
      () => !/answers until the memory/.test(document.body.innerText),
    );
    if ((await ranking(window)) === "Preset: Memlens: Default")
      await window.click(".own button", "Show its ranking R");
    await window.until(
      "the agent's ranks",
      () => document.querySelector(".preset-trigger").ariaLabel === "Preset: OpenClaw 2026.9 (yours)",
    );
    await window.run(() => document.activeElement.blur());
    await window.press("r");
    await window.until(
      "Memlens's ranks",
      () => document.querySelector(".preset-trigger").ariaLabel === "Preset: Memlens: Default",
    );
    await window.rowsUntil("it answers", (rows) => rows[0]?.name === "2026-11-02.md");
    await window.press("r");
    await window.until(
      "the agent's ranks",
      () => document.querySelector(".preset-trigger").ariaLabel === "Preset: OpenClaw 2026.9 (yours)",
    );
    await window.rowsUntil("it answers", (rows) => rows[0]?.name === "2026-11-02.md");
  },
);

scenario(
  "what is tried goes into the agent's config, measured before, and comes out again",
  async ({ window, scratch }) => {
    const config = () => readFile(join(scratch.home, ".openclaw/openclaw.json"), "utf8");
    await window.press("r");
    await window.until("Memlens's ranks", () =>
      /Memlens/.test(document.querySelector(".preset-trigger").ariaLabel),
    );
    await window.rowsUntil("it answers", (rows) => rows[0]?.name === "2026-11-02.md");
    // A question with a known answer, to measure by.
    await window.press("+");
    await until("it is judged", async () =>
      (await window.invoke("query_sets")).some(({ id, n_judged }) => id === "judgments" && n_judged === 1),
    );
    await window.click(".rail-foot button", "Apply…");
    await window.until("the change is shown", () =>
      /maxResults/.test(document.querySelector("[aria-label='What changes in the config']")?.innerText),
    );
    const table = await window.until(
      "it is measured",
      () => document.querySelector("[aria-label='Before and after']")?.innerText,
    );
    assert.match(table, /^1 query\s+before\s+after\s+change/);
    await scratch.answerDialogs("yes");
    await window.click("[role='dialog'] button", "Write…");
    await window.until("it is written", () =>
      /Written:/.test(document.querySelector("[role='dialog']").innerText),
    );
    assert.match(await config(), /"maxResults": *10/);
    await window.click("[role='dialog'] button", "Undo…");
    await window.until("it is put back", () =>
      /Put back:/.test(document.querySelector("[role='dialog']").innerText),
    );
    assert.equal(await config(), CONFIG);
  },
);
