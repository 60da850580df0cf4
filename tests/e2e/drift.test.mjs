/** Contradictions: the list in the Memory view, the way to a note and back, and pairs that are marked as none. */
import assert from "node:assert/strict";
import { chmod, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { until } from "./driver/deadline.mjs";
import { inOneWindow } from "./driver/scenario.mjs";

const openedList = (scratch) => join(scratch.root, "opened.txt");

const scenario = inOneWindow({
  prepare: async (scratch) => {
    const editor = join(scratch.root, "bin/code");
    await scratch.write("relay.md", "# Relay\n\nIt is grey. The push relay listens on port 8093.\n");
    await scratch.write("clerk.md", "- It hums.\n- The push relay listens on port 8443.\n");
    await scratch.write("2025-11-03.md", "Logs of the proxy are kept for 35 days.\n");
    await scratch.write("2026-01-09.md", "Logs of the proxy are kept for 90 days.\n");
    await scratch.write("c.md", "Katrin often reports to Jonas.\n");
    await scratch.write("d.md", "Jonas often reports to Katrin.\n");
    await writeFile(editor, `#!/bin/sh\nprintf '%s\\n' "$@" >> '${openedList(scratch)}'\n`);
    await chmod(editor, 0o755);
  },
});

const LIST = "[role='region'][aria-label='List of contradictions']";

const entries = (window) =>
  window.run(
    (list) =>
      Array.from(document.querySelectorAll(`${list} li[aria-label]`), (entry) => ({
        name: entry.getAttribute("aria-label"),
        marked: Array.from(entry.querySelectorAll("mark"), (mark) => mark.textContent),
        says: entry.textContent.replaceAll(/\s+/g, " "),
      })),
    LIST,
  );

const entriesUntil = (window, what, holds) =>
  until(what, async () => {
    const found = await entries(window);
    return holds(found) ? found : null;
  });

const RELAY = "Another number: clerk.md and relay.md";

scenario("a contradiction is listed with both sides and their opposing words", async ({ window }) => {
  await window.show("Memory");
  await window.click("button", "Contradictions…");
  const [one, ...others] = await entriesUntil(window, "they are compared", (found) => found.length > 0);
  assert.deepEqual(others, []);
  assert.equal(one.name, RELAY);
  assert.deepEqual(one.marked, ["8443", "8093"]);
  assert.match(one.says, /The push relay listens on port 8443\..*no date.*It is grey\. The push relay/);
});

scenario("changes and what may contradict are listed apart", async ({ window }) => {
  await window.click(".sections button", "Changed 1");
  const [changed] = await entriesUntil(window, "the change", (found) => found.length === 1);
  assert.equal(changed.name, "Another time or duration: 2025-11-03.md and 2026-01-09.md");
  assert.match(changed.says, /2026-01-09 newer/);
  const sections = await window.texts(".sections button");
  const unsure = sections.find((label) => label.startsWith("May contradict"));
  await window.click(".sections button", unsure);
  const may = await entriesUntil(window, "the pair", (found) => found.length > 0);
  assert.ok(may.some(({ name }) => name === "Exchanged roles: c.md and d.md"));
  await window.click(".sections button", "Contradictions 1");
  await entriesUntil(window, "the contradiction", ([first]) => first?.name === RELAY);
});

scenario("a side leads to its note at its line and back, with the focus", async ({ window }) => {
  await window.click("button[aria-label^='Show relay.md:3 ']");
  await window.until("the note is open", () =>
    document.querySelector("article [role='region'][aria-label='Text of relay.md']"),
  );
  await window.until("the way back has the focus", () =>
    document.activeElement?.textContent.includes("Contradictions"),
  );
  await window.click("article button", "\u2039 Contradictions");
  await window.until("the side has the focus", () =>
    document.activeElement?.getAttribute("aria-label")?.startsWith("Show relay.md:3"),
  );
});

scenario("a side is opened in the editor at its line", async ({ window, scratch }) => {
  await window.show("Settings");
  await window.choose("[aria-labelledby='settings-editor'] [role='combobox']", "VS Code");
  await window.show("Memory");
  await window.click("button[aria-label^='Open in editor: relay.md:3 ']");
  const opened = await until("the editor was started", () =>
    readFile(openedList(scratch), "utf8").catch(() => null),
  );
  assert.equal(opened.trim().split("\n")[1], `${join(scratch.notes, "relay.md")}:3`);
});

scenario("a pair that is marked is listed apart until it is undone", async ({ window }) => {
  await window.click("button", "Not a contradiction: clerk.md:2 and relay.md:3");
  await window.until("it is marked", () => document.activeElement?.textContent === "Undo");
  assert.deepEqual(await entries(window), []);
  const [list] = await window.texts(LIST);
  assert.match(list, /No sure contradiction found in .*, besides what you marked\./);
  await window.click(".sections button", "Not a contradiction 1");
  await entriesUntil(window, "it is listed apart", ([first]) => first?.name === RELAY);
  await window.click("button", "Undo: clerk.md:2 and relay.md:3");
  await entriesUntil(window, "it is undone", (found) => found.length === 0);
  await window.click(".sections button", "Contradictions 1");
  await entriesUntil(window, "the contradiction", ([first]) => first?.name === RELAY);
});

scenario("an entry goes when a side changes", async ({ window, scratch }) => {
  await scratch.write("clerk.md", "- It hums.\n- The boat is lifted out in October.\n");
  await entriesUntil(window, "the entry is gone", (found) => found.length === 0);
  await window.click("article button", "Close");
  await window.until("the note is shown again", () => document.querySelector("article[aria-label='Note']"));
});
