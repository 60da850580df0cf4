/**
 * The real window on a library of 10,000 chunks, in the folder that is named first: a slider's input to the repainted table,
 * the start, the memory, and what it does while nothing happens. Then start and idleness with one of 50,000 files, in the
 * second folder.
 *
 * Prints a series a line as JSON, `{name, unit, note, samples}`; `cargo xtask bench window` condenses them to figures. What is
 * being measured is on standard error, for it takes four minutes.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp } from "node:fs/promises";
import { availableParallelism, loadavg } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

import { showCards } from "../driver/overview.mjs";
import { memoryOf, processesOfProgram, processorTimeOf } from "../driver/processes.mjs";
import { QUESTION } from "../driver/scenario.mjs";
import { Scratch } from "../driver/scratch.mjs";
import { MemlensWindow } from "../driver/window.mjs";

const N_CHANGES = 200;
const N_STARTS = 5;
const N_SEARCHES = 10;
/** What was begun by an event is done by then, also what waits for a rest of 20 seconds. */
const SETTLED_AFTER_MS = 30_000;
/** What ends with a caret's blinking. */
const CARET_GONE_AFTER_MS = 2_000;
const IDLE_SECONDS = 20;
const MB = 1e6;
/** Frames of each way to scroll the list of notes. */
const N_FRAMES = 300;
/** Pixels that it is scrolled in a frame: about as by a fast wheel. */
const SCROLLED_PX = 120;
/** What the figures with the second library are named by. */
const MANY = "window among 50,000 files";

const [made, many] = process.argv.slice(2);
const scratch = await Scratch.make();
try {
  await use(made);
  await measureStarts("window");
  await measureIdleness();
  await measureSliders();
  await use(many);
  await measureStarts(MANY);
  await measureIdlenessAmongMany();
  await measureScrolling();
} finally {
  await scratch.remove();
}

/** Opens the library in a folder once, so that all of it is indexed. */
async function use(folder) {
  scratch.notes = join(folder, "notes");
  scratch.library = join(folder, "library");
  await MemlensWindow.openIndexed(scratch).then((window) => window.close());
}

/** The library is indexed and WebKit's caches are warm, as at every start of a day but the first. */
async function measureStarts(name) {
  const starts = [];
  const memories = [];
  for (let start = 0; start < N_STARTS; start++) {
    progress(`${name}: start ${start + 1} of ${N_STARTS}`);
    const window = await MemlensWindow.open(scratch);
    try {
      await window.ready();
      starts.push(performance.now() - window.startedAtMs);
      memories.push(await memoryOfWindow(window));
    } finally {
      await window.close();
    }
  }
  print(`${name}: start until it can be used`, "ms", `notes are indexed; ${load()}`, starts);
  tellMemory(name, "at the start", memories);
}

/** Nothing is asked, and none of the folders that are watched changes. */
async function measureIdlenessAmongMany() {
  const window = await MemlensWindow.openIndexed(scratch);
  try {
    await window.run(() => document.activeElement.blur());
    progress(`${SETTLED_AFTER_MS / 1000} s until all has settled`);
    await pause(SETTLED_AFTER_MS);
    await tellIdle([[MANY, await window.processIds()]]);
  } finally {
    await window.close();
  }
}

/** The list of all notes is scrolled evenly, and then jumps from place to place, as by its scroll bar. */
async function measureScrolling() {
  const window = await MemlensWindow.openIndexed(scratch);
  try {
    await showCards(window);
    await window.click("button", "All notes");
    await window.until(
      "notes are listed",
      () => document.querySelector("[role='listbox'][aria-label='Notes'] [role='option'] b") !== null,
    );
    for (const [how, isJumping] of [
      ["is scrolled", false],
      ["jumps", true],
    ]) {
      progress(`${N_FRAMES} frames while the list ${how}`);
      const frames = await window.run(framesOfScrolling, N_FRAMES, isJumping ? null : SCROLLED_PX);
      print(`${MANY}: a frame while the list ${how}`, "ms", circumstances(), frames);
    }
  } finally {
    await window.close();
  }
}

/** Nothing is asked and no note changes: the window open on an answer, and beside it the watching command on a copy. */
async function measureIdleness() {
  const copy = join(scratch.root, "copy");
  await cp(scratch.library, copy, { recursive: true });
  const watching = spawn(process.env.MEMLENS_CLI, ["watch", "--library", copy], {
    env: scratch.environment,
    stdio: "ignore",
  });
  const ended = once(watching, "exit");
  try {
    const window = await MemlensWindow.openIndexed(scratch);
    try {
      for (let search = 0; search < N_SEARCHES; search++) {
        const question = `${QUESTION} ${search}`;
        progress(`search ${search + 1} of ${N_SEARCHES}`);
        await window.ask(question);
        await window.rowsUntil("the question is answered", (rows) => rows.length > 0);
      }
      tellMemory("window", `after ${N_SEARCHES} searches`, [await memoryOfWindow(window)]);
      progress(`${SETTLED_AFTER_MS / 1000} s until all has settled`);
      await pause(SETTLED_AFTER_MS);
      const ids = await window.processIds();
      await tellIdle([["window, a caret blinking", ids]]);
      await window.run(() => document.activeElement.blur());
      await pause(CARET_GONE_AFTER_MS);
      await tellIdle([
        ["window", ids],
        ["memlens watch", [watching.pid]],
      ]);
      tellMemory("window", "at rest", [await memoryOfWindow(window)]);
    } finally {
      await window.close();
    }
  } finally {
    watching.kill("SIGINT");
    await ended;
  }
}

/** Prints the processor time of each named set of processes in the same idle seconds. */
async function tellIdle(sets) {
  progress(`${IDLE_SECONDS} s idle: ${sets.map(([name]) => name).join(", ")}`);
  const before = await Promise.all(sets.map(([, ids]) => processorTimeOf(ids)));
  await pause(1000 * IDLE_SECONDS);
  const after = await Promise.all(sets.map(([, ids]) => processorTimeOf(ids)));
  for (const [at, [name]] of sets.entries())
    print(`${name}: processor time in ${IDLE_SECONDS} idle seconds`, "ms", "all its threads", [
      after[at] - before[at],
    ]);
}

/** Memory of the window's own process, and of it with those that WebKit starts beside it, in MB. */
async function memoryOfWindow(window) {
  const ids = await window.processIds();
  const [own, all] = await Promise.all([
    processesOfProgram(ids, scratch.program).then(memoryOf),
    memoryOf(ids),
  ]);
  return { own: own / MB, all: all / MB };
}

function tellMemory(name, when, samples) {
  const note = "shared pages split among their holders (PSS)";
  const of = (whose) => samples.map((sample) => sample[whose]);
  print(`${name}: memory of its process ${when}`, "MB", note, of("own"));
  print(`${name}: memory with WebKit's processes ${when}`, "MB", note, of("all"));
}

async function measureSliders() {
  const window = await MemlensWindow.openIndexed(scratch);
  try {
    await window.ask(QUESTION);
    await window.rowsUntil("the question is answered", (rows) => rows.length > 0);
    for (const [id, name] of [
      ["vector_weight", "vector weight"],
      ["min_score", "min score"],
    ]) {
      progress(`${N_CHANGES} changes of ${name}`);
      const { toRows, toPaint } = await window.run(inputToPaint, id, N_CHANGES);
      print(`${name}: slider input to repainted table`, "ms", circumstances(), toPaint);
      print(`${name}: slider input to new rows`, "ms", "the part before layout and paint", toRows);
    }
    const ranking = { pipeline: "memlens", values: {} };
    const { id } = await window.invoke("search", { query: QUESTION, ranking, scope: null });
    const calls = await window.run(callToAnswer, id, ranking, N_CHANGES);
    print("rank, from the page to the engine and back", "ms", "a part of the times above", calls);
  } finally {
    await window.close();
  }
}

/** What the time of a repaint depends on; the aim of 16 ms is for the user's machine, idle and with a graphics card. */
function circumstances() {
  return `drawn without a graphics card; ${load()}`;
}

function load() {
  return `load ${loadavg()[0].toFixed(1)} on ${availableParallelism()} processors`;
}

function progress(what) {
  console.error(`Measuring: ${what}`);
}

function print(name, unit, note, samples) {
  console.log(JSON.stringify({ name, unit, note, samples }));
}

// The functions below run in the page. Its clock shows whole milliseconds.

/**
 * Moves a slider to and fro; milliseconds from each input event until the table holds the new ranking, and until the frame
 * that shows it is painted.
 *
 * The next change comes when the one before is painted, each at another moment of a frame.
 */
async function inputToPaint(id, n_changes) {
  const slider = document.querySelector(`[data-parameter="${id}"] input[type=range]`);
  const grid = document.querySelector("[role='grid']");
  const WITHIN_MS = 5_000;
  const [low, high] = [0.05, 0.95];
  const toRows = [];
  const toPaint = [];
  for (let change = 0; change < n_changes; change++) {
    await new Promise((done) => setTimeout(done, (change * 7) % 17));
    const shown = new Promise((done, fail) => {
      const deadline = setTimeout(
        () => fail(new Error(`change ${change} of ${id} was not shown`)),
        WITHIN_MS,
      );
      const observer = new MutationObserver(() => {
        observer.disconnect();
        clearTimeout(deadline);
        done();
      });
      observer.observe(grid, { subtree: true, childList: true, characterData: true, attributes: true });
    });
    const start = performance.now();
    const at = (change % 40) / 20;
    slider.value = String(low + (high - low) * (at < 1 ? at : 2 - at));
    slider.dispatchEvent(new InputEvent("input", { bubbles: true }));
    await shown;
    toRows.push(performance.now() - start);
    await new Promise(requestAnimationFrame);
    // Messages come after the frame was painted.
    await new Promise((done) => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = done;
      port2.postMessage(null);
    });
    toPaint.push(performance.now() - start);
  }
  slider.dispatchEvent(new Event("change", { bubbles: true }));
  return { toRows, toPaint };
}

/** Scrolls the list of notes in each frame, by some pixels or to another place; milliseconds of each frame. */
async function framesOfScrolling(nFrames, byPx) {
  const list = document.querySelector("[role='listbox'][aria-label='Notes']");
  const height = list.scrollHeight - list.clientHeight;
  list.scrollTop = 0;
  const frame = () => new Promise(requestAnimationFrame);
  await frame();
  let before = await frame();
  const frames = [];
  for (let at = 1; at <= nFrames; at++) {
    list.scrollTop = byPx === null ? (height * ((at * 89) % 144)) / 144 : at * byPx;
    const now = await frame();
    frames.push(now - before);
    before = now;
  }
  return frames;
}

async function callToAnswer(search, ranking, n_calls) {
  const times = [];
  for (let call = 0; call < n_calls; call++) {
    const start = performance.now();
    await window.__TAURI_INTERNALS__.invoke("rank", { search, ranking });
    times.push(performance.now() - start);
  }
  return times;
}
