/** With animations switched off in the desktop's settings, rows change place at once and nothing else in the window moves. */
import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { inOneWindow, openSample, QUESTION } from "./driver/scenario.mjs";

const VIEWS = ["Search", "Tune", "Compare", "Past questions", "Memory", "Export", "Settings"];

const scenario = inOneWindow({
  open: async (scratch) => {
    const folder = join(scratch.root, "config/gtk-3.0");
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, "settings.ini"), "[Settings]\ngtk-enable-animations=0\n");
    return openSample(scratch);
  },
});

/** What is declared to move for longer than a frame, by its element; a delay moves nothing. */
function declared() {
  const seconds = (times) => times.split(",").map((time) => Number.parseFloat(time));
  return Array.from(document.querySelectorAll("*")).flatMap((element) =>
    [null, "::before", "::after"].flatMap((pseudo) => {
      const style = getComputedStyle(element, pseudo);
      const longest = Math.max(
        ...seconds(style.transitionDuration),
        ...(style.animationName === "none" ? [0] : seconds(style.animationDuration)),
      );
      return longest > 0.001
        ? [`${element.localName}.${element.className}${pseudo ?? ""}: ${longest} s`]
        : [];
    }),
  );
}

scenario("rows that change place are there at once", async ({ window }) => {
  assert.equal(await window.run(() => matchMedia("(prefers-reduced-motion: reduce)").matches), true);
  await window.ask(QUESTION);
  const before = await window.rows();
  await window.run(() => {
    window.moving = [];
    const look = () => {
      for (const animation of document.getAnimations()) {
        const { duration } = animation.effect.getComputedTiming();
        if (duration > 1) window.moving.push(`${animation.effect.target?.className}: ${duration} ms`);
      }
      window.looking = requestAnimationFrame(look);
    };
    look();
  });
  await window.drag("vector_weight", 0.02);
  const order = (rows) => rows.map(({ chunk }) => chunk).join();
  await window.rowsUntil("rows change place", (rows) => order(rows) !== order(before));
  await window.click(".rail-foot button", "Reset all");
  await window.rowsUntil("they are back", (rows) => order(rows) === order(before));
  const moving = await window.run(() => {
    cancelAnimationFrame(window.looking);
    return window.moving;
  });
  assert.deepEqual(moving, []);
});

scenario("no view declares a motion", async ({ window }) => {
  for (const view of VIEWS) {
    await window.show(view);
    assert.deepEqual(await window.run(declared), [], view);
  }
});
