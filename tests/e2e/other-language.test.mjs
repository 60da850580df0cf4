/** A first start with notes in other languages: another model is offered with its size and the time that it takes. */
import assert from "node:assert/strict";

import { until } from "./driver/deadline.mjs";
import { inOneWindow } from "./driver/scenario.mjs";
import { Scratch } from "./driver/scratch.mjs";
import { MemlensWindow } from "./driver/window.mjs";

const ENGLISH = [
  "The router is in the hall, and the key to the shed hangs beside it.",
  "We agreed to keep the backups of the home server in the attic.",
  "The pump of the pond stops at noon, because the sun heats it.",
  "Ana feeds the koi in May while the others are away.",
  "The dentist moved the appointment of Tuesday to Friday morning.",
  "The spare tyres are stacked behind the freezer in the garage.",
  "The ferry to the island leaves at ten past nine on weekdays.",
  "Our landlord repairs the boiler every second winter.",
  "The choir practises in the old school on Thursday evenings.",
  "The tax papers are in the blue folder under the desk.",
];
/** Long enough that their language is certain. */
const GERMAN = [
  "Der Router steht im Flur, und der Schlüssel zum Schuppen hängt daneben. Wer ihn nimmt, hängt ihn bitte wieder zurück.",
  "Wir prüfen jeden Monat, ob sich die Sicherung zurückspielen lässt. Das letzte Mal war es der dritte Versuch, der gelang.",
  "Die Pumpe im Teich läuft nur nachts, weil der Strom dann billiger ist. Im Winter bleibt sie ausgeschaltet.",
];

const scenario = inOneWindow({
  prepare: async (scratch) => {
    for (const [at, text] of ENGLISH.entries()) {
      await scratch.write(`en-${at}.md`, `${text}\n`);
      await scratch.write(`again-${at}.md`, `Ana wrote to all of us: ${text}\n`);
    }
    for (const at of [0, 1]) await scratch.write(`de-${at}.md`, `${GERMAN[at]}\n`);
  },
  open: async (scratch) => {
    const window = await MemlensWindow.open(scratch, { folders: [] });
    await window.ready();
    return window;
  },
  make: () => Scratch.make({ isEmpty: true }),
});

const offer = (window) =>
  window.run(
    () =>
      Array.from(document.querySelectorAll(".notices > *"), (notice) => notice.innerText).find((text) =>
        text.includes("not in English"),
      ) ?? null,
  );

scenario("two notes in 22 are not mentioned", async ({ window, scratch }) => {
  await scratch.answerDialogs(scratch.notes);
  await window.click(".first-run .btn", "Choose a folder…");
  await window.until("it is watched", () => document.querySelector(".findings") !== null);
  await window.indexed();
  const { foreign } = await window.invoke("embedding_models");
  assert.equal(foreign, null);
  await window.until("the start page found nothing", () =>
    /Nothing to report/.test(document.querySelector(".see").innerText),
  );
  assert.equal(await offer(window), null);
});

scenario(
  "more than a tenth is mentioned, with the other model's size and time",
  async ({ window, scratch }) => {
    await scratch.write("de-2.md", `${GERMAN[2]}\n`);
    await window.until("it is mentioned", () =>
      Array.from(document.querySelectorAll(".notices > *")).some((notice) =>
        /not in English.*(takes .+;|not on this machine)/s.test(notice.innerText),
      ),
    );
    const { models, foreign } = await window.invoke("embedding_models");
    assert.deepEqual(foreign, { n_foreign: 3, n_seen: 23 });
    const other = models.find(({ name }) => name === "multilingual");
    const start =
      "3 of 23 notes are probably not in English. all-MiniLM-L6-v2, 8 bits knows only English: of these notes, only exact words count. ";
    // Where `cargo xtask setup --model multilingual` was not run, it can neither be measured nor chosen.
    const end =
      other.missing === null
        ? /^multilingual-e5-small, 4 bits \(7\d MB\) knows other languages, too\. Embedding your notes by it takes [^;]*\d (s|min|h)\b[^;]*; meanwhile they are searched as now\.$/
        : /^multilingual-e5-small, 4 bits \(75 MB\) knows other languages, too\. Its files are not on this machine yet; Settings says how to get them\.$/;
    const [text] = (await offer(window)).split("\n");
    assert.equal(text.slice(0, start.length), start);
    assert.match(text.slice(start.length), end);
  },
);

scenario("both the notice and the finding lead to the models", async ({ window }) => {
  const isAtModels = () =>
    window.until("the models are shown", () => {
      const section = document.querySelector("[aria-labelledby='settings-embedding']");
      return section !== null && /3 of 23 notes are probably not in English/.test(section.innerText);
    });
  await window.click(".findings .finding", "3 of 23 notes are probably not in English\n→");
  await isAtModels();
  assert.equal(await offer(window), null, "Settings says it at the models");
  await window.show("Search");
  await window.click(".notices .btn", "Choose a model…");
  await isAtModels();
});

scenario("closed, it is not shown again", async ({ window, scratch }) => {
  await window.show("Search");
  await window.click(".notices .btn", "Close");
  await window.until(
    "it is gone",
    () => !/not in English/.test(document.querySelector(".notices").innerText),
  );
  await scratch.write("de-3.md", "Die Reifen liegen hinter der Gefriertruhe in der Garage.\n");
  await until("the note is there", async () => (await window.invoke("state")).n_chunks === 24);
  await window.indexed();
  assert.equal(await offer(window), null);
});
