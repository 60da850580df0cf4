/** An agent is connected in Settings: shown, written once the user agrees, tried by the entered command, and removed. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";

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
const said = (window) => window.run((card) => document.querySelector(card).innerText, CARD);

async function write(window, name) {
  await window.click(`${DIALOG} button`, name);
}

scenario("an agent is connected, tried and disconnected", async ({ window, scratch }) => {
  await window.show("Settings");
  await window.click(`${CARD} button`, "Connect: Claude Code");
  const added = await until("the change is shown", async () => {
    const lines = await window.texts(`${DIALOG} .line.new`);
    return lines.length > 0 && lines.join("\n");
  });
  // No watched folder is the agent's own, so that all are served.
  assert.match(added, /"memlens"/);
  assert.doesNotMatch(added, /--agent/);
  assert.equal((await window.run(() => document.body.innerText)).includes("sk-1"), false);
  await scratch.answerDialogs("");
  await write(window, "Connect…");
  await until("nobody agreed", async () =>
    window.run((dialog) => !document.querySelector(`${dialog} button.main`).disabled, DIALOG),
  );
  assert.equal(await config(scratch), CONFIG);

  await scratch.answerDialogs("yes");
  await write(window, "Connect…");
  await until("it is entered", async () => /Entered in/.test(await said(window)));
  const { mcpServers, apiKey } = JSON.parse(await config(scratch));
  assert.equal(apiKey, "sk-1");
  assert.deepEqual(mcpServers.memlens.args, ["--library", scratch.library, "serve", "--mcp"]);

  await window.click(`${CARD} input.question`);
  await window.press("a", [KEY.control]);
  await window.press(QUESTION);
  await window.click(`${CARD} button`, "Test call: Claude Code");
  await until("it was answered", async () => /offers 5 tools: memory_search/.test(await said(window)));
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
  await until("it is removed", async () => /Removed from/.test(await said(window)));
  assert.equal(await config(scratch), CONFIG);
  const files = await readdir(scratch.home);
  assert.equal(files.filter((name) => /^\.claude\.json\..*\.bak$/.test(name)).length, 2);
});

scenario("a command that does not answer is reported", async ({ window, scratch }) => {
  const broken = {
    memlens: {
      type: "stdio",
      command: "/no/memlens",
      args: ["serve", "--mcp"],
    },
  };
  await scratch.writeHome(PLACE, JSON.stringify({ mcpServers: broken }));
  await window.click(`${CARD} button`, "Look again");
  await until("it is missing", async () => /program missing/.test(await said(window)));
  await window.click(`${CARD} button`, "Test call: Claude Code");
  await until("it says why", async () => /cannot start \/no\/memlens/i.test(await said(window)));
});

/** Starts the server as an agent does, asks one question, and returns the paths of its results. */
async function askAsAgent(scratch, query) {
  const server = spawn(process.env.MEMLENS_CLI, ["--library", scratch.library, "serve", "--mcp"], {
    env: scratch.environment,
    stdio: ["pipe", "pipe", "ignore"],
  });
  const send = (message) => server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const clientInfo = { name: "claude-code", version: "1" };
  const params = {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo,
  };
  send({ id: 1, method: "initialize", params });
  send({ method: "notifications/initialized" });
  send({
    id: 2,
    method: "tools/call",
    params: { name: "memory_search", arguments: { query } },
  });
  try {
    for await (const line of createInterface({ input: server.stdout })) {
      const { id, result } = JSON.parse(line);
      if (id === 2) return JSON.parse(result.content[0].text).results.map(({ path }) => path);
    }
    throw new Error("the server ended without an answer");
  } finally {
    server.stdin.end();
  }
}

scenario(
  "what a connected agent asks appears in Past questions once the user agrees",
  async ({ window, scratch }) => {
    await window.show("Settings");
    await scratch.answerDialogs("");
    await window.click(`${CARD} input[type='checkbox']`);
    await window.until(
      "nobody agreed",
      (card) => document.querySelector(`${card} input[type='checkbox']`).checked === false,
      CARD,
    );
    await askAsAgent(scratch, "asked before the user agreed");
    await scratch.answerDialogs("yes");
    await window.click(`${CARD} input[type='checkbox']`);
    await until("it is recorded", async () => (await window.invoke("recall_logs")).records_calls);
    await window.show("Past questions");
    const paths = await askAsAgent(scratch, QUESTION);
    await window.until("it appears", () =>
      /served by Memlens/.test(document.querySelector("main").innerText),
    );
    const main = await window.run(() => document.querySelector("main").innerText);
    assert.equal(main.includes("asked before the user agreed"), false);
    await window.click("[role='row'] .question", QUESTION);
    await window.until("it was asked again", () =>
      /gives the same results; neither the notes nor their vectors have changed since/.test(
        document.querySelector("main").innerText,
      ),
    );
    await window.click("main button", "Open trace ↵");
    const rows = await window.rowsUntil("the trace is shown", (rows) => rows.length > 0);
    assert.deepEqual(
      rows
        .filter(({ rank }) => rank !== null)
        .slice(0, 3)
        .map(({ name }) => name),
      paths.slice(0, 3).map((path) => path.split("/").at(-1)),
    );
  },
);
