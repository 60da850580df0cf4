/** Nothing that the window's processes make can be read by another user, whatever the umask. */
import assert from "node:assert/strict";
import { lstat, mkdir, readdir } from "node:fs/promises";
import { join, relative } from "node:path";
import { test } from "node:test";

import { QUESTION } from "./driver/scenario.mjs";
import { Scratch } from "./driver/scratch.mjs";
import { MemlensWindow } from "./driver/window.mjs";

/** Paths below a folder that other users may do something with; sockets and links have no modes of their own. */
async function openToOthers(root) {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const open = await Promise.all(
    entries
      .filter((entry) => entry.isFile() || entry.isDirectory())
      .map(async (entry) => {
        const path = join(entry.parentPath, entry.name);
        // A temporary file may be gone.
        const found = await lstat(path).catch(() => null);
        return found !== null && (found.mode & 0o077) !== 0 ? [relative(root, path)] : [];
      }),
  );
  return open.flat();
}

test("all that the window makes is its user's alone, the web view's storage included", async () => {
  const scratch = await Scratch.make();
  scratch.environment.TMPDIR = join(scratch.root, "tmp");
  await mkdir(scratch.environment.TMPDIR);
  await scratch.answerDialogs(null);
  const before = new Set(await openToOthers(scratch.root));
  const umask = process.umask(0);
  let window;
  try {
    window = await MemlensWindow.openIndexed(scratch);
  } finally {
    process.umask(umask);
  }
  try {
    await window.ask(QUESTION);
    await window.rowsUntil("the question is answered", (rows) => rows.length > 0);
    for (const view of ["Memory", "Settings", "Search"]) await window.show(view);
    const made = (await openToOthers(scratch.root)).filter((path) => !before.has(path));
    assert.deepEqual(made, []);
    const stored = await readdir(join(scratch.root, "data"), { recursive: true });
    assert.ok(stored.length > 0, "the web view stores something");
  } finally {
    await window.close();
    await scratch.remove();
  }
});
