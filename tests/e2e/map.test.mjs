/** The map of all chunks: its points, its legend, a lasso, the present question, and the way to a note and back. */
import assert from "node:assert/strict";

import { until } from "./driver/deadline.mjs";
import { showMap } from "./driver/overview.mjs";
import { inOneWindow, QUESTION } from "./driver/scenario.mjs";
import { KEY } from "./driver/webdriver.mjs";

const LONG = "a very long name of a note ".repeat(6).trim();

const scenario = inOneWindow({
  prepare: async (scratch) => {
    await scratch.write(`garden/${LONG}.md`, "# Hose\n\nThe hose is in the shed behind the koi pond.\n");
  },
});

const POINTS = "[role='application']";

async function drawMap(window) {
  await showMap(window);
  return nDrawn(window);
}

const nDrawn = (window) =>
  window.run((points) => Number(document.querySelector(points)?.dataset.drawn ?? 0), POINTS);

const drawnUntil = (window, holds) =>
  until("points are drawn", async () => {
    const n = await nDrawn(window);
    return holds(n) && n;
  });

const address = (window) => window.run(() => decodeURIComponent(location.hash));

/** Places of the page where the canvas has another colour than at its corner, far from each other. */
function painted(window) {
  return window.run((points) => {
    const canvas = document.querySelector(`${points} canvas`);
    const copy = document.createElement("canvas");
    [copy.width, copy.height] = [canvas.width, canvas.height];
    const context = copy.getContext("2d");
    context.drawImage(canvas, 0, 0);
    const { data } = context.getImageData(0, 0, copy.width, copy.height);
    const pixels = new Uint32Array(data.buffer);
    const { left, top, width } = canvas.getBoundingClientRect();
    const scale = width / copy.width;
    const found = [];
    let n = 0;
    for (let at = 0; at < pixels.length; at++) {
      if (pixels[at] === pixels[0]) continue;
      n++;
      const place = { x: left + (at % copy.width) * scale, y: top + Math.floor(at / copy.width) * scale };
      if (found.every(({ x, y }) => Math.hypot(x - place.x, y - place.y) > 60)) found.push(place);
    }
    return { n, found };
  }, POINTS);
}

scenario("every chunk is a point, and the legend counts them", async ({ window }) => {
  const n = await drawMap(window);
  const { n_chunks } = await window.invoke("state");
  assert.equal(n, n_chunks);
  assert.equal(await address(window), "#memory=map");
  const { n: nPixels } = await painted(window);
  assert.ok(nPixels > n, `${nPixels} pixels of ${n} points`);
  const counts = await window.texts("ul[aria-label='Legend'] .n");
  assert.equal(
    counts.reduce((sum, text) => sum + Number(text.replaceAll(",", "")), 0),
    n_chunks,
  );
});

scenario("the layout by neighbours is shown once it is computed", async ({ window }) => {
  await showMap(window);
  await window.until("points are placed by their neighbours", () =>
    document.querySelector(".meaning")?.textContent.includes("Points close together say similar things"),
  );
  await window.click("[aria-label='Layout'] button", "Principal components");
  await window.until("the other layout is shown", () =>
    document.querySelector(".meaning")?.textContent.includes("differ most"),
  );
  assert.equal(await address(window), "#memory=map&layout=components");
  await window.press(KEY.left, [KEY.alt]);
  await window.until("back shows neighbours again", () =>
    document.querySelector(".meaning")?.textContent.includes("Points close together"),
  );
});

scenario(
  "a point names its note, a click opens it at the chunk, and back leads to the map",
  async ({ window }) => {
    await showMap(window);
    const { found } = await painted(window);
    assert.ok(found.length > 0);
    await window.pointAt(found[0]);
    const name = await window.until("the note is named", () => {
      const tip = document.querySelector(".tip");
      return tip?.querySelector(".words")?.textContent ? tip.querySelector("b").textContent : null;
    });
    assert.notEqual(name, "");
    await window.dragThrough([found[0]]);
    await window.until(
      "the note is open",
      () => document.querySelector("article[aria-label='Note']") !== null,
    );
    const opened = await address(window);
    assert.match(opened, /^#memory=note&folder=\d+&path=.*&line=\d+$/);
    await window.press(KEY.left, [KEY.alt]);
    await drawnUntil(window, (n) => n > 0);
    await window.press(KEY.right, [KEY.alt]);
    await window.until(
      "the note is back",
      () => document.querySelector("article[aria-label='Note']") !== null,
    );
    assert.equal(await address(window), opened);
  },
);

scenario("a lasso lists its notes", async ({ window }) => {
  const n = await drawMap(window);
  await window.click(".tools button", "Lasso");
  const box = await window.run((points) => {
    const { left, top, right, bottom } = document.querySelector(points).getBoundingClientRect();
    return { left: left + 4, top: top + 4, right: right - 4, bottom: bottom - 60 };
  }, POINTS);
  await window.dragThrough([
    { x: box.left, y: box.top },
    { x: box.right, y: box.top },
    { x: box.right, y: box.bottom },
    { x: box.left, y: box.bottom },
    { x: box.left, y: box.top + 20 },
  ]);
  const said = await window.until(
    "notes are listed",
    () => document.querySelector("section[aria-labelledby='map-lasso'] [role='status']")?.textContent,
  );
  const [, nNotes, nChunks] = /^([\d,]+) notes?, ([\d,]+) chunks?$/
    .exec(said)
    .map((text) => Number(text.replace(",", "")));
  assert.ok(nChunks > 0 && nChunks <= n, said);
  const titles = await window.texts("ul[aria-label='Notes in the lasso'] button");
  assert.equal(titles.length, Math.min(300, nNotes));
  await window.run(() => document.querySelector("ul[aria-label='Notes in the lasso'] button").click());
  await window.until("the note is open", () => document.querySelector("article[aria-label='Note']") !== null);
  await window.press(KEY.left, [KEY.alt]);
  await window.until("the list of the lasso is back", () => document.getElementById("map-lasso") !== null);
  await window.click("button", "Clear the lasso");
});

scenario("a group of the legend is shown alone", async ({ window }) => {
  const n = await drawMap(window);
  await window.choose("button[aria-label='Colour by']", "Age");
  await window.run(() => document.querySelector("ul[aria-label='Legend'] button").click());
  const [alone] = await window.texts("ul[aria-label='Legend'] button[aria-pressed='true'] .n");
  await drawnUntil(window, (now) => now === Number(alone.replaceAll(",", "")));
  await window.press(KEY.left, [KEY.alt]);
  await drawnUntil(window, (now) => now === n);
});

scenario("the present question marks its candidates", async ({ window }) => {
  await window.ask(QUESTION);
  await showMap(window);
  const said = await window.until("candidates are counted", () =>
    Array.from(document.querySelectorAll(".side p"), (line) => line.textContent.trim()).find((line) =>
      line.includes("candidates of"),
    ),
  );
  const [, nOn, nAll] = /^([\d,]+) of ([\d,]+) candidates/.exec(said);
  assert.equal(nOn, nAll);
  if (process.env.MEMLENS_PICTURES !== undefined) await window.keepPicture("map question");
  await window.click(".tools label");
  await window.until(
    "they are not marked",
    () => !document.querySelector(".side").textContent.includes("candidates of"),
  );
});

scenario("keys zoom, name the note in the middle and open it", async ({ window }) => {
  await showMap(window);
  await window.run((points) => document.querySelector(points).focus(), POINTS);
  await window.press("+");
  await window.until("a note is named", () => document.querySelector(".tip b") !== null);
  await window.press(KEY.enter);
  await window.until("the note is open", () => document.querySelector("article[aria-label='Note']") !== null);
});

scenario("the table has the same notes", async ({ window }) => {
  await showMap(window);
  await window.click(".tools button", "Table");
  await window.until(
    "rows are shown",
    () => document.querySelector("[aria-label='Map as a table'] tbody tr") !== null,
  );
  const rows = await window.run(
    () => document.querySelectorAll("[aria-label='Map as a table'] tbody tr").length,
  );
  const [said] = await window.texts("article .ph .cap");
  assert.equal(rows, Number(/of (\d+) notes/.exec(said)[1]));
  await window.click(".tools button", "Table");
});

scenario("nothing is wider than the window, in a small one and in a large one", async ({ window }) => {
  for (const [width, height] of [
    [1280, 720],
    [960, 600],
    [1920, 1080],
  ]) {
    await window.size(width, height);
    await showMap(window);
    const beyond = () => {
      const article = document.querySelector("article");
      const { right } = article.getBoundingClientRect();
      const found = Array.from(article.querySelectorAll("button, input, h3, canvas, p"))
        .filter((one) => one.getBoundingClientRect().right > right + 1)
        .map((one) => one.getAttribute("aria-label") ?? one.textContent.trim());
      return document.documentElement.scrollWidth > innerWidth ? [...found, "the page"] : found;
    };
    assert.deepEqual(await window.run(beyond), [], `map at ${width}`);
    const { height: chart } = await window.run(
      (points) => document.querySelector(points).getBoundingClientRect().toJSON(),
      POINTS,
    );
    assert.ok(chart >= 200, `the chart is ${chart} px high at ${width} x ${height}`);
    if (process.env.MEMLENS_PICTURES !== undefined) await window.keepPicture(`map ${width}`);
  }
});
