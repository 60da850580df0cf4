/** A machine without an agent, on which OpenClaw is set up while the window is open, by a config that names no version. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { inOneWindow } from "./driver/scenario.mjs";
import { MemlensWindow } from "./driver/window.mjs";

const PLACE = ".openclaw/openclaw.json";
const CONFIG = '{ "memory": { "search": { "query": { "maxResults": 4, "minScore": 0.2 } } } }\n';
const QUESTION = "where does the push relay listen";
const ASSUMED =
  "~/.openclaw/openclaw.json: it does not say which version wrote it; OpenClaw 2026.9 is assumed.";

const scenario = inOneWindow({
  open: async (scratch) => {
    const window = await MemlensWindow.open(scratch, { folders: [] });
    await window.ready();
    return window;
  },
});

const text = (window) => window.run(() => document.querySelector("main").innerText);
const preset = (window) => window.run(() => document.querySelector(".preset-trigger").ariaLabel);

/** As when the user comes back from another program. */
const comeBack = (window) => window.run(() => void window.dispatchEvent(new Event("focus")));

scenario("without an agent the page says so and offers folders and sample notes", async ({ window }) => {
  await window.until("it says so", () => /No agent was found/.test(document.querySelector("main").innerText));
  const said = await text(window);
  assert.match(said, /Memlens looked for OpenClaw, Claude Code, Codex, /);
  assert.doesNotMatch(said, /Found on this machine|Watch all/);
  const buttons = await window.run(() =>
    Array.from(document.querySelectorAll("main button"), ({ innerText, disabled }) => [innerText, disabled]),
  );
  // One adds the path that is typed, and none is typed yet.
  assert.deepEqual(
    buttons.filter(([, isDisabled]) => isDisabled),
    [["Add", true]],
  );
  for (const name of ["Choose a folder…", "Open sample notes"])
    assert.ok(
      buttons.some(([one]) => one === name),
      name,
    );
});

scenario("sample notes stand in for an agent, and no ranking is called the user's", async ({ window }) => {
  await window.click("main button", "Open sample notes");
  await window.until("they are watched", () =>
    /What your agents remember/.test(document.querySelector("main").innerText),
  );
  await window.indexed();
  assert.match(await text(window), /No agent was found on this machine/);
  await window.ask(QUESTION);
  assert.equal(await preset(window), "Preset: Default");
  assert.equal((await window.texts(".rail-foot button")).includes("Apply…"), false);
  assert.deepEqual(
    (await window.invoke("pipelines")).filter(({ yours }) => yours !== null),
    [],
  );
});

scenario(
  "an agent that appears is offered, and nothing of it is watched unasked",
  async ({ window, scratch }) => {
    await window.show("Settings");
    await window.until("agents were looked for", () =>
      /No agent was found/.test(
        document.querySelector("section[aria-labelledby='settings-agents']").innerText,
      ),
    );
    await scratch.writeHome(PLACE, CONFIG);
    await scratch.writeHome(".openclaw/workspace/MEMORY.md", "The push relay listens on port 8093.\n");
    await scratch.writeHome(".openclaw/workspace/memory/2026-11-02.md", "The koi eat at noon.\n");
    await comeBack(window);
    const agent = await window.until("it is offered", () => document.querySelector("li.agent")?.innerText);
    assert.match(agent, /^OpenClaw version unknown\n/);
    assert.match(agent, /2 notes/);
    assert.equal((await window.invoke("state")).folders.length, 1);
    await window.show("Search");
    assert.equal(await preset(window), "Preset: Default");
    assert.equal((await window.texts(".rail-foot button")).includes("Apply…"), false);
  },
);

scenario("once watched it ranks by its config, and its version is said to be assumed", async ({ window }) => {
  await window.show("Settings");
  await window.click("li.agent button", "Watch: OpenClaw");
  await window.until("it is watched", () => document.querySelectorAll("li.agent .watching").length === 1);
  await window.indexed();
  await window.ask(QUESTION);
  await window.until("its memory is ready", () => !/answers until the memory/.test(document.body.innerText));
  await window.run(() => document.activeElement.blur());
  if (!/yours/.test(await preset(window))) await window.press("r");
  await window.until("it ranks", () => /\(yours\)/.test(document.querySelector(".preset-trigger").ariaLabel));
  await window.rowsUntil("it answers", (rows) => rows[0]?.name === "MEMORY.md");
  assert.equal(
    await window.run(() => document.querySelector(".preset-trigger").title),
    `Preset “OpenClaw 2026.9 (yours)”\n${ASSUMED}`,
  );
  const [line] = await window.texts(".rail .emulated");
  assert.match(line, /^emulated · version assumed · /);
  assert.ok(
    await window.run(
      (wanted) => document.querySelector(".rail .emulated span").title.startsWith(wanted),
      ASSUMED,
    ),
  );
});

scenario(
  "Apply says which version it is taken for, and writes what is shown",
  async ({ window, scratch }) => {
    await window.press("r");
    await window.until("Memlens ranks", () =>
      /Memlens: /.test(document.querySelector(".preset-trigger").ariaLabel),
    );
    await window.click(".rail-foot button", "Apply…");
    await window.until("the change is shown", () =>
      /maxResults/.test(document.querySelector("[aria-label='What changes in the config']")?.innerText),
    );
    assert.match(
      (await window.texts("[role='dialog']"))[0],
      /It does not say which version wrote it; it is taken for OpenClaw 2026\.8 and later\./,
    );
    await scratch.answerDialogs("yes");
    await window.click("[role='dialog'] button", "Write…");
    await window.until("it is written", () =>
      /Written:/.test(document.querySelector("[role='dialog']").innerText),
    );
    assert.equal(
      await readFile(join(scratch.home, PLACE), "utf8"),
      CONFIG.replace('"maxResults": 4', '"maxResults": 10').replace("0.2", "0.1"),
    );
  },
);

scenario("once the config names its version, nothing is assumed", async ({ window, scratch }) => {
  await window.click("[role='dialog'] button", "Close");
  await scratch.writeHome(PLACE, CONFIG.replace("{ ", '{ "meta": { "lastTouchedVersion": "2026.9.6" }, '));
  await comeBack(window);
  await window.run(() => document.activeElement.blur());
  await window.press("r");
  await window.until("it ranks", () => /\(yours\)/.test(document.querySelector(".preset-trigger").ariaLabel));
  await window.until("nothing is assumed", () => {
    const line = document.querySelector(".rail .emulated").innerText;
    return /^emulated/.test(line) && !/assumed/.test(line);
  });
});
