/** The memory as a whole: from a card to its list, its filters, the timeline, a note, and back. */
import assert from "node:assert/strict";

import { until } from "./driver/deadline.mjs";
import { showOverview } from "./driver/overview.mjs";
import { inOneWindow } from "./driver/scenario.mjs";
import { KEY } from "./driver/webdriver.mjs";

const LONG_TAG = "x".repeat(300);

const scenario = inOneWindow({
  prepare: async (scratch) => {
    await scratch.write("garden/2026-01-09.md", "# Hose\n\nThe hose is in the shed. #garden\n");
    await scratch.write("garden/2026-02-11.md", "# Koi\n\nThe koi eat at noon. #garden #pond\n");
    await scratch.write("garden/2026-04-20.md", `---\ntags: ${LONG_TAG}\n---\nA tag of many letters.\n`);
    await scratch.write("garden/old.md", "---\ndate: 1970-01-01\n---\nNobody knows when.\n");
    await scratch.write("garden/later.md", "---\ndate: 2931-01-01\n---\nNot yet.\n");
    await scratch.write(`garden/${"a very long name of a note ".repeat(6)}.md`, "It has no date.\n");
  },
});

const LIST = "[role='listbox'][aria-label='Notes']";

const nListed = (window) =>
  window.run((list) => {
    const row = document.querySelector(`${list} [role='option']`);
    return row === null ? 0 : Number(row.getAttribute("aria-setsize"));
  }, LIST);

const listedUntil = (window, n) => until(`${n} notes are listed`, async () => (await nListed(window)) === n);

const address = (window) => window.run(() => decodeURIComponent(location.hash));

scenario("the figure of each card is the length of its list", async ({ window }) => {
  await showOverview(window);
  const cards = await window.run(() =>
    Array.from(document.querySelectorAll(".cards .card"), (card) => ({
      title: card.querySelector("h3").textContent,
      figure: card.querySelector(".figure b")?.textContent ?? null,
      button: card.querySelector("button.all")?.getAttribute("aria-label") ?? null,
    })),
  );
  const ofNotes = ["Largest", "Oldest"];
  for (const { title, figure, button } of cards.filter(({ title }) => ofNotes.includes(title))) {
    assert.equal(button, `Show all ${figure}: ${title}`);
    await window.click(`button[aria-label='${button}']`);
    await listedUntil(window, Number(figure));
    await window.press(KEY.left, [KEY.alt]);
    await window.until("the cards are back", () => document.querySelector(".cards .card") !== null);
  }
});

scenario("filters narrow the list, are in the address, and back removes them", async ({ window }) => {
  await showOverview(window);
  await window.click("button", "All notes");
  await until("all are listed", async () => (await nListed(window)) > 6);
  const nAll = await nListed(window);
  await window.click("button[aria-expanded]", "Tags ▾");
  await window.until("tags are offered", () => document.querySelector(".tags button[aria-pressed]") !== null);
  await window.click(".tags button[aria-pressed]", "#garden 2");
  await listedUntil(window, 2);
  assert.equal(await address(window), "#memory=list&tag=garden");
  await window.click(".filters input[type='search']");
  await window.press("koi");
  await listedUntil(window, 1);
  assert.equal(await address(window), "#memory=list&tag=garden&text=koi");
  await window.click("button[aria-label='Remove the filter “koi”']");
  await listedUntil(window, 2);
  await window.run(() => document.activeElement.blur());
  await window.press(KEY.left, [KEY.alt]);
  await listedUntil(window, nAll);
});

scenario("a note is opened from the list, and back leads to its place there", async ({ window }) => {
  await showOverview(window);
  await window.click("button", "All notes");
  await until("all are listed", async () => (await nListed(window)) > 6);
  await window.click(LIST);
  await window.until("the note is open", () => document.querySelector("article[aria-label='Note']") !== null);
  const opened = await address(window);
  assert.match(opened, /^#memory=note&folder=\d+&path=/);
  await window.press(KEY.left, [KEY.alt]);
  const active = await window.until(
    "the list is back",
    (list) => document.querySelector(list)?.getAttribute("aria-activedescendant"),
    LIST,
  );
  assert.notEqual(active, null);
  await window.press(KEY.right, [KEY.alt]);
  await window.until(
    "the note is open again",
    () => document.querySelector("article[aria-label='Note']") !== null,
  );
  assert.equal(await address(window), opened);
});

scenario("days are chosen on the timeline with the pointer and by keys", async ({ window }) => {
  await showOverview(window);
  const chart = "svg[role='slider']";
  await window.until("the timeline is drawn", () => document.querySelector("svg[role='slider']") !== null);
  await window.dragBy(chart, 60, 0);
  await window.until("its notes are listed", () => location.hash.includes("from="));
  await window.until(
    "the list has its length",
    () => document.querySelector(".ph [role='status']")?.textContent,
  );
  const [said] = await window.texts("section[aria-label='Timeline'] header .cap");
  const n = Number(/: ([\d,]+) notes?,/.exec(said)[1]);
  await listedUntil(window, n);
  await window.click("button", "Any day");
  await window.run((chart) => document.querySelector(chart).focus(), chart);
  await window.press(KEY.home);
  const first = await window.run(
    (chart) => document.querySelector(chart).getAttribute("aria-valuetext"),
    chart,
  );
  assert.match(first, /^.*\d{4}-\d{2}-\d{2}.*: [1-9]\d* notes?/);
  await window.press(KEY.enter);
  await listedUntil(window, Number(/: ([\d,]+) notes?/.exec(first)[1]));
});

scenario("what has no day is named and leads to its list", async ({ window }) => {
  await showOverview(window);
  await window.click("button.link", "2 notes dated in the future or before 1971");
  await listedUntil(window, 2);
  assert.equal(await address(window), "#memory=list&no_day=implausible");
});

scenario("nothing is wider than the window, in a small one and in a large one", async ({ window }) => {
  for (const [width, height] of [
    [1280, 720],
    [960, 600],
    [2240, 1200],
  ]) {
    await window.size(width, height);
    await showOverview(window);
    const beyond = () => {
      const article = document.querySelector("article");
      const { right } = article.getBoundingClientRect();
      const found = Array.from(article.querySelectorAll("button, input, select, h3, svg"))
        .filter((one) => one.getBoundingClientRect().right > right + 1)
        .map((one) => one.getAttribute("aria-label") ?? one.textContent.trim());
      return document.documentElement.scrollWidth > innerWidth ? [...found, "the page"] : found;
    };
    assert.deepEqual(await window.run(beyond), [], `cards at ${width}`);
    if (process.env.MEMLENS_PICTURES !== undefined) await window.keepPicture(`overview ${width}`);
    await window.click("button", "All notes");
    await until("all are listed", async () => (await nListed(window)) > 6);
    await window.click("button[aria-expanded]", "Tags ▾");
    await window.until(
      "tags are offered",
      () => document.querySelector(".tags button[aria-pressed]") !== null,
    );
    // A title is taken away while the pointer is on its element, so it cannot be found by that.
    await window.run((tag) => {
      const buttons = Array.from(document.querySelectorAll(".tags button"));
      buttons.find(({ textContent }) => textContent.includes(tag)).id = "long-tag";
    }, LONG_TAG);
    await window.click("#long-tag");
    await listedUntil(window, 1);
    assert.deepEqual(await window.run(beyond), [], `list at ${width}`);
    if (process.env.MEMLENS_PICTURES !== undefined) await window.keepPicture(`list ${width}`);
  }
});
