/** Past questions: read once the user agrees, then and now side by side, replayed, and an edit that loses an answer is reported. */
import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import { join } from "node:path";

import { hoursAgo, logOf, transcript } from "./driver/recall.mjs";
import { inOneWindow, openSample } from "./driver/scenario.mjs";

const LOST = "five rungs of the evidence ladder";
const FOUND_NOTHING = "unobtainium reactor startup checklist";

const scenario = inOneWindow({
  open: async (scratch) => {
    await scratch.writeHome(
      ".openclaw/openclaw.json",
      JSON.stringify({
        meta: { lastTouchedVersion: "2026.9.6" },
        agents: { defaults: { workspace: scratch.notes } },
        // OpenClaw searches the notes outside memory/ only where they are named.
        memory: { search: { extraPaths: ["protocols"] } },
      }),
    );
    const searches = [
      {
        at: hoursAgo(30),
        query: LOST,
        results: [
          ["memory/2026-10-19.md", 3, 12, 0.61],
          ["protocols/evidence-ladder.md", 1, 18, 0.6],
        ],
        opens: "protocols/evidence-ladder.md",
      },
      { at: hoursAgo(2), query: FOUND_NOTHING, results: [] },
    ];
    await scratch.writeHome(logOf("7f3a"), transcript("7f3a", searches));
    return openSample(scratch);
  },
});

scenario(
  "nothing is read before the user agrees, and then what was asked is listed",
  async ({ window, scratch }) => {
    await window.click("nav button", "Past questions");
    await window.until("the log is named", () => document.body.innerText.includes("7f3a.jsonl"));
    await scratch.answerDialogs(null);
    await window.click("button", "Read past questions");
    await new Promise((resolve) => setTimeout(resolve, 500));
    assert.deepEqual((await window.invoke("recall_logs")).is_allowed, false);
    await scratch.answerDialogs("agreed");
    await window.click("button", "Read past questions");
    // Two searches, and the opening after the first.
    await window.until("all are listed", () => document.body.innerText.includes("3 shown"));
    const text = await window.run(() => document.body.innerText);
    assert.ok(text.includes("Opened protocols/evidence-ladder.md"), text);
    assert.ok(text.includes(LOST) && text.includes(FOUND_NOTHING), text);
    assert.ok(text.includes("found nothing"), text);
  },
);

scenario("an answer of then lies beside that of now, with what became of each result", async ({ window }) => {
  const listed = await window.invoke("past_questions", {
    filter: { text: LOST, agent: null, only: "all" },
    page: { at: null, open: null },
  });
  const [row] = listed.rows;
  await window.click("[role='row'] .question", LOST);
  await window.until("the answers lie side by side", () =>
    document.body.innerText.includes("the note is gone"),
  );
  const thenNow = await window.invoke("then_now", { id: row.id, by: null });
  assert.equal(thenNow.label, "OpenClaw 2026.9 (yours)");
  // OpenClaw's own index is not there, so its model is not known, and nothing is claimed of its results.
  assert.match(
    thenNow.not_compared,
    /^cannot be compared: its own index and embedding model are not known here/,
  );
  assert.deepEqual(
    thenNow.then.map(({ path, fate }) => [path, fate]),
    [
      ["memory/2026-10-19.md", null],
      ["protocols/evidence-ladder.md", null],
    ],
  );
  // What is on the screen is what was reported.
  const shown = await window.run(() => document.body.innerText);
  assert.ok(shown.includes("These answers cannot be compared: "), shown);
  for (const { path } of thenNow.now) assert.ok(shown.includes(path.split("/").at(-1)), path);
});

scenario("a replay shows that no answer can be compared, and why", async ({ window }) => {
  await window.click("button", "Replay");
  await window.until("the strip is there", () => document.body.innerText.includes("none can be compared"));
  const { replay, n_changed } = await window.invoke("past_questions", {
    filter: { text: "", agent: null, only: "all" },
    page: { at: null, open: null },
  });
  assert.deepEqual([replay.n_questions, replay.n_notes, replay.n_compared, n_changed], [2, 11, 0, null]);
  // Of several remarks the first is shown.
  await window.click("main .note button[aria-expanded='false']");
  const text = await window.run(() => document.body.innerText);
  assert.ok(text.includes("2 answers cannot be compared: "), text);
});

scenario(
  "a note that is deleted is reported with the question that found it",
  async ({ window, scratch }) => {
    // What the questions find is learnt in the background, a moment after the import.
    await new Promise((resolve) => setTimeout(resolve, 10_000));
    await rm(join(scratch.notes, "protocols/evidence-ladder.md"));
    await window.until("it is reported", () =>
      /past questions? do(es)? not find protocols\/evidence-ladder\.md any more/.test(
        document.body.innerText,
      ),
    );
    await window.click(".notices button", "Compare");
    await window.until("the question is opened", () => document.body.innerText.includes("the note is gone"));
  },
);
