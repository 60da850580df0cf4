/**
 * The real window on a library of 10,000 chunks, in the folder that is named: a slider's input to the repainted table, the
 * start, the memory, and what it does while nothing happens.
 *
 * Prints a series a line as JSON, `{name, unit, note, samples}`; `cargo xtask bench window` condenses them to figures.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { availableParallelism, loadavg } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

import { memoryOf, processorTimeOf } from "../driver/processes.mjs";
import { QUESTION } from "../driver/scenario.mjs";
import { Scratch } from "../driver/scratch.mjs";
import { MemlensWindow } from "../driver/window.mjs";

const N_CHANGES = 200;
const N_STARTS = 5;
/** What was begun by an event is done by then, also what waits for a rest of 20 seconds. */
const SETTLED_AFTER_MS = 30_000;
const IDLE_SECONDS = 20;
const MIB = 1024 * 1024;

const [made] = process.argv.slice(2);
const scratch = await Scratch.make();
scratch.notes = join(made, "notes");
scratch.library = join(made, "library");
try {
  await MemlensWindow.openIndexed(scratch).then((window) => window.close());
  await measureStarts();
  await measureIdleness();
  await measureSliders();
} finally {
  await scratch.remove();
}

/** The library is indexed and WebKit's caches are warm, as at every start of a day but the first. */
async function measureStarts() {
  const starts = [];
  const memories = [];
  for (let start = 0; start < N_STARTS; start++) {
    const window = await MemlensWindow.open(scratch);
    try {
      await window.ready();
      starts.push(performance.now() - window.startedAtMs);
      memories.push((await memoryOf(await window.processIds())) / MIB);
    } finally {
      await window.close();
    }
  }
  tell("window: start until it can be used", "ms", `notes are indexed; ${load()}`, starts);
  tell("window: memory of its processes", "MiB", "proportional set size", memories);
}

/** Nothing is asked and no note changes: first with the window open on an answer, then with the watching command alone. */
async function measureIdleness() {
  const window = await MemlensWindow.openIndexed(scratch);
  try {
    await window.ask(QUESTION);
    await window.rowsUntil("the question is answered", (rows) => rows.length > 0);
    await tellIdle("window, a caret blinking", await window.processIds());
    await window.run(() => document.activeElement.blur());
    await tellIdle("window", await window.processIds());
  } finally {
    await window.close();
  }
  const watching = spawn(process.env.MEMLENS_CLI, ["watch", "--library", scratch.library], {
    env: scratch.environment,
    stdio: "ignore",
  });
  const ended = once(watching, "exit");
  try {
    await tellIdle("memlens watch", [watching.pid]);
  } finally {
    watching.kill("SIGINT");
    await ended;
  }
}

async function tellIdle(name, ids) {
  await pause(SETTLED_AFTER_MS);
  const before = await processorTimeOf(ids);
  await pause(1000 * IDLE_SECONDS);
  const time = (await processorTimeOf(ids)) - before;
  tell(`${name}: processor time in ${IDLE_SECONDS} idle seconds`, "ms", "all its threads", [time]);
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
      const { toRows, toPaint } = await window.run(inputToPaint, id, N_CHANGES);
      tell(`${name}: slider input to repainted table`, "ms", circumstances(), toPaint);
      tell(`${name}: slider input to new rows`, "ms", "the part before layout and paint", toRows);
    }
    const { params } = await scratch.search(QUESTION);
    const { id } = await window.invoke("search", { query: QUESTION, params, scope: null });
    const calls = await window.run(callToAnswer, id, params, N_CHANGES);
    tell("rank, from the page to the engine and back", "ms", "a part of the times above", calls);
  } finally {
    await window.close();
  }
}

/** What the time of a repaint depends on; the aim of 16 ms is for a person's machine, idle and with a graphics card. */
function circumstances() {
  return `drawn without a graphics card; ${load()}`;
}

function load() {
  return `load ${loadavg()[0].toFixed(1)} on ${availableParallelism()} processors`;
}

function tell(name, unit, note, samples) {
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

async function callToAnswer(search, params, n_calls) {
  const times = [];
  for (let call = 0; call < n_calls; call++) {
    const start = performance.now();
    await window.__TAURI_INTERNALS__.invoke("rank", { search, params });
    times.push(performance.now() - start);
  }
  return times;
}
