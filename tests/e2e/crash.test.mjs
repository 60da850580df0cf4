/** The process that shows the page is killed: the page comes back by itself once, and then the user decides. */
import assert from "node:assert/strict";
import { readlink } from "node:fs/promises";
import { test } from "node:test";

import { until } from "./driver/deadline.mjs";
import { Scratch } from "./driver/scratch.mjs";
import { MemlensWindow } from "./driver/window.mjs";

/** The processes of a window whose program has this name. */
async function named(window, name) {
  const ids = await window.processIds();
  const programs = await Promise.all(ids.map((id) => readlink(`/proc/${id}/exe`).catch(() => "")));
  return ids.filter((_, at) => programs[at].split("/").at(-1).startsWith(name));
}

const pageProcesses = (window) => named(window, "WebKitWebProcess");

/** Kills the page's process and returns once another one runs, or the window is gone. */
async function killPage(window, becomes) {
  const before = await pageProcesses(window);
  assert.equal(before.length, 1, "one process shows the page");
  process.kill(before[0], "SIGKILL");
  await until(`a killed page is ${becomes}`, async () => {
    const now = await pageProcesses(window);
    if (becomes === "loaded again") return now.length === 1 && now[0] !== before[0];
    return (await named(window, "memlens-app")).length === 0;
  });
}

// The driver gives up a session whose page crashed, so what the page shows is not asked for.
test("a page whose process is killed comes back, and the second time the user is asked", async () => {
  const scratch = await Scratch.make();
  const window = await MemlensWindow.openIndexed(scratch);
  try {
    await scratch.answerDialogs(null);
    await killPage(window, "loaded again");
    await scratch.answerDialogs("reload");
    await killPage(window, "loaded again");
    await scratch.answerDialogs(null);
    await killPage(window, "closed");
  } finally {
    await window.close();
    await scratch.remove();
  }
});
