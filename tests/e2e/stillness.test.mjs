/** Touching a control moves no other one: the boxes of the rail's and the top bar's controls stay the same to the pixel. */
import assert from "node:assert/strict";

import { inOneWindow, QUESTION } from "./driver/scenario.mjs";
import { KEY } from "./driver/webdriver.mjs";

const scenario = inOneWindow();
const LONG_NAME = "a preset whose name is far longer than any button ".repeat(4).slice(0, 200).trim();

/**
 * The box of every control, by a name for it. Those in the rail are measured from the start of what scrolls.
 * What reranking costs is below all controls and grows when it is there.
 */
function boxes() {
  const body = document.querySelector(".rail-body");
  const controls = document.querySelectorAll(
    [".top", ".search-view > .bar", ".rail-head", ".rail-body", ".rail-help", ".rail-foot"]
      .map((place) => `${place} :is(button, input, label, .prm, .grp-h)`)
      .join(", ") + ", .rail-help, .rail-foot, .rail-body, .search-view > .bar, .strip",
  );
  const found = {};
  const n = {};
  for (const control of controls) {
    if (control.closest(".bench, .rail-help [role='status']") !== null) continue;
    const { x, y, width, height } = control.getBoundingClientRect();
    const scrolled = body.contains(control) && control !== body ? body.scrollTop : 0;
    const said = control.closest("[data-help]")?.dataset.help ?? control.ariaLabel ?? "";
    const place = `${control.localName}.${control.classList[0] ?? ""} ${said.replace(/:.*|, changed since/s, "")}`;
    n[place] = (n[place] ?? 0) + 1;
    found[`${place} ${n[place]}`] = [x, y + scrolled, width, height].map((px) => Math.round(px * 64) / 64);
  }
  return found;
}

/** Two frames: one for what was measured, one for what is drawn by it. */
function frames() {
  return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
}

async function boxesOf(window) {
  await window.run(frames);
  return window.run(boxes);
}

async function assertStill(window, before, what) {
  const now = await boxesOf(window);
  const moved = Object.entries(before).flatMap(([name, box]) =>
    String(now[name]) === String(box) ? [] : [`${name}: ${box} to ${now[name] ?? "nothing"}`],
  );
  assert.deepEqual(moved, [], what);
}

async function begin(window) {
  await window.size(1440, 900);
  await window.show("Search");
  await window.click(".rail-foot button", "Reset all");
  await window.ask(QUESTION);
  await window.rowsUntil("it is answered", (rows) => rows[0]?.name === "home-server.md");
  await window.showOff();
  await window.showAdvanced();
}

scenario("no control moves while a slider is dragged, whichever it is", async ({ window }) => {
  await begin(window);
  const sliders = await window.run(() =>
    Array.from(
      document.querySelectorAll("[data-parameter]:has(input[type=range])"),
      (control) => control.dataset.parameter,
    ),
  );
  assert.ok(sliders.length >= 20, `${sliders.length} sliders`);
  const before = await boxesOf(window);
  for (const id of sliders) {
    await window.grab(id);
    await assertStill(window, before, `${id} is grabbed`);
    await window.dragTo(id, 0.8);
    await assertStill(window, before, `${id} is dragged`);
    await window.releasePointer();
    await assertStill(window, before, `${id} is released`);
    const help = await window.run(
      (parameter) => ({
        shown: document.querySelector(".rail-help .text p:last-child").textContent.trim(),
        described: document.getElementById(`help-${parameter}`).textContent,
      }),
      id,
    );
    assert.ok(help.described.includes(help.shown), `${id}: “${help.shown}” is not in “${help.described}”`);
  }
  await window.click(".rail-foot button", "Reset all");
  await assertStill(window, before, "all are reset");
});

scenario("no control moves when a stage is switched or a choice is made", async ({ window }) => {
  await begin(window);
  const before = await boxesOf(window);
  const stages = await window.run(() =>
    Array.from(document.querySelectorAll("[role='switch']"), (one) => one.ariaLabel),
  );
  assert.equal(stages.length, 13);
  for (const stage of [...stages, ...stages]) {
    await window.click("[role='switch']", stage);
    await assertStill(window, before, stage);
  }
  const options = await window.run(() =>
    Array.from(document.querySelectorAll("[data-parameter] input[type=radio]:enabled"), (input) => [
      input.name,
      input.value,
    ]),
  );
  assert.ok(options.length > 10, `${options.length} options`);
  for (const [name, value] of options) {
    await window.click(`[data-parameter='${name}'] label`, value);
    await assertStill(window, before, `${name} ${value}`);
  }
  await window.click(".rail-foot button", "Reset all");
  await assertStill(window, before, "all are reset");
});

scenario("no control moves when a preset or a pin with a long name is chosen", async ({ window }) => {
  await begin(window);
  const before = await boxesOf(window);
  await window.drag("half_life_days", 0.5);
  await window.click("button[aria-label^='Preset:']");
  await window.click("[role='menuitem']", "Save as…");
  await window.until("the name is asked for", () => document.activeElement?.id === "preset-name");
  // The field takes 80 characters; a name that came by a file or the command line may be longer.
  await window.run(() => document.getElementById("preset-name").removeAttribute("maxlength"));
  await window.press(`${LONG_NAME}${KEY.enter}`);
  await window.until(
    "it is saved",
    (name) => document.querySelector(".preset-trigger")?.ariaLabel === `Preset: ${name}`,
    LONG_NAME,
  );
  await assertStill(window, before, "a preset is saved");
  const [title, isCut] = await window.run(() => {
    const trigger = document.querySelector(".preset-trigger");
    const name = trigger.querySelector(".picked");
    return [trigger.title, name.scrollWidth > name.clientWidth];
  });
  assert.ok(title.includes(LONG_NAME), title);
  assert.ok(isCut, "the name is cut");
  await window.press(KEY.escape);
  await window.click("button[aria-label^='Pinned:']");
  await window.click("[role='menuitem']", LONG_NAME);
  await assertStill(window, before, "it is pinned");
  for (const preset of ["Default", LONG_NAME]) {
    await window.click("button[aria-label^='Preset:']");
    await window.click("[role='menuitem'] .cut1", preset);
    await assertStill(window, before, `the preset ${preset}`);
  }
  await window.drag("half_life_days", 0.9);
  await assertStill(window, before, "the preset is changed");
});

scenario("folded stages stay folded when a preset switches one on", async ({ window }) => {
  await window.click(".off-line");
  await window.click("button[aria-label^='Preset:']");
  await window.click("[role='menuitem'] .cut1", "Default");
  // Another view and back: the rail is laid out by what is on.
  await window.show("Tune");
  await window.show("Search");
  await window.until(
    "seven are folded",
    () => document.querySelector(".off-line b")?.textContent === "7 off",
  );
  const before = await boxesOf(window);
  await window.click("button[aria-label^='Preset:']");
  await window.click("[role='menuitem'] .cut1", LONG_NAME);
  await window.until("the fold says so", () =>
    document.querySelector(".off-line")?.innerText.includes("6 off, 1 on"),
  );
  await assertStill(window, before, "a preset switched Decay on");
});
