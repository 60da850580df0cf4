/** The Memory view: the folders' tree, a note as text, and the borders of its chunks. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { join } from "node:path";
import { after } from "node:test";

import { until } from "./driver/deadline.mjs";
import { inOneWindow, QUESTION } from "./driver/scenario.mjs";
import { KEY } from "./driver/webdriver.mjs";

/** Every way that a note could try to run, load, style, send or lead away; `at` is a server that listens. */
const hostile = (at) => `# Hostile

<img src="${at}/image" onerror="window.hostile = true"> <script>window.hostile = true</script>

<script src="${at}/script.js"></script><iframe srcdoc="<script>parent.hostile=true</script>"></iframe>

<meta http-equiv="refresh" content="0;url=${at}/refresh"><base href="${at}/"><link rel="stylesheet" href="${at}/css">

<svg onload="window.hostile = true"><use href="${at}/svg#x"/></svg> <p style="position:fixed;inset:0">over all</p>

<form action="${at}/form"><input autofocus onfocus="window.hostile = true"></form> <object data="${at}/object"></object>

[a link](javascript:window.hostile=true) [data](data:text/html,<script>1</script>) [file](file:///etc/passwd)

![a picture](${at}/pixel.gif) ![local](../reference/home-server.md) [out](${at}/out) [note](../reference/home-server.md#layout)

${">".repeat(10_000)} deep

${"[".repeat(10_000)}

The end of it.
`;

/** Listens and writes down what it is asked for. */
const asked = [];
const server = createServer((request, response) => {
  asked.push(request.url);
  response.end();
}).listen(0, "127.0.0.1");
await once(server, "listening");
const AT = `http://127.0.0.1:${server.address().port}`;
after(() => server.close());

const scenario = inOneWindow({
  prepare: async (scratch) => {
    await scratch.write("people/hostile.md", hostile(AT));
    await scratch.write("people/broken.jsonl", '{"text": "a good line"}\n{"text": \n');
    await scratch.write("people/no-text.md", "a\0b");
  },
});

async function openNote(window, words, path) {
  await window.show("Memory");
  await window.click("input[type='search']");
  await window.press("a", [KEY.control]);
  await window.press(words + KEY.enter + KEY.enter);
  await window.until(
    "the note is open",
    (wanted) => document.querySelector(`article [role='region'][aria-label='Text of ${wanted}']`) !== null,
    path,
  );
}

async function treeNames(window) {
  return window.run(() =>
    Array.from(
      document.querySelectorAll("[role='treeitem']"),
      (row) => row.getAttribute("aria-label").split(",")[0],
    ),
  );
}

scenario("the tree shows the folders and notes, and is walked by the arrow keys", async ({ window }) => {
  await window.show("Memory");
  await until("the tree is read", async () => (await treeNames(window)).includes("reference"));
  const names = await treeNames(window);
  for (const name of ["notes", "people", "protocols", "reference", "home-server.md"])
    assert.ok(names.includes(name), `${name} in ${names}`);
  await window.click("input[type='search']");
  await window.press(`home${KEY.enter}${KEY.enter}`);
  await window.until("the note is open", () =>
    document.querySelector("article h2")?.textContent.includes("home-server.md"),
  );
  await window.click("input[type='search']");
  await window.press(KEY.escape);
  await until("all notes are back", async () => (await treeNames(window)).includes("signe-profile.md"));
});

scenario("a note stands with its lines and the borders of its chunks", async ({ window }) => {
  await window.show("Memory");
  const [folder] = (await window.invoke("state")).folders;
  const note = await window.invoke("document", { folder: folder.id, path: "reference/home-server.md" });
  const counter = await window.until(
    "the chunks are counted",
    () => document.querySelector("article .stepper span[aria-live]")?.textContent,
  );
  assert.equal(counter, `chunk 1 of ${note.chunks.length}`);
  const tags = await window.run(() =>
    Array.from(document.querySelectorAll("article .tag button"), (tag) => tag.getAttribute("aria-label")),
  );
  assert.equal(tags.length, note.chunks.length);
  for (const [at, { start_line, end_line, tokens }] of note.chunks.entries()) {
    assert.match(tags[at], new RegExp(`chunk ${at + 1}, lines ${start_line} to ${end_line},`, "i"));
    assert.match(tags[at], new RegExp(`\\b${tokens} tok`));
  }
  await window.press("]");
  await window.until("the second chunk is chosen", () =>
    document.querySelector("article .stepper span[aria-live]").textContent.startsWith("chunk 2 of"),
  );
  await window.press("t");
  await window.until("it is drawn as text", () => document.querySelector("article .line.chosen") !== null);
  const lines = await window.run(() =>
    Array.from(document.querySelectorAll("article .line.chosen"), (line) => Number(line.dataset.line)),
  );
  const { start_line, end_line } = note.chunks[1];
  assert.deepEqual(
    [...new Set(lines)],
    Array.from({ length: end_line - start_line + 1 }, (_, at) => start_line + at),
  );
  await window.press("t");
});

scenario(
  "a hostile note is drawn, and nothing of it runs, loads or leads away",
  async ({ window, scratch }) => {
    await window.show("Memory");
    await window.run(() => {
      window.violated = [];
      document.addEventListener("securitypolicyviolation", (event) => window.violated.push(event.blockedURI));
      window.longest = 0;
      let before = performance.now();
      const tick = () => {
        const now = performance.now();
        window.longest = Math.max(window.longest, now - before);
        before = now;
        requestAnimationFrame(tick);
      };
      requestAnimationFrame(tick);
    });
    await openNote(window, "hostile", "people/hostile.md");
    await window.until(
      "its picture stands there in words",
      () => document.querySelector("article .picture") !== null,
    );
    const shown = await window.run(() => {
      const reader = document.querySelector("article [role='region']");
      const live =
        "img, script, iframe, a, svg *, form, input, object, meta, base, link, style, [style*=fixed], [onload]";
      return {
        text: reader.innerText,
        live: Array.from(reader.querySelectorAll(`.md :is(${live})`), (element) => element.outerHTML),
        hasRun: window.hostile === true,
        violated: window.violated,
        longestMs: window.longest,
        loaded: performance.getEntriesByType("resource").map(({ name }) => name),
        address: location.href,
      };
    });
    for (const words of [
      "<script>window.hostile = true</script>",
      "javascript:window.hostile=true",
      `${AT}/pixel.gif`,
    ])
      assert.ok(shown.text.includes(words), `${words} in ${shown.text.slice(0, 2_000)}`);
    assert.deepEqual(shown.live, []);
    assert.equal(shown.hasRun, false);
    // Not even tried: the page's policy had nothing to refuse.
    assert.deepEqual(shown.violated, []);
    assert.deepEqual(
      shown.loaded.filter((name) => name.includes("127.0.0.1")),
      [],
    );
    assert.match(shown.address, /^tauri:/);
    // A guard against hanging; the window draws on while the note is laid out.
    assert.ok(shown.longestMs < 20_000, `no frame for ${shown.longestMs} ms`);
    assert.deepEqual(asked, []);
    await window.run(() => document.querySelector("article [role='region']").scrollTo(0, 1e7));
    await window.until("its end can be reached", () =>
      document.querySelector("article [role='region']").innerText.includes("The end of it."),
    );
    assert.equal(await window.run(() => window.hostile ?? false), false);
    assert.deepEqual(await scratch.opened(), []);
  },
);

scenario("a link out is opened after a question, one to a note at once", async ({ window, scratch }) => {
  await openNote(window, "hostile", "people/hostile.md");
  await window.run(() => document.querySelector("article [role='region']").scrollTo(0, 0));
  await scratch.answerDialogs(null);
  await window.click("article [role='link']", "out");
  await window.invoke("state");
  assert.deepEqual(await scratch.opened(), []);
  await scratch.answerDialogs("yes");
  await window.click("article [role='link']", "out");
  assert.equal(await until("the system was asked", async () => (await scratch.opened()).at(-1)), `${AT}/out`);
  assert.deepEqual(asked, []);
  await window.click("article [role='link']", "note");
  await window.until(
    "the other note is open at its heading",
    () =>
      document.querySelector("article h2")?.textContent.includes("home-server.md") &&
      document.querySelector("article .no.aimed")?.textContent === "5",
  );
});

scenario("a note is drawn as Markdown or as text", async ({ window }) => {
  await openNote(window, "home-server", "reference/home-server.md");
  await window.press("t");
  await window.until("it is text", () => document.querySelector("article .line") !== null);
  await window.press("t");
  await window.until("it is Markdown", () => document.querySelector("article .md") !== null);
});

scenario("a note that changes while it is open is shown as it is now", async ({ window, scratch }) => {
  await openNote(window, "hostile", "people/hostile.md");
  await scratch.write("people/hostile.md", "# Tamed\n\nNothing but words.\n");
  await window.until("the new text stands there", () =>
    document.querySelector("article [role='region']")?.innerText.includes("Nothing but words."),
  );
  await until("the new text is indexed", async () =>
    JSON.stringify(await scratch.search("tamed words")).includes("Nothing but words."),
  );
});

scenario("the system opens the note", async ({ window, scratch }) => {
  await window.show("Memory");
  await window.click("article header button", "Open in editor O");
  const note = join(scratch.notes, "people/hostile.md");
  await until("the system was asked", async () => (await scratch.opened()).at(-1) === note);
});

scenario("files with problems are reported, and lead to the line", async ({ window }) => {
  await window.click("[aria-label='Library'] button", "1 file with problems");
  await window.until(
    "both problems are listed",
    () => document.querySelectorAll("[role='dialog'] li").length === 2,
  );
  const [unreadable, skipped] = await window.run(() =>
    Array.from(document.querySelectorAll("[role='dialog'] li"), (problem) =>
      problem.textContent.replaceAll(/\s+/g, " "),
    ),
  );
  assert.match(unreadable, /^error .*people\/ ?no-text\.md.* NUL on line 1/);
  assert.match(skipped, /^note .*people\/ ?broken\.jsonl ?:2.* Not JSON/);
  await window.click("[role='dialog'] li:nth-child(2) .to-place");
  await window.until("the line is shown", () => {
    const line = document.querySelector("article .line.target");
    return (
      document.querySelector("article h2").textContent.includes("broken.jsonl") && line?.dataset.line === "2"
    );
  });
});

scenario("the search view is as it was left", async ({ window }) => {
  await window.ask(QUESTION);
  const before = await window.rowsUntil(
    "the question is answered, by the notes as they are now",
    (rows) =>
      rows[0]?.name === "home-server.md" && rows.every((row) => !row.text.includes("has changed since")),
  );
  await window.show("Memory");
  await window.show("Search");
  assert.deepEqual(await window.rows(), before);
});
