/** What a user's machine does while the window is open: configs vanish, names are long, themes change under the finger. */
import assert from "node:assert/strict";
import { readFile, readdir, rm } from "node:fs/promises";
import { join } from "node:path";

import { until } from "./driver/deadline.mjs";
import { inOneWindow, QUESTION } from "./driver/scenario.mjs";
import { KEY } from "./driver/webdriver.mjs";

const PLACE = ".openclaw/openclaw.json";
/** Two of twelve agents have one workspace. */
const AGENTS = Array.from({ length: 12 }, (_, at) => `{ "id": "agent-${at}", "workspace": "w${at % 11}" }`);
const CONFIG = `{ "meta": { "lastTouchedVersion": "2026.9.6" },
  "agents": { "list": [${AGENTS.join(", ")}] },
  "memory": { "search": { "query": { "maxResults": 4, "minScore": 0.5 } } } }
`;

const scenario = inOneWindow({
  prepare: async (scratch) => {
    await scratch.writeHome(PLACE, CONFIG);
    for (let at = 0; at < 11; at++)
      await scratch.writeHome(`w${at}/memory/note-${at}.md`, `Pier ${at} is repainted in May.\n`);
  },
});

/** Elements that reach beyond the window, by their text. */
const beyond = (window) =>
  window.run(() => {
    const isWide = document.documentElement.scrollWidth > innerWidth;
    const out = Array.from(document.querySelectorAll("main button, main h1, main h2, .bar button"))
      .filter((one) => one.getBoundingClientRect().right > innerWidth + 1)
      .map((one) => one.textContent.trim().slice(0, 40));
    return isWide ? [...out, `the page is ${document.documentElement.scrollWidth} px wide`] : [];
  });

scenario(
  "a config that vanishes after it was written cannot be undone, and nothing is lost",
  async ({ window, scratch }) => {
    const path = join(scratch.home, PLACE);
    await window.ask(QUESTION);
    await window.show("Export");
    await window.until(
      "programs are offered",
      () => document.querySelector("main [role='combobox']") !== null,
    );
    await window.choose("main [role='combobox'][aria-label='For']", "OpenClaw 2026.8 and later (yours)");
    await window.until("the change is shown", () =>
      document.querySelector("[aria-label='What changes in the config']"),
    );
    await scratch.answerDialogs("yes");
    await window.click("main button", "Write into openclaw.json…");
    await window.until("it is written", () => /Backup:/.test(document.querySelector("main").innerText));
    const written = await readFile(path, "utf8");
    assert.notEqual(written, CONFIG);
    await rm(path);
    await window.click("main button", "Undo…");
    const said = await window.until(
      "it says why not",
      () => document.querySelector("main [role='alert']")?.innerText,
    );
    assert.match(said, /openclaw\.json/);
    const files = await readdir(join(scratch.home, ".openclaw"));
    assert.equal(files.includes("openclaw.json"), false);
    const backup = files.find((name) => name.endsWith(".bak"));
    assert.equal(await readFile(join(scratch.home, ".openclaw", backup), "utf8"), CONFIG);
    // It is written again by its program: the view reads it as before.
    await scratch.writeHome(PLACE, CONFIG);
    await window.show("Search");
    await window.show("Export");
    await window.choose("main [role='combobox'][aria-label='For']", "OpenClaw 2026.8 and later (yours)");
    await window.until("the change is shown", () =>
      /maxResults/.test(document.querySelector("[aria-label='What changes in the config']")?.innerText),
    );
  },
);

scenario(
  "with twelve agents, two of one workspace, all of Export is in reach at 900x600",
  async ({ window }) => {
    await window.size(900, 600);
    assert.deepEqual(await beyond(window), []);
    const { agents } = await window.invoke("agents");
    const { folders } = agents.find(({ id }) => id === "openclaw");
    assert.equal(new Set(folders.map(({ path }) => path)).size, folders.length);
  },
);

scenario("a preset's name of 200 letters is cut at 80 and moves nothing", async ({ window }) => {
  await window.show("Search");
  const width = () =>
    window.run(() => document.querySelector(".preset-trigger").getBoundingClientRect().width);
  const before = await width();
  await window.click("button[aria-label^='Preset:']");
  await window.click("[role='menuitem']", "Save as…");
  await window.until("the name has the focus", () => document.activeElement?.id === "preset-name");
  const name = "x".repeat(80);
  await window.press("x".repeat(200) + KEY.enter);
  await until("it is saved", async () => (await window.invoke("presets")).some((one) => one.name === name));
  await window.until(
    "it is chosen",
    (name) => document.querySelector(".preset-trigger").ariaLabel.includes(name),
    name,
  );
  assert.equal(await width(), before);
  assert.deepEqual(await beyond(window), []);
  await window.size(1280, 720);
  assert.deepEqual(await beyond(window), []);
});

scenario("a theme that changes under the finger leaves the slider in hand", async ({ window }) => {
  await window.ask(QUESTION);
  await window.grab("max_results");
  await window.dragTo("max_results", 0.3);
  const early = Number((await window.parameter("max_results")).value);
  await window.run(() => (document.documentElement.dataset.theme = "dark"));
  await window.dragTo("max_results", 0.6);
  const rows = await window.rowsUntil(
    "rows follow",
    (rows) => rows.filter(({ rank }) => rank !== null).length > 0,
  );
  const late = Number((await window.parameter("max_results")).value);
  assert.ok(late > early, `${early} to ${late}`);
  await window.releasePointer();
  assert.equal(Number((await window.parameter("max_results")).value), late);
  assert.ok(rows.length > 0);
  await window.run(() => delete document.documentElement.dataset.theme);
});
