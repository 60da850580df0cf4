/** The reranker in the window: late interaction, a provider on this machine that answers, is slow or fails, and the hook. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { chmod, cp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { after } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { until } from "./driver/deadline.mjs";
import { inOneWindow, QUESTION } from "./driver/scenario.mjs";
import { KEY } from "./driver/webdriver.mjs";

/** A hand-made cross-encoder of a few kilobytes. */
const TINY_CROSS = fileURLToPath(new URL("../fixtures/tiny-cross", import.meta.url));
const KEY_VARIABLE = "MEMLENS_E2E_RERANK_KEY";
const SECRET = "sk-end-to-end";
/** Rows that the table draws in this window; more are sent than are seen. */
const MAX_DOCS = 20;

/** A server that speaks Cohere's format: the later a text stands among those sent, the better. */
class Provider {
  requests = [];
  /** The status of every answer. */
  status = 200;
  /** Holds answers back until it is called. */
  release = () => {};
  #server;
  #gate = Promise.resolve();

  static async start() {
    const provider = new Provider();
    provider.#server = createServer((request, response) => void provider.#answer(request, response));
    provider.#server.listen(0, "127.0.0.1");
    await once(provider.#server, "listening");
    return provider;
  }

  get url() {
    return `http://127.0.0.1:${this.#server.address().port}`;
  }

  hold() {
    this.#gate = new Promise((resolve) => (this.release = resolve));
  }

  stop() {
    this.release();
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #answer(request, response) {
    let text = "";
    for await (const part of request) text += part;
    const { query, documents } = JSON.parse(text);
    this.requests.push({
      path: request.url,
      query,
      documents,
      key: request.headers.authorization,
    });
    await this.#gate;
    response.writeHead(this.status, { "content-type": "application/json" });
    const results = documents.map((_, index) => ({
      index,
      relevance_score: (index + 1) / (documents.length + 1),
    }));
    response.end(JSON.stringify(this.status === 200 ? { results } : { message: "no" }));
  }
}

const provider = await Provider.start();
after(() => provider.stop());
const scenario = inOneWindow({
  prepare: async (scratch) => {
    scratch.environment[KEY_VARIABLE] = SECRET;
  },
});

/** Begins with the defaults, or with this reranker, and the question's answer. */
async function begin(window, question = QUESTION) {
  await window.show("Search");
  if ((await window.texts(".rail-foot button")).includes("Reset all"))
    await window.click(".rail-foot button", "Reset all");
  await window.ask(question);
  return window.rowsUntil("it is answered", (rows) => rows.length > 0 && rows[0].rerank === null);
}

async function choose(window, provider) {
  await window.switchOn("Rerank");
  await window.click("[data-parameter='rerank'] label", provider);
}

/** Old rank, new rank and score of a cell that has them; one rank where the row did not move. */
function read(cell) {
  const [ranks, score] = cell.replace("−", "-").split(/\s+/);
  const [before, after = before] = ranks.split("→").map(Number);
  return { before, after, score: Number(score) };
}

function isScored(row) {
  return /^\d+(→\d+)?\s+−?\d+\.\d+$/.test(row.rerank ?? "");
}

async function scored(window) {
  return window.rowsUntil("the scores are there", (rows) => rows.length > 0 && isScored(rows[0]));
}

async function notice(window) {
  return (await window.texts(".search-view .note")).find((text) => text.startsWith("Reranking failed")) ?? "";
}

scenario("what is not set up cannot be chosen, and Settings is one click away", async ({ window }) => {
  await begin(window);
  await window.switchOn("Rerank");
  const barred = await window.run(() =>
    Array.from(document.querySelectorAll("[data-parameter='rerank'] input:disabled"), (input) => input.value),
  );
  assert.deepEqual(barred, ["model", "http"]);
  await window.click("[aria-labelledby='group-rerank'] .link", "Settings");
  await window.until("Settings is shown", () => document.querySelector("#settings-rerank") !== null);
});

scenario("late interaction moves rows, and says what it read", async ({ window, scratch }) => {
  await begin(window);
  await choose(window, "late");
  const rows = await scored(window);
  const ranks = rows.filter(isScored).map((row) => read(row.rerank));
  // Repeats moves rows behind the reranker, so the ranks are whole but need not stand in order.
  assert.deepEqual(
    ranks.map(({ after }) => after).toSorted((a, b) => a - b),
    ranks.map((_, at) => at + 1),
  );
  assert.ok(ranks.some(({ before, after }) => before !== after));
  const { results } = await scratch.search(QUESTION, "--set", "rerank=late");
  assert.deepEqual(
    rows.filter((row) => row.rank !== null).map((row) => row.name),
    results.map(({ path }) => path.split("/").at(-1)),
  );
  await window.until("the words are reported", () => document.querySelectorAll(".j-rr .w.counts").length > 0);
  assert.match((await window.texts(".j-rr"))[0], /late interaction/);
});

scenario(
  "a folder with a cross-encoder is tried, and its logits are shown as reported",
  async ({ window, scratch }) => {
    await scratch.answerDialogs("yes");
    await window.show("Settings");
    await window.click("#rerank-folder");
    await window.press(join(TINY_CROSS, "nowhere") + KEY.enter);
    await window.until("it is refused", () => document.querySelector(".part [role='alert']") !== null);
    await window.click("#rerank-folder");
    await window.press("a", [KEY.control]);
    await window.press(TINY_CROSS + KEY.enter);
    await window.until("it is chosen", () =>
      /your folder/.test(document.querySelector(".part h3").innerText),
    );
    await begin(window);
    await choose(window, "model");
    await window.until("the model's scores are there", () =>
      /logit/.test(document.querySelector("[role='columnheader'].rerank")?.innerText),
    );
    const rows = await scored(window);
    const shown = rows.filter(isScored).map((row) => read(row.rerank));
    assert.ok(shown.every(({ score }) => Number.isFinite(score)));
  },
);

scenario(
  "a model that is still being loaded is reported, and its scores come by themselves",
  async ({ window, scratch }) => {
    const slow = join(scratch.root, "slow-cross");
    await cp(TINY_CROSS, slow, { recursive: true });
    const tokenizer = join(slow, "tokenizer.json");
    const text = await readFile(tokenizer);
    await scratch.answerDialogs("yes");
    const setModel = (folder) => window.invoke("set_rerank_model", { model: { name: null, folder } });
    await setModel(slow);
    // A pipe blocks its reader until somebody writes.
    await rm(tokenizer);
    await promisify(execFile)("mkfifo", [tokenizer]);
    const before = await begin(window, "what does the museum lend");
    // A few seconds: enough for the scores once it is loaded.
    await window.switchOn("Rerank");
    await window.showAdvanced();
    await window.drag("rerank_timeout_ms", 0.05);
    await choose(window, "model");
    assert.match(await until("it is reported", () => notice(window)), /still loading/);
    await window.until("it is waited for", () =>
      /Loading .*…/.test(document.querySelector(".pills")?.innerText),
    );
    const kept = (rows) => rows.filter((row) => row.rank !== null).map((row) => row.chunk);
    assert.deepEqual(kept(await window.rows()), kept(before));
    await writeFile(tokenizer, text);
    await scored(window);
    assert.equal(await notice(window), "");
    await setModel(TINY_CROSS);
  },
);

scenario("a provider is set up in Settings, tested, and named in the window's head", async ({ window }) => {
  await window.show("Settings");
  await window.choose("#rerank-kind", "Cohere");
  for (const [field, text] of [
    ["rerank-url", provider.url],
    ["rerank-env", KEY_VARIABLE],
  ]) {
    await window.click(`#${field}`);
    await window.press("a", [KEY.control]);
    await window.press(text);
  }
  await window.click("button", "Switch on…");
  await window.until("it is on", () => /^on: 127/.test(document.querySelector(".state.on")?.innerText ?? ""));
  assert.match((await window.texts("header.top .mark"))[0], /Reranker on: 127\.0\.0\.1:\d+ \(unused\)/);
  assert.deepEqual(provider.requests, []);
  await window.click("button", "Test");
  await window.until("it answers", () => /It answers/.test(document.querySelector(".tested").innerText));
  assert.equal(provider.requests.length, 1);
  assert.equal(provider.requests[0].documents.length, MAX_DOCS);
  assert.equal(provider.requests[0].key, `Bearer ${SECRET}`);
});

scenario("it is asked once per question, and its order stands", async ({ window }) => {
  const before = await begin(window);
  provider.requests = [];
  await choose(window, "http");
  const rows = await scored(window);
  assert.equal(provider.requests.length, 1);
  assert.equal(provider.requests[0].query, QUESTION);
  assert.equal(provider.requests[0].documents.length, MAX_DOCS);
  // The server prefers what stands last.
  assert.deepEqual(read(rows[0].rerank), {
    before: MAX_DOCS,
    after: 1,
    score: 0.952,
  });
  assert.notEqual(rows[0].chunk, before[0].chunk);
  assert.ok(rows.some((row) => row.rank === null && row.rerank.endsWith("not sent")));
});

scenario(
  "nothing is asked while a slider is dragged, and only for what lacks when it is let go",
  async ({ window }) => {
    await begin(window);
    await choose(window, "http");
    await scored(window);
    provider.requests = [];
    await window.grab("rerank_max_docs");
    await window.dragTo("rerank_max_docs", 0.15);
    assert.deepEqual(provider.requests, []);
    await window.releasePointer();
    await until("it is asked", () => provider.requests.length > 0);
    const { value } = await window.parameter("rerank_max_docs");
    assert.ok(Number(value) > MAX_DOCS, value);
    await window.showAdvanced();
    await window.drag("rerank_share", 0.5);
    await window.rowsUntil("both scores are blended", (rows) => isScored(rows[0]));
    assert.equal(provider.requests.length, 1);
  },
);

scenario(
  "a slow provider is waited for with a count, and a newer question ends the call",
  async ({ window }) => {
    await begin(window, "what does the museum need");
    provider.hold();
    provider.requests = [];
    await choose(window, "http");
    await window.until("the wait is reported", () =>
      /Asking 127.*for \d+ scores/.test(document.querySelector(".pills")?.innerText),
    );
    const waiting = await window.rows();
    assert.ok(waiting.some((row) => row.rerank?.endsWith("pending")));
    await window.ask("how do I restart the relay");
    await until("the new question is asked too", () =>
      provider.requests.some(({ query }) => query === "how do I restart the relay"),
    );
    provider.release();
    await scored(window);
  },
);

scenario("a provider that fails leaves the order before it, and says why", async ({ window }) => {
  const before = await begin(window, "what did we decide about backups");
  provider.status = 401;
  provider.requests = [];
  await choose(window, "http");
  const text = await until("it is reported", () => notice(window));
  assert.match(text, /401|key/);
  assert.doesNotMatch(text, new RegExp(SECRET));
  assert.match((await window.texts(".stg[data-stage='rerank']"))[0], /fallback/);
  const kept = (rows) => rows.filter((row) => row.rank !== null).map((row) => row.chunk);
  assert.deepEqual(kept(await window.rows()), kept(before));
  provider.status = 200;
  await window.click(".search-view .note button", "Try again");
  await scored(window);
  assert.equal(await notice(window), "");
});

scenario("switched off, nothing is sent any more and the mark is gone", async ({ window }) => {
  await window.show("Settings");
  await window.click("button", "Switch off");
  await window.until("the mark is gone", () => document.querySelector("header.top .mark") === null);
  provider.requests = [];
  await window.show("Search");
  await window.ask("where is the spare key");
  const text = await until("it is reported", () => notice(window));
  assert.match(text, /off|switched/);
  assert.deepEqual(provider.requests, []);
});

scenario("the hook reorders what is left, and the journey shows its move", async ({ window, scratch }) => {
  const script = join(scratch.root, "bin/turn-round");
  await writeFile(
    script,
    `#!/bin/sh\nexec python3 -c 'import json, sys\nevent = json.load(sys.stdin)\nprint(json.dumps({"results": event["results"][::-1]}))'\n`,
  );
  await chmod(script, 0o755);
  await scratch.answerDialogs("yes");
  await window.show("Settings");
  await window.click("#hook-command");
  await window.press(script);
  await window.click("section[aria-labelledby='settings-hook'] button", "Save");
  await window.until(
    "it is set",
    () =>
      document.querySelector("section[aria-labelledby='settings-hook'] button:last-child")?.innerText ===
      "Remove",
  );
  const kept = (rows) => rows.filter((row) => row.rank !== null).map((row) => row.chunk);
  const before = kept(await begin(window));
  await window.switchOn("Hook");
  await window.rowsUntil(
    "the order is turned round",
    (rows) => String(kept(rows)) === String(before.toReversed()),
  );
  await window.until("the journey shows the move", () =>
    Array.from(
      document.querySelectorAll(".j-steps [data-step='hook'] .ranks"),
      (ranks) => ranks.innerText,
    ).some((text) => text.includes("→")),
  );
});
