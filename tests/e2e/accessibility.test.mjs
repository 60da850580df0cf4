/** Every view in both themes, judged by axe-core in the window itself: contrast, names, roles, order. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";

import { until } from "./driver/deadline.mjs";
import { showFilteredList, showMap, showOverview } from "./driver/overview.mjs";
import { inOneWindow, QUESTION } from "./driver/scenario.mjs";
import { KEY } from "./driver/webdriver.mjs";

const AXE = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
/** Each thing that Markdown can be. */
const EVERYTHING = `---
agent: helper
---
# One

Text with **bold**, ~~old~~, \`code\`, a [link](https://example.org), ![a picture](x.png)

- item
- [x] task

> quote

| a | b |
|---|---|
| 1 | 2 |

\`\`\`sh
code
\`\`\`

[x]: https://example.org
`;
const scenario = inOneWindow({
  // Files with problems, so that there is something to warn of.
  prepare: async (scratch) => {
    await scratch.write("people/broken.jsonl", '{"text": "a good line"}\n{"text": \n');
    await scratch.write("people/no-text.md", "a\0b");
    await scratch.write("people/everything.md", EVERYTHING);
    // Dates for the timeline.
    await scratch.write("garden/2026-01-09.md", "The hose is in the shed. #garden\n");
    await scratch.write("garden/2026-02-11.md", "The koi eat at noon. #garden\n");
  },
});

/** Ways to what the user may have before them; each begins in any view, with nothing over it. */
const SCENES = {
  "before the first question": async (window) => {
    await window.show("Search");
    if ((await window.texts(".query .clear")).length > 0) await window.click(".query .clear");
    await window.until("nothing is asked", () => document.querySelector(".start") !== null);
  },
  "the trace and a journey": trace,
  "moves, a parameter in use and a refusal": async (window) => {
    await trace(window);
    await window.drag("text_weight", 1);
    await window.click("#field-max_results");
    await window.press(`5000${KEY.enter}`);
  },
  "reranked, with the words that answered": async (window) => {
    await reranked(window);
    await window.click(".j-rr .words button:first-child");
  },
  "the texts as they are sent": async (window) => {
    await reranked(window);
    // The button stands below the chart, which comes once the calls are read.
    await window.until("the calls are drawn", () => document.querySelector(".bench figure") !== null);
    await window.click("button", "Texts as sent…");
    await window.until("they are read", () => document.querySelector("[role='dialog'] li") !== null);
  },
  "a dropped row": async (window) => {
    await trace(window);
    const dropped = (await window.rows()).find((row) => row.rank === null);
    await window.click(`[data-chunk='${dropped.chunk}'] .path`);
  },
  "sorted by a stage, one switched off": async (window) => {
    await trace(window);
    await window.click(".stg[data-stage='bm25']");
    await window.click("[role='switch']", "Limit stage");
  },
  "nothing passed": async (window) => {
    await trace(window);
    await window.drag("min_score", 1);
    await window.until("nothing passed", () => document.querySelector(".card-none") !== null);
  },
  "only punctuation": async (window) => window.ask("???"),
  "the preset menu": async (window) => {
    await trace(window);
    await window.click("button[aria-label^='Preset:']");
    await window.until("the menu is open", () => document.querySelector("[role='menu']") !== null);
  },
  "the list of keys": async (window) => {
    await trace(window);
    await window.press(`${KEY.escape}?`);
    await window.until("the list is open", () => document.querySelector("[role='dialog']") !== null);
  },
  "why not, with its list": async (window) => {
    await trace(window);
    await window.press(`${KEY.escape}w`);
    await window.until("the picker is ready", () => document.activeElement?.id === "why-not-place");
    await window.press(`${KEY.backspace}home-server${KEY.enter}`);
    await window.until(
      "it is reported",
      () => document.querySelector("#why-not [role='radiogroup']") !== null,
    );
    await window.press("x");
    await window.until("the list is open", () => document.querySelector("#why-not [role='option']") !== null);
  },
  "files with problems": async (window) => {
    await window.click("[aria-label='Library'] .warn");
    await window.until("the list is open", () => document.querySelector("[role='dialog'] li") !== null);
  },
  "the memory's tree": async (window) => {
    await window.show("Memory");
    await window.until("the tree is read", () => document.querySelector("[role='treeitem']") !== null);
  },
  "the overview": showOverview,
  "the timeline as a table": async (window) => {
    await showOverview(window);
    await window.click("button[aria-pressed]", "Table");
    await window.until(
      "it is drawn",
      () => document.querySelector("[aria-label='Timeline as a table'] tr") !== null,
    );
  },
  "the list of notes, with filters": showFilteredList,
  "the map": showMap,
  "what is said more than once, and a mark against decay": async (window) => {
    await window.show("Memory");
    await window.until("the tree is read", () => document.querySelector("[role='treeitem']") !== null);
    // A page before this one may have left a name in the find box.
    await window.click(".left input[type='search']");
    await window.press("a", [KEY.control]);
    await window.press(KEY.backspace);
    await window.click("[role='treeitem'] .name", "protocols");
    await window.press("e", [KEY.control]);
    await window.until("it is marked", () => document.querySelector("[role='treeitem'] svg") !== null);
    await window.press("e", [KEY.control]);
    await window.click("button", "Said more than once…");
    await window.until(
      "the dialog is open",
      () => document.querySelector("[role='dialog'] .status") !== null,
    );
  },
  "a note": async (window) => {
    await window.show("Memory");
    await window.click(".left input[type='search']");
    await window.press("a", [KEY.control]);
    await window.press("home-server");
    await window.press(KEY.enter + KEY.enter);
    await window.until("the note is open", () => document.querySelector("article .tag button") !== null);
  },
  "a note as text": async (window) => {
    await window.show("Memory");
    await window.click(".left input[type='search']");
    await window.press("a", [KEY.control]);
    await window.press("home-server");
    await window.press(KEY.enter + KEY.enter);
    await window.until("the note is open", () => document.querySelector("article .tag button") !== null);
    await window.click("article button[aria-pressed]", "Source");
    await window.until("it is drawn as text", () => document.querySelector("article .line") !== null);
  },
  "a note of everything": async (window) => {
    await window.show("Memory");
    await window.click(".left input[type='search']");
    await window.press("a", [KEY.control]);
    await window.press("everything");
    await window.press(KEY.enter + KEY.enter);
    await window.until("the note is open", () =>
      document.querySelector("article h2")?.textContent.includes("everything.md"),
    );
    // Offered once the note is read.
    await window.click("article button[aria-pressed]", "Rendered");
    await window.until("it is drawn as Markdown", () => document.querySelector("article .picture") !== null);
  },
  "the export": async (window) => {
    await window.show("Search");
    await window.drag("fusion_k", 0.2);
    await window.show("Export");
    await window.until(
      "the text is shown",
      () => document.querySelector("[aria-label='Text of memlens.json'] .line") !== null,
    );
  },
  settings: async (window) => window.show("Settings"),
  "a question before a folder is removed": async (window) => {
    await window.show("Settings");
    await window.click("li.folder button", "Remove notes");
    await window.until("it asks", () => document.querySelector("[role='alertdialog']") !== null);
  },
  "a question before all is erased": async (window) => {
    await window.show("Settings");
    await window.click("button", "Erase all stored data…");
    await window.until("it asks", () => document.querySelector("[role='alertdialog']") !== null);
  },
};

async function trace(window) {
  await window.show("Search");
  if ((await window.texts(".rail-foot button")).includes("Reset all"))
    await window.click(".rail-foot button", "Reset all");
  await window.ask(QUESTION);
  // The table shows the row that the scene before opened.
  await window.run(() => document.querySelector("[role='grid']")?.scrollTo(0, 0));
  await window.rowsUntil(
    "the question is answered",
    (rows) => rows[0]?.name === "home-server.md" && rows[0].text !== "",
  );
}

async function reranked(window) {
  await trace(window);
  await window.switchOn("Rerank");
  await window.until("the words that answered are marked", () => {
    // A busy machine needs longer than the stage waits; what is computed meanwhile is cached.
    for (const button of document.querySelectorAll(".note button"))
      if (button.innerText.trim() === "Try again") button.click();
    return document.querySelectorAll(".j-rr .w.counts").length > 0;
  });
}

/** Closes what the scene before has left open. */
async function closeOverlay(window) {
  const isOpen = () =>
    document.querySelector("[role='dialog'], [role='alertdialog'], [role='menu']") !== null;
  if (!(await window.run(isOpen))) return;
  await window.press(KEY.escape);
  await until("nothing lies over the view", async () => !(await window.run(isOpen)));
}

/** What axe finds wrong, a line each. */
async function violations(window) {
  await window.load(AXE);
  return window.run(async () => {
    // Rows that still glide are neither here nor there.
    await Promise.all(document.getAnimations().map((animation) => animation.finished.catch(() => {})));
    const { violations } = await window.axe.run(document, {
      resultTypes: ["violations"],
    });
    return violations.flatMap(({ id, help, nodes }) =>
      nodes.map(
        (node) => `${id} (${help}): ${node.target.join(" ")} ${node.failureSummary.replaceAll(/\s+/g, " ")}`,
      ),
    );
  });
}

async function wear(window, theme) {
  await window.show("Settings");
  await window.click(".themes label", theme);
}

for (const theme of ["Light", "Dark"]) {
  for (const [name, show] of Object.entries(SCENES)) {
    scenario(`${theme.toLowerCase()}: ${name}`, async ({ window }) => {
      await closeOverlay(window);
      await wear(window, theme);
      await show(window);
      assert.deepEqual(await violations(window), []);
    });
  }
}

scenario("texts are set in the fonts that the window brings along", async ({ window }) => {
  await window.until("both are there", () => {
    const isLoaded = (family) =>
      Array.from(document.fonts).some((face) => face.family.includes(family) && face.status === "loaded");
    void document.fonts.load('12px "JetBrains Mono Variable"');
    return (
      getComputedStyle(document.body).fontFamily.startsWith('"Inter Variable"') &&
      ["Inter Variable", "JetBrains Mono Variable"].every(isLoaded)
    );
  });
});

scenario("the first run, in both themes", async ({ window }) => {
  await closeOverlay(window);
  await window.show("Settings");
  await window.click("li.folder button", "Remove notes");
  await window.click("[role='alertdialog'] button", "Remove");
  for (const theme of ["Light", "Dark"]) {
    await wear(window, theme);
    await window.show("Search");
    await window.until("it asks for a folder", () => document.querySelector("main.first-run") !== null);
    assert.deepEqual(await violations(window), [], theme);
  }
});
