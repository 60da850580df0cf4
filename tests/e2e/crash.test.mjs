/** The process that shows the page is killed: the page comes back by itself. */
import assert from "node:assert/strict";
import { readlink } from "node:fs/promises";
import { test } from "node:test";

import { until } from "./driver/deadline.mjs";
import { openSample } from "./driver/scenario.mjs";
import { Scratch } from "./driver/scratch.mjs";

/** The processes of a window whose program has this name. */
async function named(window, name) {
  const ids = await window.processIds();
  const programs = await Promise.all(ids.map((id) => readlink(`/proc/${id}/exe`).catch(() => "")));
  return ids.filter((_, at) => programs[at].split("/").at(-1).startsWith(name));
}

const pageProcesses = (window) => named(window, "WebKitWebProcess");

// The driver gives up a session whose page crashed, so what the page shows is not asked for.
test("a page whose process is killed comes back", async () => {
  const scratch = await Scratch.make();
  const window = await openSample(scratch);
  try {
    const before = await pageProcesses(window);
    assert.equal(before.length, 1, "one process shows the page");
    process.kill(before[0], "SIGKILL");
    await until("another process shows the page", async () => {
      const now = await pageProcesses(window);
      return now.length === 1 && now[0] !== before[0];
    });
  } finally {
    await window.close();
    await scratch.remove();
  }
});
