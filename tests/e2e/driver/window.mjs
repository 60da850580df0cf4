/** The window of Memlens as the user meets it: what stands on it, the pointer and the keys. */
import { mkdir, writeFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";

import { until } from "./deadline.mjs";
import { KEY, Session } from "./webdriver.mjs";

/** Indexing all sample notes on a busy machine. */
const READY_WITHIN_MS = 120_000;
/** While a picture is taken. */
const REDRAW_EVERY_MS = 250;
const OUT = fileURLToPath(new URL("../out/", import.meta.url));

export class MemlensWindow {
  #session;

  constructor(session) {
    this.#session = session;
  }

  /** Opens the window on a scratch library; resolves once the page runs, which may be before it is ready. */
  static async open(scratch, { args = [], folders = [scratch.notes] } = {}) {
    return new MemlensWindow(
      await Session.open({
        program: scratch.program,
        args: [
          ...["--library", scratch.library, "--answer-dialogs", scratch.dialogAnswer],
          ...folders.flatMap((folder) => ["--add", folder]),
          ...args,
        ],
        environment: scratch.environment,
      }),
    );
  }

  /** Opens the window and waits until it can be used and every note is indexed. */
  static async openIndexed(scratch, options) {
    const window = await MemlensWindow.open(scratch, options);
    try {
      await window.ready();
      await window.indexed();
    } catch (error) {
      // A window that stays open would keep the test runner from ending.
      await window.close();
      throw error;
    }
    return window;
  }

  /** When the program was started, on the clock of `performance.now()`. */
  get startedAtMs() {
    return this.#session.startedAtMs;
  }

  async processIds() {
    return this.#session.processIds();
  }

  async close() {
    await this.#session.close();
  }

  /** See `Session.run`. */
  async run(fn, ...args) {
    return this.#session.run(fn, ...args);
  }

  /** See `Session.load`. */
  async load(script) {
    await this.#session.load(script);
  }

  /** Asks the page until the answer is truthy, and returns it. */
  async until(what, fn, ...args) {
    return until(what, () => this.run(fn, ...args));
  }

  /** Resolves when the window says that it can be used. */
  async ready() {
    await until("the window is ready", () => this.run(isReady), READY_WITHIN_MS);
  }

  /** Resolves when nothing is left to index. */
  async indexed() {
    await until(
      "every note is indexed",
      async () => {
        const { indexing, scanning, folders, read_only } = await this.invoke("state");
        // Right after a folder was added its walk has not begun, and nothing is known to index.
        const isBeforeWalk = read_only === null && folders.some(({ status }) => status === "waiting");
        return indexing === null && scanning === null && !isBeforeWalk;
      },
      READY_WITHIN_MS,
    );
  }

  /** Calls a command of the backend as the page does; rejects with what the backend says. */
  async invoke(command, args = {}) {
    return this.run((name, given) => window.__TAURI_INTERNALS__.invoke(name, given), command, args);
  }

  /** The text of the elements that match, as drawn, without white space at its ends. */
  async texts(selector) {
    return this.run(
      (wanted) => Array.from(document.querySelectorAll(wanted), (element) => element.innerText.trim()),
      selector,
    );
  }

  /** Clicks the middle of the one element that matches, and says or is labelled `name` where one is given. */
  async click(selector, name) {
    // What moves while the pointer is under way is aimed at again.
    await until(`a pointer rests on ${selector}`, async () => {
      const aim = await this.#middleOf(selector, name);
      await this.#session.pointTo([aim]);
      const now = await this.#middleOf(selector, name);
      return now.x === aim.x && now.y === aim.y;
    });
    await this.#session.pressPointer();
    await this.#session.releasePointer();
  }

  /** Chooses an entry, by its text, of the list that opens at a control. */
  async choose(selector, entry) {
    await this.click(selector);
    await this.until("the list is open", () => document.querySelector("[role='listbox']") !== null);
    await this.click("[role='option']", entry);
    await this.until("the list is closed", () => document.querySelector("[role='listbox']") === null);
  }

  /** Presses the right button on the middle of the one element that matches. */
  async rightClick(selector) {
    await this.#session.pointTo([await this.#middleOf(selector)]);
    await this.#session.pressPointer(2);
    await this.#session.releasePointer(2);
  }

  async doubleClick(selector) {
    await this.click(selector);
    await this.#session.pressPointer();
    await this.#session.releasePointer();
  }

  /** Presses the pointer on the one element that matches, moves it by so many pixels in small steps, and lets go. */
  async dragBy(selector, x, y) {
    const from = await this.#middleOf(selector);
    const n_steps = 6;
    await this.#session.pointTo([from]);
    await this.#session.pressPointer();
    await this.#session.pointTo(
      Array.from({ length: n_steps }, (_, at) => ({
        x: from.x + Math.round((x * (at + 1)) / n_steps),
        y: from.y + Math.round((y * (at + 1)) / n_steps),
      })),
    );
    await this.#session.releasePointer();
  }

  /** Moves the pointer to a place of the page. */
  async pointAt(place) {
    await this.#session.pointTo([place]);
  }

  /** Presses the pointer at the first of some places of the page, moves it through the others, and lets go. */
  async dragThrough([first, ...others]) {
    await this.#session.pointTo([first]);
    await this.#session.pressPointer();
    await this.#session.pointTo(others);
    await this.#session.releasePointer();
  }

  async press(keys, held) {
    await this.#session.press(keys, held);
  }

  /** Goes to the question from wherever the window stands, types it and searches; resolves when it is answered. */
  async ask(question) {
    await this.press("k", [KEY.control]);
    await this.until("the question has the focus", () => document.activeElement?.id === "query");
    await this.press(question);
    await this.press(KEY.enter);
    await this.until("the question is answered", isAnswered, question);
  }

  /** Goes to a view by its tab. */
  async show(view) {
    await this.click("nav[aria-label='Views'] button", view);
    await this.until(
      `${view} is shown`,
      (wanted) => document.querySelector("nav [aria-current='page']")?.textContent === wanted,
      view,
    );
  }

  /** The rows of the trace that are drawn, from the top: what each cell says; `rank` is null for a dropped row. */
  async rows() {
    return this.run(() =>
      Array.from(document.querySelectorAll("[role='grid'] [role='row'][data-chunk]"))
        .toSorted((a, b) => Number(a.ariaRowIndex) - Number(b.ariaRowIndex))
        .map((row) => {
          const cells = Object.fromEntries(
            Array.from(row.querySelectorAll("[role='gridcell'][data-column]"), (cell) => [
              cell.dataset.column,
              cell.innerText.trim(),
            ]),
          );
          return {
            chunk: row.dataset.chunk,
            rank: cells.rank === "" ? null : Number(cells.rank),
            moved: cells.moved,
            name: row.querySelector(".path").textContent,
            lines: row.querySelector(".ln").textContent,
            text: row.querySelector(".x").innerText.trim(),
            vector: cells.vector,
            bm25: cells.bm25,
            rrf: cells.rrf,
            fused: cells.fusion,
            // Null where the stage does nothing, and so has no column.
            rerank: cells.rerank ?? null,
            corroboration: cells.corroboration ?? null,
            feedback: cells.feedback ?? null,
            final: cells.final,
          };
        }),
    );
  }

  /** Resolves with the rows once `holds` says that they are as wanted. */
  async rowsUntil(what, holds) {
    return until(what, async () => {
      const rows = await this.rows();
      return holds(rows) && rows;
    });
  }

  /** What a parameter's control says: the value in its field, and what the rail says about its last change. */
  async parameter(id) {
    return this.run((wanted) => {
      const field = document.getElementById(`field-${wanted}`);
      const chosen = document.querySelector(`[data-parameter="${wanted}"] input[type=radio]:checked`);
      return {
        value: field?.value ?? chosen?.value ?? null,
        remark: document.querySelector(`.rail-help [data-about="${wanted}"]`)?.innerText.trim() ?? "",
      };
    }, id);
  }

  /** Shows the stages that are off in the rail, each at its place. */
  async showOff() {
    if (await this.run(() => document.querySelector(".off-line")?.ariaExpanded === "false"))
      await this.click(".off-line");
  }

  /** Switches a stage on in the rail, by its name there; nothing where it is. */
  async switchOn(stage) {
    await this.showOff();
    const isOn = await this.run(
      (name) => document.querySelector(`[role='switch'][aria-label='${name} stage']`)?.ariaChecked === "true",
      stage,
    );
    if (!isOn) await this.click("[role='switch']", `${stage} stage`);
  }

  /** Shows every parameter in the rail, or only what most people turn. */
  async showAdvanced(isShown = true) {
    const name = await this.run(() => document.querySelector(".rail-foot [aria-pressed]")?.innerText ?? "");
    if (name.startsWith("Hide") !== isShown) await this.click(".rail-foot [aria-pressed]");
  }

  /** Presses the pointer on a parameter's knob; `dragTo` and `releasePointer` follow. */
  async grab(id) {
    await this.#session.pointTo([await this.#knobOf(id)]);
    await this.#session.pressPointer();
  }

  /** Drags the knob of a grabbed parameter to a share of its track, in `[0, 1]`, in small steps. */
  async dragTo(id, share) {
    const from = await this.#knobOf(id);
    const to = await this.#knobOf(id, share);
    const n_steps = 8;
    const points = Array.from({ length: n_steps }, (_, at) => ({
      x: from.x + ((to.x - from.x) * (at + 1)) / n_steps,
      y: from.y,
    }));
    await this.#session.pointTo(points);
  }

  async releasePointer() {
    await this.#session.releasePointer();
  }

  /** Grabs a parameter's knob, drags it and lets go. */
  async drag(id, share) {
    await this.grab(id);
    await this.dragTo(id, share);
    await this.releasePointer();
  }

  /** Gives the window this size, in CSS pixels, and resolves when the page has it. */
  async size(width, height) {
    await this.#session.resize(width, height);
    await this.until(
      `the page is ${width} x ${height}`,
      (wanted) => innerWidth === wanted[0] && innerHeight === wanted[1],
      [width, height],
    );
  }

  /** A picture of the page as PNG. WebKit takes it with the next frame, and a page at rest draws none unless it changes. */
  async picture() {
    const picture = this.#session.picture();
    const isTaken = picture.then(
      () => true,
      () => true,
    );
    while (!(await Promise.race([isTaken, pause(REDRAW_EVERY_MS, false)]))) await this.run(redraw);
    await this.run(() => document.body.style.removeProperty("opacity"));
    return picture;
  }

  /** Saves a picture where failed tests leave theirs, and returns its path. */
  async keepPicture(name) {
    await mkdir(OUT, { recursive: true });
    const path = `${OUT}${name.replaceAll(/[^a-z0-9]+/gi, "-")}.png`;
    await writeFile(path, await this.picture());
    return path;
  }

  /** Middle of the one matching element, scrolled into sight; an error where a pointer would meet something else. */
  async #middleOf(selector, name) {
    const what = name === undefined ? selector : `${selector} “${name}”`;
    return until(`a pointer reaches ${what}`, () => this.run(middleOf, selector, name ?? null));
  }

  /** Where a parameter's knob stands, or would stand at a share of the track. */
  async #knobOf(id, share = null) {
    return until(`the slider of ${id} is there`, () => this.run(knobOf, id, share));
  }
}

// The functions below run in the page.

function redraw() {
  const { style } = document.body;
  style.opacity = style.opacity === "" ? "0.9999" : "";
}

function isReady() {
  return document.documentElement.dataset.ready === "true";
}

function isAnswered(question) {
  const isTyped = document.getElementById("query")?.value === question;
  const grid = document.querySelector("[role='grid']");
  const isRefused = document.querySelector("[role='alert']") !== null;
  return isTyped && (grid?.getAttribute("aria-busy") === "false" || isRefused);
}

/** Null while no single matching element can be met. */
function middleOf(selector, name) {
  const elements = Array.from(document.querySelectorAll(selector)).filter(
    (element) =>
      name === null ||
      element.innerText?.trim() === name ||
      element.textContent.trim() === name ||
      element.getAttribute("aria-label") === name,
  );
  if (elements.length !== 1) return null;
  const [element] = elements;
  element.scrollIntoView({ block: "nearest", inline: "nearest" });
  const { left, top, width, height } = element.getBoundingClientRect();
  const point = { x: Math.round(left + width / 2), y: Math.round(top + height / 2) };
  const met = document.elementFromPoint(point.x, point.y);
  return met !== null && (element.contains(met) || met.contains(element)) ? point : null;
}

/** The knob is drawn beside the slider, whose own thumb is as wide. */
function knobOf(id, share) {
  const slider = document.querySelector(`[data-parameter="${id}"] input[type=range]`);
  if (slider === null) return null;
  slider.scrollIntoView({ block: "nearest" });
  const { left, top, width, height } = slider.getBoundingClientRect();
  const thumb = 9;
  const at = share ?? Number(slider.value);
  return { x: left + thumb / 2 + (width - thumb) * at, y: top + height / 2 };
}
