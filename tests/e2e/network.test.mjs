/** No connection leaves the machine: a whole session, in the window and by the command line, with every call written down. */
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";

import { until } from "./driver/deadline.mjs";
import { NetworkTrace, tracingDenied } from "./driver/network.mjs";
import { QUESTION } from "./driver/scenario.mjs";
import { Scratch } from "./driver/scratch.mjs";
import { KEY } from "./driver/webdriver.mjs";
import { MemlensWindow } from "./driver/window.mjs";

const skip = await tracingDenied();

let scratch;
before(async () => {
  scratch = await Scratch.make();
});
after(async () => scratch?.remove());

/** A trace in the scratch folder. */
function traceOf(name) {
  return new NetworkTrace(join(scratch.root, `${name}.strace`));
}

test("a program that reaches out is caught, also when it only asks for a name", { skip }, async () => {
  for (const [name, script] of [
    ["connects", "require('net').connect(9, '127.0.0.1').on('error', () => {})"],
    [
      "sends",
      "const socket = require('dgram').createSocket('udp6'); socket.send('x', 9, '::1', () => socket.close())",
    ],
    ["asks for a name", "require('dns').lookup('memlens.invalid', () => {})"],
    [
      "starts one that connects",
      `require('child_process').execFileSync(process.execPath,
      ['-e', "require('net').connect(9, '127.0.0.1').on('error', () => {})"])`,
    ],
  ]) {
    const trace = traceOf("probe");
    await promisify(execFile)(...trace.command(process.execPath, ["-e", script]));
    assert.notDeepEqual((await trace.calls()).reaches, [], name);
  }
});

test("the command line reaches nobody: indexing, watching, searching, exporting", { skip }, async () => {
  const program = process.env.MEMLENS_CLI;
  const out = join(scratch.root, "memlens.json");
  for (const args of [
    ["index", scratch.notes],
    ["search", QUESTION, "--explain"],
    ["why", QUESTION, "people/health-and-food.md"],
    ["status", "--json"],
    ["params", "--markdown"],
    ["export", "--set", "max_results=6", "--out", out],
  ]) {
    await nothing(args[0], async (trace) => {
      const [strace, traced] = trace.command(program, [...args, "--library", scratch.library]);
      await promisify(execFile)(strace, traced, { env: scratch.environment });
    });
  }
  assert.match(await readFile(out, "utf8"), /"max_results": 6/);
  // A library that reports its use writes its reports down first, and sends them later than some commands take.
  await assert.rejects(readdir(scratch.environment.XDG_CACHE_HOME), { code: "ENOENT" });
  await nothing("watch", async (trace) => {
    const [strace, traced] = trace.command(program, ["watch", "--library", scratch.library]);
    const watching = spawn(strace, traced, { env: scratch.environment, stdio: "ignore", detached: true });
    const ended = once(watching, "exit");
    try {
      // Written again and again, since only what is saved after the watch has begun shows that it watches.
      await until("a saved note is found", async () => {
        await scratch.write("pets/axolotl.md", `# Axolotl\n\nBram feeds the axolotl. ${performance.now()}\n`);
        const { results } = await scratch.search("who feeds the axolotl");
        return results[0]?.path.endsWith("axolotl.md");
      });
    } finally {
      process.kill(-watching.pid, "SIGINT");
      await ended;
    }
  });
});

test("a window that the user opens reaches nobody: notes indexed, a question asked", { skip }, async () => {
  scratch.library = join(scratch.root, "library-of-a-person");
  const files = await readdir(scratch.notes, { recursive: true });
  const n_notes = files.filter((file) => file.endsWith(".md")).length;
  await nothing("plain", async (trace) => {
    const [strace, traced] = trace.command(scratch.program, [
      ...["--library", scratch.library, "--add", scratch.notes, "--query", QUESTION],
    ]);
    const window = spawn(strace, traced, { env: scratch.environment, stdio: "ignore", detached: true });
    const ended = once(window, "exit");
    try {
      await until("every note is indexed", async () => {
        const status = await scratch.memlens("status", "--json").catch(() => "{}");
        return JSON.parse(status).n_files === n_notes;
      });
    } finally {
      process.kill(-window.pid, "SIGTERM");
      await ended;
    }
  });
});

test("the window reaches nobody, nor does any process of WebKit's", { skip }, async () => {
  const trace = traceOf("window");
  const program = scratch.program;
  scratch.program = join(scratch.root, "bin/traced-window");
  await trace.wrap(program, scratch.program);
  const window = await MemlensWindow.openIndexed(scratch);
  try {
    await window.ask(QUESTION);
    await window.rowsUntil("the question is answered", (rows) => rows[0]?.name === "home-server.md");
    await window.drag("vector_weight", 0.3);
    await window.press(KEY.down + KEY.enter);
    await scratch.write(
      "hostile.md",
      "# Hostile\n\n![far](https://memlens.invalid/far.png) <img src='https://memlens.invalid/tag.png'>" +
        " <iframe src='https://memlens.invalid/'></iframe> [link](https://memlens.invalid/)\n",
    );
    await window.ask("hostile far link");
    await window.rowsUntil("the note is found", (rows) => rows.some((row) => row.name === "hostile.md"));
    const [{ id }] = (await window.invoke("state")).folders;
    await window.invoke("document", { folder: id, path: "hostile.md" });
    await scratch.answerDialogs(join(scratch.root, "window.json"));
    await window.show("Export");
    await window.click("main button", "Save…");
    await window.until("it was saved", () =>
      /Read back to check/.test(document.querySelector("main").innerText),
    );
    for (const view of ["Memory", "Settings", "Search"]) await window.show(view);
  } finally {
    scratch.program = program;
    await window.close();
  }
  assert.deepEqual(await trace.calls(), { reaches: [], letsIn: [] });
});

/** Runs `act` with a trace and sees that it reached nobody and let nobody in. */
async function nothing(name, act) {
  const trace = traceOf(name);
  await act(trace);
  assert.deepEqual(await trace.calls(), { reaches: [], letsIn: [] }, name);
}
