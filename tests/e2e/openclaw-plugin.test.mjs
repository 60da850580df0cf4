/** The plugin for OpenClaw, as OpenClaw loads it, with the real server behind it. */
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { QUESTION } from "./driver/scenario.mjs";
import { Scratch } from "./driver/scratch.mjs";

const PLUGIN = new URL("../../crates/memlens-serve/openclaw-plugin/", import.meta.url);
const CLI = process.env.MEMLENS_CLI;
const MEMORY_CORE_OFF = { plugins: { entries: { "memory-core": { enabled: false } } } };

let scratch;
let plugin;
before(async () => {
  scratch = await Scratch.make();
  await scratch.useSampleLibrary();
  ({ default: plugin } = await import(new URL("dist/index.js", PLUGIN)));
});
after(async () => scratch?.remove());

/** What the plugin registers, with these settings and this config of OpenClaw. */
function registered(settings, config = MEMORY_CORE_OFF) {
  const host = { tools: new Map(), warnings: [], capability: undefined, service: undefined };
  plugin.register({
    pluginConfig: settings,
    config,
    logger: { warn: (message) => host.warnings.push(message) },
    registerMemoryCapability: (capability) => (host.capability = capability),
    registerTool: (make, { names }) => names.forEach((name) => host.tools.set(name, make)),
    registerService: (service) => (host.service = service),
  });
  host.toolOf = (name, agentId = "main") => host.tools.get(name)({ agentId });
  host.call = (name, args, signal, agentId) => host.toolOf(name, agentId).execute("call", args, signal);
  return host;
}

const ofScratch = () => ({ command: CLI, library: scratch.library, allFolders: true });

test("its tools are those of the server, and its manifest names them", async () => {
  const server = spawn(CLI, ["--library", scratch.library, "serve", "--mcp"], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const answers = createInterface({ input: server.stdout })[Symbol.asyncIterator]();
  const ask = async (id, method, params) => {
    server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    return JSON.parse((await answers.next()).value).result;
  };
  await ask(1, "initialize", {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "test", version: "1" },
  });
  server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\n`);
  const { tools } = await ask(2, "tools/list", {});
  server.stdin.end();
  await once(server, "exit");

  const form = ({ name, properties, required }) => ({
    name,
    properties: properties ?? {},
    required: required ?? [],
  });
  const sorted = (list) => list.toSorted((a, b) => a.name.localeCompare(b.name));
  const host = registered(ofScratch());
  const offered = [...host.tools.keys()].map((name) => {
    const tool = host.toolOf(name);
    assert.equal(tool.name, name);
    return form({ name, ...tool.parameters });
  });
  const served = tools.map(({ name, inputSchema }) => form({ name, ...inputSchema }));
  assert.deepEqual(sorted(offered), sorted(served));

  const manifest = JSON.parse(await readFile(new URL("openclaw.plugin.json", PLUGIN), "utf8"));
  assert.deepEqual(manifest.contracts.tools, offered.map(({ name }) => name).toSorted());
  const settings = Object.keys(manifest.configSchema.properties);
  assert.deepEqual(settings.toSorted(), Object.keys(manifest.uiHints).toSorted());
});

test("a search answers as the command line does, and a result can be read", async () => {
  const host = registered(ofScratch());
  const { content, details } = await host.call("memory_search", { query: QUESTION, maxResults: 3 });
  assert.deepEqual(JSON.parse(content[0].text), details);
  const { results } = await scratch.search(QUESTION);
  assert.deepEqual(
    details.results.map(({ path, startLine }) => [path, startLine]),
    results.slice(0, 3).map(({ path, start_line }) => [path, start_line]),
  );
  const [{ path, startLine }] = details.results;
  const note = await host.call("memory_get", { path, from: startLine, lines: 1 });
  assert.equal(note.details.text.trimEnd().split("\n").length, 1);
  assert.ok(note.details.text.length > 0);
  await assert.rejects(host.call("memory_get", { path: "../outside.md" }), /outside\.md/);
  host.service.stop();
});

test("each agent of OpenClaw gets the notes of its own workspace", async () => {
  const own = await Scratch.make({ isEmpty: true });
  const config = { agents: { entries: { main: { default: true }, work: {} } } };
  await own.writeHome(".openclaw/openclaw.json", JSON.stringify(config));
  await own.writeHome(".openclaw/workspace/MEMORY.md", "The plum tree is old.\n");
  await own.writeHome(".openclaw/workspace-work/MEMORY.md", "The plum tree is young.\n");
  await own.memlens("agents", "add", "openclaw");
  const command = join(own.root, "memlens");
  await writeFile(command, `#!/bin/sh\nHOME='${own.home}' exec '${CLI}' "$@"\n`, { mode: 0o755 });
  const search = async (host, agent) => {
    const { details } = await host.call("memory_search", { query: "plum tree" }, undefined, agent);
    return details.results.map(({ snippet }) => snippet.match(/old|young/)?.[0]).toSorted();
  };

  const host = registered({ command, library: own.library });
  assert.deepEqual(await Promise.all([search(host, "main"), search(host, "work")]), [["old"], ["young"]]);
  await assert.rejects(search(host, "nobody"), /names no agent "nobody"/);
  const tool = host.tools.get("memory_search")({});
  await assert.rejects(tool.execute("call", { query: "plum tree" }), /did not say which agent/);
  host.service.stop();

  const all = registered({ command, library: own.library, allFolders: true });
  assert.deepEqual(await search(all, "work"), ["old", "young"]);
  all.service.stop();
  await own.remove();
});

test("it ranks by the preset that its settings name", async () => {
  const scores = async (settings) => {
    const host = registered({ ...ofScratch(), ...settings });
    const { details } = await host.call("memory_search", { query: QUESTION, maxResults: 1 });
    host.service.stop();
    return details.results.map(({ score }) => score);
  };
  const plain = await scores({});
  assert.notDeepEqual(await scores({ savedPreset: "Rensei" }), plain);
  const preset = join(scratch.root, "memlens.json");
  await scratch.memlens("export", "--set", "bm25_on=false", "--out", preset);
  assert.notDeepEqual(await scores({ preset }), plain);
  await assert.rejects(scores({ savedPreset: "no such preset" }), /no such preset/);
});

test("a server that ended is started again, and a call that waits is reported", async () => {
  const host = registered(ofScratch());
  await host.call("memory_status", {});
  host.service.stop();
  const { details } = await host.call("memory_status", {});
  assert.ok(details.folders.length > 0);
  const stopped = new AbortController();
  const call = host.call("memory_search", { query: QUESTION }, stopped.signal);
  stopped.abort();
  await assert.rejects(call, /cancelled|aborted/);
  host.service.stop();
});

test("a program that is missing, fails or never answers is named", async () => {
  const missing = registered({ ...ofScratch(), command: join(scratch.root, "no-such-program") });
  await assert.rejects(missing.call("memory_status", {}), /cannot start .*no-such-program.*install Memlens/);
  const failing = registered({ ...ofScratch(), library: join(scratch.root, "no-such-library") });
  await assert.rejects(failing.call("memory_status", {}), /no-such-library/);
  const silent = join(scratch.root, "silent.mjs");
  await writeFile(silent, "#!/usr/bin/env node\nprocess.stdin.resume();\n", { mode: 0o755 });
  const late = registered({ command: silent, timeoutSeconds: 1 });
  await assert.rejects(late.call("memory_status", {}), /did not answer within 1 s/);
  late.service.stop();
});

test("an idle server lets the program end", async () => {
  const script = join(scratch.root, "once.mjs");
  const entry = fileURLToPath(new URL("dist/index.js", PLUGIN));
  await writeFile(
    script,
    `import plugin from ${JSON.stringify(entry)};
     let status;
     plugin.register({
       pluginConfig: ${JSON.stringify(ofScratch())},
       registerMemoryCapability() {},
       registerTool(make, { names }) { if (names.includes("memory_status")) status = make({ agentId: "main" }); },
     });
     console.log((await status.execute("call", {})).details.folders.length);`,
  );
  const { stdout } = await promisify(execFile)(process.execPath, [script]);
  assert.equal(stdout, "1\n");
});

test("it warns while OpenClaw loads memory-core beside it", () => {
  const entries = (entry) => ({ plugins: { entries: { "memory-core": entry } } });
  for (const [config, isWarned] of [
    [{}, true],
    [entries({ enabled: true }), true],
    [entries({ enabled: false }), false],
    [entries({ config: { dreaming: { enabled: false } } }), false],
    [{ plugins: { deny: ["memory-core"] } }, false],
  ]) {
    const { warnings } = registered(ofScratch(), config);
    assert.equal(warnings.length, isWarned ? 1 : 0, JSON.stringify(config));
  }
});

test("the prompt names the tools that are there", () => {
  const { capability } = registered(ofScratch());
  assert.equal(capability.deterministicRecallToolName, "memory_search");
  assert.deepEqual(capability.promptBuilder({ availableTools: new Set() }), []);
  const lines = capability.promptBuilder({
    availableTools: new Set(["memory_search"]),
    citationsMode: "off",
  });
  assert.match(lines.join("\n"), /run memory_search\./);
  assert.doesNotMatch(lines.join("\n"), /memory_get|path#line/);
});
