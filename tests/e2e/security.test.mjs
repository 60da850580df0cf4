/** What the page cannot do, whatever got into it: no script of others, no way out, no file outside the watched folders. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { until } from "./driver/deadline.mjs";
import { inOneWindow, QUESTION } from "./driver/scenario.mjs";

const scenario = inOneWindow();

/** A hand-made cross-encoder of a few kilobytes. */
const TINY_CROSS = fileURLToPath(new URL("../fixtures/tiny-cross", import.meta.url));
const TINY_NLI = fileURLToPath(new URL("../fixtures/tiny-nli", import.meta.url));
const CONFIGURATION = new URL("../../src-tauri/tauri.conf.json", import.meta.url);

scenario("the policy in force is the one in the configuration", async ({ window }) => {
  const policy = await window.run(
    () =>
      new Promise((done) => {
        document.addEventListener("securitypolicyviolation", (event) => done(event.originalPolicy), {
          once: true,
        });
        // Refused by any policy that allows no images of others; an address that nobody answers.
        new Image().src = "http://127.0.0.1:9/";
      }),
  );
  const { app } = JSON.parse(await readFile(CONFIGURATION, "utf8"));
  const [inForce, configured] = [policy, app.security.csp].map(directives);
  // Tauri allows its own scripts by their sums, and adds nothing else.
  inForce["script-src"] = inForce["script-src"].filter((source) => !/^'(sha256|nonce)-/.test(source));
  assert.deepEqual(inForce, configured);
});

scenario("script from text does not run", async ({ window }) => {
  const outcome = await window.run(async () => {
    const violated = [];
    const note = (event) => violated.push(event.effectiveDirective);
    document.addEventListener("securitypolicyviolation", note);
    const script = document.createElement("script");
    script.textContent = "window.probe = 'element'";
    document.body.append(script);
    script.remove();
    const holder = document.createElement("div");
    holder.innerHTML = `<img src="data:," onerror="window.probe = 'handler'">`;
    document.body.append(holder);
    const link = document.createElement("a");
    link.href = "javascript:window.probe='address'";
    holder.append(link);
    link.click();
    for (let frame = 0; frame < 20; frame++) await new Promise(requestAnimationFrame);
    holder.remove();
    document.removeEventListener("securitypolicyviolation", note);
    return { probe: window.probe ?? null, violated };
  });
  assert.equal(outcome.probe, null);
  assert.ok(
    outcome.violated.some((directive) => directive.startsWith("script-src")),
    String(outcome.violated),
  );
});

scenario("nothing leaves the window, whichever way it is tried", async ({ window }) => {
  const asked = [];
  const server = createServer((request, response) => {
    asked.push(request.url);
    response.end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    await window.run(async (port) => {
      const away = (path) => `http://127.0.0.1:${port}/${path}`;
      const attempts = [
        () => fetch(away("fetch"), { mode: "no-cors" }),
        () => navigator.sendBeacon(away("beacon"), "x"),
        () => new WebSocket(`ws://127.0.0.1:${port}/socket`),
        () => new EventSource(away("events")),
        () => new Worker(away("worker.js")),
        () => import(away("module.js")),
        () => window.open(away("window")),
        () =>
          document.body.append(
            elements(`<img src="${away("image")}"><video src="${away("video")}"></video>`),
          ),
        () =>
          document.body.append(
            elements(`<iframe src="${away("frame")}"></iframe><object data="${away("object")}"></object>`),
          ),
        () => document.body.append(elements(`<link rel="stylesheet" href="${away("style")}">`)),
        () =>
          document.body.append(
            elements(`<form action="${away("form")}"><button></button></form>`).querySelector("form"),
          ),
        () => document.body.lastElementChild.requestSubmit(),
        () =>
          document.body.append(
            elements(`<a ping="${away("ping")}" href="${away("link")}" target="_blank"></a>`),
          ),
        () => document.body.lastElementChild.querySelector("a").click(),
        () => location.assign(away("address")),
      ];
      for (const attempt of attempts) {
        // Some throw, some reject, some do nothing: the server's log decides.
        await Promise.resolve()
          .then(attempt)
          .catch(() => {});
      }

      function elements(html) {
        const holder = document.createElement("div");
        holder.innerHTML = html;
        return holder;
      }
    }, server.address().port);
    // Whatever was let through has arrived before this, which is asked last, comes back.
    await fetch(`http://127.0.0.1:${server.address().port}/last`);
    await window.invoke("state");
    assert.deepEqual(asked, ["/last"]);
  } finally {
    server.close();
  }
});

scenario("only the commands of the capability can be called", async ({ window }) => {
  const others = [
    "no_such_command",
    "plugin:dialog|open",
    "plugin:dialog|save",
    "plugin:fs|read_text_file",
    "plugin:shell|open",
    "plugin:event|emit",
    "plugin:window|close",
    "plugin:window|set_title",
    "plugin:webview|create_webview_window",
    "plugin:webview|webview_close",
    "plugin:path|resolve_directory",
    "plugin:app|version",
    "plugin:resources|close",
  ];
  for (const command of others) {
    await assert.rejects(window.invoke(command), /not allowed|not found/, command);
  }
});

scenario(
  "nothing is written into a watched folder, whichever way it is named",
  async ({ window, scratch }) => {
    const before = await readdir(scratch.notes);
    const { resolved } = JSON.parse(await window.invoke("export_text", { params: await defaults(scratch) }));
    const link = join(scratch.root, "link");
    await symlink(scratch.notes, link);
    for (const path of [
      join(scratch.notes, "memlens.json"),
      `${scratch.notes}/reference/../memlens.json`,
      `${scratch.library}/../notes/people/memlens.json`,
      join(link, "memlens.json"),
    ]) {
      await scratch.answerDialogs(path);
      await assert.rejects(window.invoke("export_save", { params: resolved }), /watched folder/, path);
    }
    assert.deepEqual(await readdir(scratch.notes), before);
  },
);

scenario("the page names no file to write or to read: the user does", async ({ window, scratch }) => {
  const { resolved } = JSON.parse(await window.invoke("export_text", { params: await defaults(scratch) }));
  const secret = join(scratch.root, "secret.json");
  await writeFile(secret, '{ "schemaVersion": 1, "pin": 4711 }\n');
  await scratch.answerDialogs(null);
  // Whatever else it says.
  assert.equal(await window.invoke("export_save", { params: resolved, path: secret }), null);
  assert.equal(await window.invoke("preset_open", { path: secret }), null);
  assert.equal(await window.invoke("pick_folder", { path: scratch.root }), null);
  await assert.rejects(window.invoke("write_file", { path: secret }), /not allowed|not found/);
  // Only an answer that the window was shown is written, and only into its own config.
  for (const command of ["export_write", "export_fragment"]) {
    await assert.rejects(
      window.invoke(command, { id: 4711, path: secret }),
      /changed in the meantime/,
      command,
    );
  }
  for (const path of [secret, scratch.dialogAnswer, "/etc/passwd", "", "."]) {
    await assert.rejects(window.invoke("preset_read", { path }), /it was not saved by this window/, path);
  }
  assert.match(await readFile(secret, "utf8"), /4711/);
  // What the user chose can be written and read again; what is beside it cannot.
  const chosen = join(scratch.root, "chosen.json");
  await scratch.answerDialogs(chosen);
  assert.equal(await window.invoke("export_save", { params: resolved }), chosen);
  assert.deepEqual((await window.invoke("preset_read", { path: chosen })).params, resolved);
  await assert.rejects(
    window.invoke("preset_read", { path: `${scratch.root}/./chosen.json` }),
    /it was not saved by this window/,
  );
});

scenario("no file outside the watched folders can be read or opened", async ({ window, scratch }) => {
  const [{ id }] = (await window.invoke("state")).folders;
  const secret = join(scratch.root, "secret.md");
  await writeFile(secret, "# Secret\n\nThe safe opens with 4711.\n");
  await symlink(secret, join(scratch.notes, "people/leads-out.md"));
  for (const path of [
    "../secret.md",
    "people/../../secret.md",
    secret,
    "people/leads-out.md",
    "",
    ".",
    "people",
  ]) {
    await assert.rejects(
      window.invoke("document", { folder: id, path }),
      (error) => !/4711/.test(error.message),
      `document ${path}`,
    );
    await assert.rejects(
      window.invoke("open_in_editor", { folder: id, path }),
      undefined,
      `open_in_editor ${path}`,
    );
  }
  await assert.rejects(
    window.invoke("document", {
      folder: "999",
      path: "reference/home-server.md",
    }),
  );
  assert.deepEqual(await scratch.opened(), []);
  // The link is not followed by the index either.
  await window.ask("what opens the safe");
  const rows = await window.rowsUntil("the question is answered", (rows) => rows.length > 0);
  assert.ok(rows.every((row) => !row.text.includes("4711")));
});

scenario("an address is opened outside only when the user allows it", async ({ window, scratch }) => {
  const address = "https://memlens.invalid/?q=a%20note";
  await scratch.answerDialogs(null);
  assert.equal(await window.invoke("open_link", { address }), false);
  assert.deepEqual(await scratch.opened(), []);
  await scratch.answerDialogs("yes");
  for (const other of ["file:///etc/passwd", "javascript:alert(1)", "/etc/passwd", "--help", ""]) {
    await assert.rejects(window.invoke("open_link", { address: other }), /cannot open/, other);
  }
  assert.equal(await window.invoke("open_link", { address }), true);
  await until("the system's program was asked", async () => String(await scratch.opened()) === address);
});

scenario(
  "a host gets notes or a key, and a command runs, only when the user allows it",
  async ({ window, scratch }) => {
    const choice = {
      kind: "tei",
      url: "https://memlens.invalid",
      model: null,
      key_env: null,
      is_on: true,
    };
    const setHttp = (changed) =>
      window.invoke("set_rerank_http", {
        http: { ...choice, ...changed },
        key: null,
      });
    await scratch.answerDialogs(null);
    for (const changed of [{}, { is_on: false }, { is_on: false, key_env: "HOME" }]) {
      assert.equal((await setHttp(changed)).http, null, JSON.stringify(changed));
    }
    assert.equal((await window.invoke("set_hook", { command: ["sort"] })).hook, null);
    // This machine's own servers get nothing that leaves it, but the page names no variable whose value they get.
    for (const is_on of [true, false])
      assert.equal((await setHttp({ url: "http://127.0.0.1:9", is_on, key_env: "HOME" })).http, null);
    assert.equal((await setHttp({ url: "http://127.0.0.1:9", is_on: false })).http.host, "127.0.0.1:9");

    await scratch.answerDialogs("yes");
    assert.equal((await setHttp({ is_on: false })).http.host, "memlens.invalid");
    assert.deepEqual((await window.invoke("set_hook", { command: ["sort"] })).hook, ["sort"]);
    await scratch.answerDialogs(null);
    // What was agreed to is that host without a key, and switched off.
    for (const changed of [
      {},
      { is_on: false, key_env: "HOME" },
      { url: "https://other.invalid", is_on: false },
    ]) {
      const { http } = await setHttp(changed);
      assert.deepEqual([http.host, http.is_on, http.key_env], ["memlens.invalid", false, null]);
    }
    // To send less, nobody is asked.
    assert.equal((await window.invoke("rerank_http_off", {})).http.is_on, false);
    assert.equal((await window.invoke("set_hook", { command: null })).hook, null);
    await assert.rejects(window.invoke("download_rerank_model", { name: "../elsewhere" }), /choose one of/);
  },
);

scenario("a folder is opened as a model only when the user allows it", async ({ window, scratch }) => {
  const setModel = (folder) => window.invoke("set_rerank_model", { model: { name: null, folder } });
  // A pipe blocks its reader, so an answer proves that it was not read.
  const trap = join(scratch.root, "trap");
  await mkdir(trap);
  await promisify(execFile)("mkfifo", [join(trap, "tokenizer.json")]);
  await writeFile(join(trap, "model.onnx"), "");
  await scratch.answerDialogs(null);
  for (const folder of [TINY_CROSS, trap, scratch.notes, "/etc", "/no/such/folder", "relative"])
    assert.equal((await setModel(folder)).model, null, folder);
  await scratch.answerDialogs("yes");
  await assert.rejects(setModel("/no/such/folder"), /no such folder/);
  assert.equal((await setModel(TINY_CROSS)).model.folder, TINY_CROSS);
  await scratch.answerDialogs(null);
  // The same again needs nobody, another one does; none at all, and one of the list, open no folder.
  assert.equal((await setModel(TINY_CROSS)).model.folder, TINY_CROSS);
  assert.equal((await setModel(`${TINY_CROSS}/../..`)).model.folder, TINY_CROSS);
  await assert.rejects(
    window.invoke("set_rerank_model", {
      model: { name: "bge-reranker-base", folder: null },
    }),
    /it is not downloaded/,
  );
  assert.equal((await window.invoke("set_rerank_model", { model: null })).model, null);
});

scenario("a folder gives a second opinion only when the user allows it", async ({ window, scratch }) => {
  const choose = async (folder) => (await window.invoke("choose_second_opinion", { folder })).folder;
  await scratch.answerDialogs(null);
  for (const folder of [TINY_NLI, scratch.notes, "/no/such/folder"])
    assert.equal(await choose(folder), null, folder);
  await scratch.answerDialogs("yes");
  await assert.rejects(choose("/no/such/folder"), /no such folder/);
  await assert.rejects(choose(TINY_CROSS), /`id2label` names 0 labels/);
  assert.equal(await choose(TINY_NLI), TINY_NLI);
  await scratch.answerDialogs(null);
  // The same again needs nobody, another one does; none at all opens no folder.
  assert.equal(await choose(TINY_NLI), TINY_NLI);
  assert.equal(await choose(TINY_CROSS), TINY_NLI);
  assert.equal(await choose(null), null);
});

scenario("the page loads from the program alone, and asks the program alone", async ({ window }) => {
  await window.ask(QUESTION);
  await window.rowsUntil("the question is answered", (rows) => rows[0]?.name === "home-server.md");
  for (const view of ["Memory", "Export", "Settings", "Search"]) await window.show(view);
  const addresses = await window.run(() => [
    location.href,
    ...performance.getEntriesByType("resource").map((entry) => entry.name),
  ]);
  const strange = addresses.filter(
    (address) => !/^(tauri:\/\/localhost(\/|#|$)|ipc:\/\/localhost\/|data:image\/)/.test(address),
  );
  assert.deepEqual(strange, []);
});

/** A policy's directives with their sources, each as written. */
function directives(policy) {
  return Object.fromEntries(
    policy
      .split(";")
      .map((directive) => directive.trim().split(/\s+/))
      .map(([name, ...sources]) => [name, sources]),
  );
}

async function defaults(scratch) {
  return (await scratch.search(QUESTION)).params;
}
