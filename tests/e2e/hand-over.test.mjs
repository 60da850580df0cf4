/** The tuned values go into an agent's own config: shown as a difference, written once the user agrees, and read back. */
import assert from "node:assert/strict";
import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";

import { until } from "./driver/deadline.mjs";
import { inOneWindow, QUESTION } from "./driver/scenario.mjs";

const CONFIG = `// mine
{
  meta: { lastTouchedVersion: "2026.9.6" },
  memory: { search: { query: { maxResults: 4, /* few */ minScore: 0.5 } } },
  env: { KEY: "sk-1" },
}
`;
const PLACE = ".openclaw/openclaw.json";

const scenario = inOneWindow({
  prepare: (scratch) => scratch.writeHome(PLACE, CONFIG),
});

const config = (scratch) => readFile(join(scratch.home, PLACE), "utf8");

async function chooseTarget(window, label) {
  await window.show("Export");
  await window.until(
    "programs are offered",
    () => document.querySelector("main [role='combobox'] [data-text]:nth-of-type(2)") !== null,
  );
  await window.choose("main [role='combobox'][aria-label='For']", label);
}

/** The lines that would change in the config. */
const lines = (window, kind) => window.texts(`[aria-label='What changes in the config'] .line.${kind}`);

scenario(
  "a config is changed once the user agrees, and keeps everything else",
  async ({ window, scratch }) => {
    await window.ask(QUESTION);
    await chooseTarget(window, "OpenClaw 2026.8 and later (yours)");
    const added = await until("the change is shown", async () => {
      const found = await lines(window, "new");
      return found.length > 0 && found;
    });
    assert.match(added.join(), /maxResults: 10, \/\* … \*\/ minScore: 0\.1 /);
    assert.equal((await window.run(() => document.body.innerText)).includes("sk-1"), false);

    await scratch.answerDialogs("");
    await window.click("main button", "Write into openclaw.json…");
    await until("nobody agreed", async () =>
      window.run(() => !document.querySelector("main button.main").disabled),
    );
    assert.equal(await config(scratch), CONFIG);

    await scratch.answerDialogs("yes");
    await window.click("main button", "Write into openclaw.json…");
    await window.until("it is written", () => /Backup:/.test(document.querySelector("main").innerText));
    assert.equal(
      await config(scratch),
      CONFIG.replace("maxResults: 4", "maxResults: 10").replace("0.5", "0.1"),
    );
    const files = await readdir(join(scratch.home, ".openclaw"));
    const kept = files.find((name) => /^openclaw\.json\..*\.bak$/.test(name));
    assert.equal(await readFile(join(scratch.home, ".openclaw", kept), "utf8"), CONFIG);
  },
);

scenario("an agent's config is opened in the user's editor", async ({ window, scratch }) => {
  await window.show("Search");
  await window.click("button", "Preset: Default");
  await window.until("the menu is open", () => document.querySelector(".menu-item .cut1") !== null);
  await window.click(".menu-item .cut1", `Open ~/${PLACE}`);
  await until(
    "the system's program was asked",
    async () => String(await scratch.opened()) === join(scratch.home, PLACE),
  );
  // The page names agents, and no path.
  for (const target of [join(scratch.home, PLACE), `../${PLACE}`, "clerk", "memlens", ""]) {
    for (const forExport of [false, true]) {
      await assert.rejects(
        window.invoke("open_config", { target, forExport, editor: "system" }),
        undefined,
        `open_config ${target}`,
      );
    }
  }
  assert.equal((await scratch.opened()).length, 1);
});

scenario("an agent's sliders are set to its config", async ({ window }) => {
  await window.show("Search");
  await window.click("button", "Preset: Default");
  await window.until("the menu is open", () => document.querySelector(".menu-item .cut1") !== null);
  // Its config on this machine is what it is ranked by.
  await window.click(".menu-item .cut1", "OpenClaw 2026.9 (yours)");
  await until(
    "the slider is set",
    async () => Number((await window.parameter("openclaw.min_score"))?.value) === 0.1,
  );
  await window.click("button", "Preset: OpenClaw 2026.9 (yours)");
  await window.until("the menu is open", () => document.querySelector(".menu-item .cut1") !== null);
  const [item] = (await window.texts(".menu-item")).filter((text) => text.startsWith("Read its config…"));
  await window.click(".menu-item", item);
  await window.until("the config is shown", () =>
    document.querySelector("[role='dialog'] table")?.innerText.includes("memory.search.query.minScore"),
  );
  await window.click("[role='dialog'] button", "Rank by it");
  await until(
    "the slider is set",
    async () => Number((await window.parameter("openclaw.min_score")).value) === 0.1,
  );
});
