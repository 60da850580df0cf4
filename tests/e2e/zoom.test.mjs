/** At 200 % and in a small window every control of every view can be reached, and none of its words are clipped. */
import assert from "node:assert/strict";

import { showFilteredList, showMap, showOverview } from "./driver/overview.mjs";
import { hoursAgo, logOf, transcript } from "./driver/recall.mjs";
import { inOneWindow, openSample, QUESTION } from "./driver/scenario.mjs";
import { KEY } from "./driver/webdriver.mjs";

const ASKED = "five rungs of the evidence ladder";

const scenario = inOneWindow({
  open: async (scratch) => {
    await scratch.writeHome(
      ".openclaw/openclaw.json",
      JSON.stringify({
        meta: { lastTouchedVersion: "2026.9.6" },
        agents: { defaults: { workspace: scratch.notes } },
        memory: { search: { extraPaths: ["protocols"] } },
      }),
    );
    const results = [["protocols/evidence-ladder.md", 1, 18, 0.6]];
    const searches = [
      { at: hoursAgo(30), query: ASKED, results, opens: "protocols/evidence-ladder.md" },
      { at: hoursAgo(2), query: "unobtainium reactor startup checklist", results: [] },
    ];
    await scratch.writeHome(logOf("7f3a"), transcript("7f3a", searches));
    // Dates for the timeline.
    await scratch.write("garden/2026-01-09.md", "The hose is in the shed. #garden\n");
    await scratch.write("garden/2026-02-11.md", "The koi eat at noon. #garden\n");
    const window = await openSample(scratch);
    // OpenClaw's ranking begins once its memory is ready. The scenes are of Memlens's.
    await window.until("OpenClaw's ranks", () =>
      /\(yours\)/.test(document.querySelector(".preset-trigger")?.ariaLabel),
    );
    await window.run(() => document.activeElement.blur());
    await window.press("r");
    await window.until("Memlens's ranks", () =>
      /Default$/.test(document.querySelector(".preset-trigger").ariaLabel),
    );
    return window;
  },
});

/**
 * What cannot be reached or read, in words. A control must be within the window, or within what its scrolling areas can
 * bring up; a pointer must meet it there; and its words must be within it, unless they end in an ellipsis.
 */
function complaints() {
  const SLACK = 1.5;
  const CONTROLS =
    "button, a[href], input, select, textarea, summary, [tabindex='0'], [role='option'], [role='menuitem']";
  const found = [];
  const nameOf = (element) =>
    `${element.localName}.${[...element.classList].filter((name) => !name.startsWith("svelte-")).join(".")} “${(
      element.ariaLabel ??
      element.innerText ??
      ""
    )
      .trim()
      .replaceAll(/\s+/g, " ")
      .slice(0, 40)}”`;
  const isSeen = (element) => {
    const { width, height } = element.getBoundingClientRect();
    if (width < 2 || height < 2 || element.closest(".sr, details:not([open]) > :not(summary)") !== null)
      return false;
    const { visibility, opacity } = getComputedStyle(element);
    return visibility === "visible" && opacity !== "0";
  };
  /** The nearest edge that cuts a control, by its name; null if all of it can be brought up. */
  const cutBy = (element) => {
    let box = element.getBoundingClientRect();
    let { position } = getComputedStyle(element);
    for (let around = element.parentElement; around !== null; around = around.parentElement) {
      const style = getComputedStyle(around);
      const isSkipped = position === "absolute" && style.position === "static";
      if (position === "fixed") break;
      if (!isSkipped) position = style.position;
      const [x, y] = [style.overflowX, style.overflowY];
      if (isSkipped || around === document.body || (x === "visible" && y === "visible")) continue;
      const { left, top } = around.getBoundingClientRect();
      const [clip, full] = [
        { left, top, right: left + around.clientWidth, bottom: top + around.clientHeight },
        {
          left: left - around.scrollLeft,
          top: top - around.scrollTop,
          right: left - around.scrollLeft + around.scrollWidth,
          bottom: top - around.scrollTop + around.scrollHeight,
        },
      ];
      const borders = 2;
      const isCut = (limit, horizontal) =>
        horizontal
          ? box.left < limit.left - SLACK || box.right > limit.right + borders + SLACK
          : box.top < limit.top - SLACK || box.bottom > limit.bottom + borders + SLACK;
      const scrollsX = x === "auto" || x === "scroll";
      const scrollsY = y === "auto" || y === "scroll";
      if (isCut(scrollsX ? full : clip, true)) return `${nameOf(around)} at its side`;
      if (isCut(scrollsY ? full : clip, false)) return `${nameOf(around)} above or below`;
      // Where it is scrolled to, it is somewhere within.
      if (scrollsX || scrollsY) {
        const [width, height] = [box.right - box.left, box.bottom - box.top];
        const at = {
          left: scrollsX ? clip.left : box.left,
          top: scrollsY ? clip.top : box.top,
        };
        box = {
          ...at,
          right: at.left + Math.min(width, scrollsX ? around.clientWidth : Infinity),
          bottom: at.top + Math.min(height, scrollsY ? around.clientHeight : Infinity),
        };
      }
    }
    const isOutside =
      box.left < -SLACK ||
      box.top < -SLACK ||
      box.right > innerWidth + SLACK ||
      box.bottom > innerHeight + SLACK;
    return isOutside ? "the window" : null;
  };
  const clippedWords = (control) => {
    const walker = document.createTreeWalker(control, NodeFilter.SHOW_TEXT);
    const frame = control.getBoundingClientRect();
    while (walker.nextNode()) {
      const text = walker.currentNode;
      if (text.textContent.trim() === "") continue;
      let isShortened = false;
      for (let at = text.parentElement; at !== null; at = at === control ? null : at.parentElement)
        if (
          at.matches(".sr, .clamped, .cut1") ||
          getComputedStyle(at).textOverflow === "ellipsis" ||
          (at !== control && ["auto", "scroll"].includes(getComputedStyle(at).overflowX))
        )
          isShortened = true;
      if (isShortened) continue;
      const range = document.createRange();
      range.selectNodeContents(text);
      const box = range.getBoundingClientRect();
      if (box.width < 1) continue;
      if (
        box.left < frame.left - SLACK ||
        box.right > frame.right + SLACK ||
        box.top < frame.top - 3 ||
        box.bottom > frame.bottom + 3
      )
        return text.textContent.trim().slice(0, 30);
    }
    return null;
  };
  const dialog = document.querySelector("[role='dialog'], [role='alertdialog']");
  const holder = dialog ?? document.body;
  const all = [...holder.querySelectorAll(CONTROLS)].filter(isSeen);
  for (const control of all) {
    const isList = control.matches(
      "[role='grid'], [role='tree'], [role='listbox'], .side, pre, [role='region']",
    );
    const cut = cutBy(control);
    if (cut !== null) {
      found.push(`${nameOf(control)} is cut by ${cut}`);
      continue;
    }
    if (!isList && control.matches("button, a[href], summary, select, .tab")) {
      const words = clippedWords(control);
      if (words !== null) found.push(`${nameOf(control)}: “${words}” is clipped`);
    }
  }
  for (const tab of document.querySelectorAll(".tab")) {
    const range = document.createRange();
    range.selectNodeContents(tab);
    const tops = new Set(Array.from(range.getClientRects(), ({ top }) => Math.round(top)));
    if (tops.size > 1) found.push(`${nameOf(tab)} has two lines`);
  }
  // Last, since it scrolls: what a pointer meets at each control.
  const scrolled = [...document.querySelectorAll("*")].filter(
    (one) => one.scrollTop > 0 || one.scrollLeft > 0,
  );
  const places = scrolled.map((one) => [one, one.scrollTop, one.scrollLeft]);
  for (const control of all) {
    if (control.matches("[tabindex='0']:not(button, input, select, a)") || control.disabled) continue;
    control.scrollIntoView({ block: "center", inline: "nearest" });
    const { left, top, width, height } = control.getBoundingClientRect();
    const met = document.elementFromPoint(left + width / 2, top + height / 2);
    const label =
      control.closest("label") ??
      (control.id === "" ? null : document.querySelector(`label[for="${control.id}"]`));
    const isMet =
      met !== null &&
      (control.contains(met) ||
        met.contains(control) ||
        label?.contains(met) === true ||
        met.closest("label")?.contains(control) === true);
    if (!isMet) found.push(`${nameOf(control)} is covered by ${met === null ? "nothing" : nameOf(met)}`);
  }
  for (const [one, topAt, leftAt] of places) one.scrollTo(leftAt, topAt);
  if (document.documentElement.scrollWidth > innerWidth) found.push("the page is wider than the window");
  return [...new Set(found)];
}

/** Ways to what is looked at, each from any view. */
const SCENES = {
  Search: answered,
  "Search with every stage": async (window) => {
    await answered(window);
    for (const stage of ["Rerank", "Corroboration", "Feedback", "Decay", "Diversity"])
      await window.switchOn(stage);
    await window.showAdvanced();
  },
  "Why not…?": async (window) => {
    await answered(window);
    await window.press("w");
    await window.until("it is asked", () => document.querySelector(".why input") !== null);
    // The list of notes to choose from, which lies over other things, goes with the focus.
    await window.run(() => document.activeElement.blur());
    await window.until("no note is offered", () =>
      Array.from(document.querySelectorAll(".why ul.menu")).every((list) => list.offsetHeight === 0),
    );
  },
  "the overview": showOverview,
  "the list of notes": showFilteredList,
  "the map": showMap,
  Memory: async (window) => {
    await window.show("Memory");
    await window.until("the tree is read", () => document.querySelectorAll("[role='treeitem']").length > 3);
    await window.click("[role='treeitem'][aria-label^='home-server.md']");
    await window.until("the note is open", () => document.querySelector(".readings") !== null);
  },
  "Past questions": async (window) => {
    await window.show("Past questions");
    if ((await window.invoke("recall_logs")).is_allowed === false) {
      await window.click("button", "Read past questions");
    }
    await window.until("all are listed", () => document.body.innerText.includes("shown"));
    await window.run(() => document.querySelectorAll(".list .row")[1].click());
    await window.until("one is open", () => document.querySelector(".acts") !== null);
  },
  "Why forgotten": async (window) => {
    await answered(window);
    await window.press("f");
    await window.until("its dialog is open", () => document.querySelector(".autopsy .field") !== null);
    await window.press(`five rungs${KEY.enter}`);
    await window.until("there is a verdict", () => document.querySelector(".autopsy .headline") !== null);
  },
  "Tune before anything is judged": async (window) => {
    await window.show("Tune");
    await window.until(
      "questions are offered",
      () => document.querySelectorAll(".tune .none .question").length > 0,
    );
  },
  Tune: async (window) => {
    const [first] = await answered(window);
    await window.click(`[data-chunk='${first.chunk}'] .path`);
    if (first.name !== "" && (await window.run(() => document.querySelector(".tr .thumb") === null)))
      await window.press("+");
    await window.show("Tune");
    await window.until("it is drawn", () => document.querySelector(".tune .card") !== null);
  },
  Compare: async (window) => {
    await answered(window);
    await window.show("Compare");
    await window.until("it is drawn", () => document.querySelector(".compare .heads") !== null);
  },
  Export: async (window) => {
    await window.show("Export");
    await window.until("it is drawn", () => document.querySelector(".export .code") !== null);
  },
  Settings: async (window) => {
    await window.show("Settings");
    await window.until("it is drawn", () => document.querySelector(".settings .themes") !== null);
  },
  "the command palette": async (window) => {
    await answered(window);
    await window.press("P", [KEY.control, KEY.shift]);
    await window.until("it is open", () => document.querySelector(".palette") !== null);
  },
  "the list of keys": async (window) => {
    await answered(window);
    await window.press("?");
    await window.until("it is open", () => document.querySelector("[role='dialog']") !== null);
  },
};

/** The table has the keyboard, so that letters are keys. */
async function answered(window) {
  await window.show("Search");
  await window.ask(QUESTION);
  const rows = await window.rowsUntil("it is answered", ([first]) => (first?.text ?? "") !== "");
  await window.click(`[data-chunk='${rows[0].chunk}'] .path`);
  return rows;
}

/** Two frames: one for what was measured, one for what is drawn by it. */
function frames() {
  return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
}

for (const [name, go] of Object.entries(SCENES)) {
  scenario(`${name}: at 200 % and at 900x600 all is in reach`, async ({ window, scratch }) => {
    await scratch.answerDialogs("agreed");
    await window.size(1280, 720);
    await go(window);
    const found = {};
    const look = async (size) => {
      await window.run(frames);
      await window.run(frames);
      if (process.env.MEMLENS_PICTURES !== undefined) await window.keepPicture(`${name} ${size}`);
      const now = await window.run(complaints);
      if (now.length > 0) found[size] = now;
    };
    try {
      // One step after the other: the page is drawn again after each.
      for (let width = 1280; width > 640; width = await window.run(() => innerWidth)) {
        await window.press("+", [KEY.control]);
        await window.until("the page is drawn larger", (before) => innerWidth < before, width);
      }
      await look("200 %");
    } finally {
      await window.press("0", [KEY.control]);
      await window.until("the page is as designed", () => innerWidth === 1280);
    }
    await window.size(900, 600);
    await look("900x600");
    await window.size(1280, 720);
    await look("1280x720");
    await window.press(KEY.escape);
    assert.deepEqual(found, {});
  });
}
