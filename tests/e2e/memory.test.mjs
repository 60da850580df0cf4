/** The Memory view: the folders' tree, a note as text, and the borders of its chunks. */
import assert from "node:assert/strict";
import { join } from "node:path";

import { until } from "./driver/deadline.mjs";
import { inOneWindow, QUESTION } from "./driver/scenario.mjs";
import { KEY } from "./driver/webdriver.mjs";

const HOSTILE = `# Hostile

<img src="x" onerror="window.hostile = true"> <script>window.hostile = true</script>

[a link](javascript:window.hostile=true) <iframe srcdoc="<script>parent.hostile=true</script>"></iframe>
`;

const scenario = inOneWindow({
  prepare: async (scratch) => {
    await scratch.write("people/hostile.md", HOSTILE);
    await scratch.write("people/broken.jsonl", '{"text": "a good line"}\n{"text": \n');
    await scratch.write("people/no-text.md", "a\0b");
  },
});

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
  const lines = await window.run(() =>
    Array.from(document.querySelectorAll("article .line.chosen"), (line) => Number(line.dataset.line)),
  );
  const { start_line, end_line } = note.chunks[1];
  assert.deepEqual(
    [...new Set(lines)],
    Array.from({ length: end_line - start_line + 1 }, (_, at) => start_line + at),
  );
});

scenario("a note's markup is text and never runs", async ({ window }) => {
  await window.show("Memory");
  await window.click("input[type='search']");
  await window.press(`hostile${KEY.enter}${KEY.enter}`);
  await window.until("the note is open", () =>
    document.querySelector("article h2")?.textContent.includes("hostile.md"),
  );
  const shown = await window.run(() => ({
    text: document.querySelector("article [role='region']").innerText,
    n_elements: document.querySelectorAll("article :is(img, script, iframe, a)").length,
    hasRun: window.hostile === true,
  }));
  assert.ok(shown.text.includes('<img src="x" onerror="window.hostile = true">'), shown.text);
  assert.equal(shown.n_elements, 0);
  assert.equal(shown.hasRun, false);
  await window.ask("hostile link onerror");
  await window.rowsUntil("the note is found", (rows) => rows[0]?.name === "hostile.md");
  assert.equal(await window.run(() => window.hostile ?? false), false);
});

scenario("a note that changes while it is open is shown as it is now", async ({ window, scratch }) => {
  await window.show("Memory");
  await window.until("the note is open", () =>
    document.querySelector("article h2")?.textContent.includes("hostile.md"),
  );
  await scratch.write("people/hostile.md", "# Tamed\n\nNothing but words.\n");
  await window.until("the new text stands there", () =>
    document.querySelector("article [role='region']")?.innerText.includes("Nothing but words."),
  );
});

scenario("the system opens the note", async ({ window, scratch }) => {
  await window.show("Memory");
  await window.click("article header button", "Open in editor O");
  assert.equal(
    await until("the system was asked", async () => (await scratch.opened()).at(-1)),
    join(scratch.notes, "people/hostile.md"),
  );
});

scenario("files with problems are told, and lead to the line", async ({ window }) => {
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
  await window.click("[role='dialog'] li:nth-child(2) .go");
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
    "the question is answered",
    (rows) => rows[0]?.name === "home-server.md",
  );
  await window.show("Memory");
  await window.show("Search");
  assert.deepEqual(await window.rows(), before);
});
