/** Beside an open note: the links from it and to it lead to other notes at their lines. */
import assert from "node:assert/strict";

import { inOneWindow } from "./driver/scenario.mjs";

const scenario = inOneWindow({
  prepare: async (scratch) => {
    await scratch.write(
      "ana.md",
      "# Ana\n\nShe looks after [[the router|the box]].\n\nSee [gone](gone.md) and [out](../../secret.md).\n",
    );
    await scratch.write(
      "house/router.md",
      "---\ntitle: The router\n---\n# Box\n\nIt is grey.\n\nAsk [[Ana]].\n",
    );
    await scratch.write("many.md", Array.from({ length: 300 }, (_, at) => `- [[ana]] ${at}\n`).join(""));
  },
});

const isOpen = (window, path) =>
  window.until(
    `${path} is open`,
    (path) => document.querySelector(`[role='region'][aria-label='Text of ${path}']`) !== null,
    path,
  );

const figureUntil = (window, id, figure) =>
  window.until(
    `${id} has ${figure}`,
    (id, figure) => document.querySelector(`#${id} .figure`)?.textContent === figure,
    id,
    figure,
  );

async function openNote(window, name) {
  await window.show("Memory");
  await window.until(
    "the note is in the tree",
    (name) => {
      const row = document.querySelector(`[role='treeitem'][aria-label^='${name},']`);
      row?.click();
      return row !== null;
    },
    name,
  );
}

scenario("links are counted, and those that lead nowhere say why", async ({ window }) => {
  await openNote(window, "ana.md");
  await isOpen(window, "ana.md");
  await figureUntil(window, "side-links-from", "3");
  await figureUntil(window, "side-links-to", "301");
  const broken = await window.texts("ul[aria-label='Links from it'] .broken");
  assert.deepEqual(broken, [
    "the library has no note at this path: gone.md",
    "it leads out of the watched folders, and is not followed: ../../secret.md",
  ]);
});

scenario("a link opens its note at the line, from the list and from the text", async ({ window }) => {
  await window.click("ul[aria-label='Links from it'] button[aria-label='Open house/router.md']");
  await isOpen(window, "house/router.md");
  await figureUntil(window, "side-links-to", "1");
  await window.click("ul[aria-label='Links to it'] button[aria-label='Open ana.md:3']");
  await isOpen(window, "ana.md");
  await window.until(
    "the line is aimed at",
    () => document.querySelector(".aimed")?.textContent.trim() === "3",
  );
  await window.click("[data-address='[[the router]]']");
  await isOpen(window, "house/router.md");
  await window.click("[data-address='[[Ana]]']");
  await isOpen(window, "ana.md");
});

scenario("three hundred links are opened in a list of which a few are drawn", async ({ window }) => {
  await window.click("button.more", "and 296 more");
  await window.until("all are listed", () => {
    const list = document.querySelector("[role='list'][aria-label='Links to it']");
    if (list === null) return false;
    list.scrollTop = list.scrollHeight;
    const rows = Array.from(list.querySelectorAll("[role='listitem']"));
    return rows.length < 100 && rows.some((row) => row.getAttribute("aria-posinset") === "301");
  });
});

scenario("notes like it, and what it knows of past questions, are below", async ({ window }) => {
  const [first] = await window.texts("ul[aria-label='Notes most like it'] li");
  assert.match(first, /^\d\.\d{3}/);
  await window.until("it is not known what was asked", () =>
    document.querySelector("#side-questions-body")?.textContent.includes("Memlens may not read their logs"),
  );
  assert.deepEqual(await window.texts("#side-questions .figure"), []);
});

scenario("a section that was folded stays so", async ({ window }) => {
  await window.click("#side-links-to button");
  await window.until(
    "it is folded",
    () => document.querySelector("#side-links-to-body").hidden && document.activeElement !== null,
  );
  await window.click("#side-links-to button");
});
