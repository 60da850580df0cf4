/** An agent is connected in Settings: shown, written once the user agrees, tried by the entered command, and removed. */
import assert from "node:assert/strict";
import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";

import { until } from "./driver/deadline.mjs";
import { inOneWindow, QUESTION } from "./driver/scenario.mjs";
import { KEY } from "./driver/webdriver.mjs";

const CONFIG = '{\n  "numStartups": 3,\n  "apiKey": "sk-1"\n}\n';
const PLACE = ".claude.json";
const CARD = "section[aria-labelledby='settings-serve']";
const DIALOG = "[role='dialog']";

const scenario = inOneWindow({
  prepare: async (scratch) => {
    await scratch.writeHome(PLACE, CONFIG);
    await scratch.writeHome(".claude/settings.json", "{}\n");
  },
});

const config = (scratch) => readFile(join(scratch.home, PLACE), "utf8");
const said = (window) =>
  window.run((card) => document.querySelector(card).innerText, CARD);

async function write(window, name) {
  await window.click(`${DIALOG} button`, name);
}

scenario(
  "an agent is connected, tried and disconnected",
  async ({ window, scratch }) => {
    await window.show("Settings");
    await window.click(`${CARD} button`, "Connect: Claude Code");
    const added = await until("the change is shown", async () => {
      const lines = await window.texts(`${DIALOG} .line.new`);
      return lines.length > 0 && lines.join("\n");
    });
    // No watched folder is the agent's own, so that all are served.
    assert.match(added, /"memlens"/);
    assert.doesNotMatch(added, /--agent/);
    assert.equal(
      (await window.run(() => document.body.innerText)).includes("sk-1"),
      false,
    );
    await scratch.answerDialogs("");
    await write(window, "Connect…");
    await until("nobody agreed", async () =>
      window.run(
        (dialog) => !document.querySelector(`${dialog} button.main`).disabled,
        DIALOG,
      ),
    );
    assert.equal(await config(scratch), CONFIG);

    await scratch.answerDialogs("yes");
    await write(window, "Connect…");
    await until("it is entered", async () =>
      /Entered in/.test(await said(window)),
    );
    const { mcpServers, apiKey } = JSON.parse(await config(scratch));
    assert.equal(apiKey, "sk-1");
    assert.deepEqual(mcpServers.memlens.args, [
      "--library",
      scratch.library,
      "serve",
      "--mcp",
    ]);

    await window.click(`${CARD} input.question`);
    await window.press("a", [KEY.control]);
    await window.press(QUESTION);
    await window.click(`${CARD} button`, "Test call: Claude Code");
    await until("it was answered", async () =>
      /offers 5 tools: memory_search/.test(await said(window)),
    );
    const rows = await window.texts(`${CARD} ol li`);
    const { results } = await scratch.search(QUESTION);
    assert.deepEqual(
      rows.map((row) => row.split(":")[0]),
      results.slice(0, rows.length).map(({ path }) => path),
    );

    await window.click(`${CARD} button`, "Disconnect: Claude Code");
    await window.until(
      "the change is shown",
      () => document.querySelector("[role='dialog'] .line.old") !== null,
    );
    await write(window, "Disconnect…");
    await until("it is removed", async () =>
      /Removed from/.test(await said(window)),
    );
    assert.equal(await config(scratch), CONFIG);
    const files = await readdir(scratch.home);
    assert.equal(
      files.filter((name) => /^\.claude\.json\..*\.bak$/.test(name)).length,
      2,
    );
  },
);

scenario(
  "a command that does not answer is reported",
  async ({ window, scratch }) => {
    const broken = {
      memlens: {
        type: "stdio",
        command: "/no/memlens",
        args: ["serve", "--mcp"],
      },
    };
    await scratch.writeHome(PLACE, JSON.stringify({ mcpServers: broken }));
    await window.click(`${CARD} button`, "Look again");
    await until("it is missing", async () =>
      /program missing/.test(await said(window)),
    );
    await window.click(`${CARD} button`, "Test call: Claude Code");
    await until("it says why", async () =>
      /cannot start \/no\/memlens/i.test(await said(window)),
    );
  },
);
