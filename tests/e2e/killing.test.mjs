/** The library survives a kill at any write: searches answer, and indexing again leaves what it would have left undisturbed. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, readdir, readFile, rm, stat, truncate, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { after, before, test } from "node:test";
import { isDeepStrictEqual } from "node:util";

import { changesNames, fillsFile, killAt, syncs, writesOf } from "./driver/killing.mjs";
import { tracingDenied } from "./driver/network.mjs";
import { Scratch } from "./driver/scratch.mjs";

/** Each finds all notes. */
const QUESTIONS = [
  "who keeps the list of the harbour",
  "what lies in the mill",
  "the crane was painted blue",
];
/** Libraries that are killed and looked at side by side. */
const N_SIDE_BY_SIDE = 2;
/** How often a program is started to be killed at one write. */
const KILL_TRIES = 4;
/** The share of writes that no try may reach: how often the BM25 list writes depends on when its threads run. */
const MISSED_SHARE_MAX = 0.25;

/** No try reached the write: each ended before. */
class NotReached extends Error {}

const skip = await tracingDenied();

let scratch;
let n_copies = 0;
/** The library before its notes changed, and what it answers. */
let earlier;
/** The library that indexed the changes undisturbed, what it answers, and what it consists of. */
let later;

before(async () => {
  scratch = await Scratch.make({ isEmpty: true });
  for (const place of ["harbour", "market", "mill", "tower", "ferry", "garden"])
    await scratch.write(`${place}.md`, noteOf(place));
  const library = join(scratch.root, "library");
  await indexed(library, scratch.notes);
  await scratch.write("harbour.md", noteOf("harbour").replace("He", "The crane was painted blue. He"));
  await scratch.write("lighthouse.md", noteOf("lighthouse"));
  await rm(join(scratch.notes, "mill.md"));
  earlier = { library, answers: await answersOf(await copyOf(library)) };

  const changed = await copyOf(library);
  const { n_added, n_changed, n_removed, n_embedded } = await indexed(changed);
  assert.deepEqual({ n_added, n_changed, n_removed }, { n_added: 1, n_changed: 1, n_removed: 1 });
  later = {
    library: changed,
    kinds: await kindsOf(changed),
    answers: await answersOf(changed),
    n_embedded,
  };
  for (const at of QUESTIONS.keys()) assert.notDeepEqual(earlier.answers[at], later.answers[at]);
});
after(async () => scratch?.remove());

test("indexing what changed survives a kill at any write", { skip }, async (context) => {
  const writes = await writesTo(await copyOf(earlier.library));
  // Of those that are many, one like the other, some are tried, from the first to the last.
  const isRemoval = (write) => write.call === "unlink" && write.path.startsWith("text/");
  const isOfMany = (write) => fillsFile(write) || syncs(write) || isRemoval(write);
  const tried = [
    ...writes.filter((write) => !isOfMany(write)),
    ...spread(writes.filter(syncs), 8),
    ...spread(writes.filter(isRemoval), 3),
    ...spread(writes.filter(fillsFile), 12),
  ];
  context.diagnostic(`killed at ${tried.length} of ${writes.length} writes`);
  await eachOf(tried, async (write, at) => {
    const library = await copyOf(earlier.library);
    await killed(library, write);
    // A search may repair the library; indexing has to do without as well.
    const asked = at % 2 === 0 ? library : await copyOf(library);
    const question = at % QUESTIONS.length;
    const answer = await answerOf(asked, QUESTIONS[question]);
    const known = [earlier, later].flatMap(({ answers }) => answers[question].map(textOf));
    for (const text of answer.map(textOf))
      assert.ok(known.includes(text), `found, but in neither state: ${text}`);
    const isLater = isDeepStrictEqual(answer, later.answers[question]);
    await isMade(library, { question, n_embedded_max: isLater ? 0 : later.n_embedded });
  });
});

test("a new library survives a kill while it is made", { skip }, async () => {
  const writes = await writesTo(newLibrary(), indexingNotes);
  const tried = spread(
    writes.filter((write) => !fillsFile(write)),
    8,
  );
  await eachOf(tried, async (write, at) => {
    const library = newLibrary();
    await killed(library, write, indexingNotes);
    await indexed(library, scratch.notes);
    await isMade(library, { question: at % QUESTIONS.length });
  });
});

for (const [harm, act] of [
  ["without", (file) => rm(file)],
  ["with halves of", async (file) => truncate(file, Math.floor((await stat(file)).size / 2))],
])
  test(
    `a library ${harm} codes, checks and snapshot survives a kill while they are rebuilt`,
    { skip },
    async () => {
      const harmed = await copyOf(later.library);
      const [codes] = (await readdir(join(harmed, "vectors"))).filter((name) => name.endsWith(".codes"));
      for (const file of [`vectors/${codes}`, `vectors/${codes.replace("codes", "checks")}`, "snapshot"])
        await act(join(harmed, file));
      const writes = (await writesTo(await copyOf(harmed))).filter(changesNames);
      const made = (name) => writes.some((write) => write.call === "rename" && write.path.endsWith(name));
      assert.ok(made("codes") && made("checks") && made("snapshot"), JSON.stringify(writes));
      await eachOf(writes, async (write, at) => {
        const library = await copyOf(harmed);
        await killed(library, write);
        const question = at % QUESTIONS.length;
        const answer = await answerOf(await copyOf(library), QUESTIONS[question]);
        assert.deepEqual(answer, later.answers[question]);
        await isMade(library, { question });
      });
    },
  );

test("a search that builds a damaged list again survives a kill", { skip }, async () => {
  const damaged = await copyOf(later.library);
  const [rows] = (await readdir(join(damaged, "vectors"))).filter((name) => /^flat\.\d+$/.test(name));
  const bytes = await readFile(join(damaged, "vectors", rows));
  bytes[bytes.length >> 1] ^= 1;
  await writeFile(join(damaged, "vectors", rows), bytes);
  const searching = (library) => [process.env.MEMLENS_CLI, "search", "--library", library, QUESTIONS[0]];
  const writes = (await writesTo(await copyOf(damaged), searching)).filter(changesNames);
  assert.ok(
    writes.some((write) => write.call === "rename" && write.path === "vectors/flat"),
    JSON.stringify(writes),
  );
  await eachOf(writes, async (write) => {
    const library = await copyOf(damaged);
    await killed(library, write, searching);
    assert.deepEqual(await answerOf(await copyOf(library), QUESTIONS[0]), later.answers[0]);
    await isMade(library);
  });
});

test("erasing survives a kill: what is left can be erased, or indexed again", { skip }, async () => {
  const erasing = (library) => [process.env.MEMLENS_CLI, "erase", "--yes", "--library", library];
  const erased = await copyOf(later.library);
  const writes = (await writesTo(erased, erasing)).filter(changesNames);
  const left = await readdir(erased, { recursive: true });
  await eachOf(spread(writes, 7), async (write) => {
    const library = await copyOf(later.library);
    await killed(library, write, erasing);
    const again = await copyOf(library);
    await memlens(again, "erase", "--yes");
    // Empty lists may be there or not.
    assert.deepEqual(without(await readdir(again, { recursive: true }), left), []);
    await indexed(library, scratch.notes);
    await isMade(library);
  });
});

test("lists that are ahead of a database whose log was lost are not believed", { skip }, async () => {
  // As where the power failed before the log came to the disk. By then all is in the log, and all lists are written.
  const lost = await killedAtLastSync();
  const { size } = await stat(join(lost, "library.sqlite-wal"));
  const harmed = [];
  for (const share of [0, 0.5]) {
    const library = await copyOf(lost);
    const log = join(library, "library.sqlite-wal");
    await (share === 0 ? rm(log) : truncate(log, Math.floor(size * share)));
    await rm(join(library, "library.sqlite-shm"));
    harmed.push(library);
  }
  for (const library of harmed) {
    const again = await copyOf(library);
    await isMade(again, { n_embedded_max: later.n_embedded });
  }
  // Other notes than those that were lost take their place, under the same numbers.
  await scratch.write("harbour.md", noteOf("harbour").replace("He", "The crane was sold. He"));
  await scratch.write("lighthouse.md", noteOf("quarry"));
  await scratch.write("mill.md", noteOf("windmill"));
  const fresh = newLibrary();
  await indexed(fresh, scratch.notes);
  const expected = await answersOf(fresh);
  for (const library of harmed) {
    await indexed(library);
    assert.deepEqual(await answersOf(library), expected);
  }
});

/** What a note of a place says: enough for a few windows. */
function noteOf(place) {
  const paragraphs = ["winter", "spring", "summer", "autumn"].map(
    (season) =>
      `In ${season} Bram walks to the ${place} and looks at what lies there. He writes each box of the ${place} into ` +
      `the list for ${season}, which Signe keeps in her drawer beside the window.\n`,
  );
  return [`# The ${place}\n`, ...paragraphs].join("\n");
}

/** What the command line prints of a library. */
async function memlens(library, command, ...args) {
  const [status, stdout, stderr] = await new Promise((resolve) => {
    execFile(
      process.env.MEMLENS_CLI,
      [command, "--library", library, ...args],
      { env: scratch.environment },
      (error, ...printed) => resolve([error?.code ?? error?.signal ?? 0, ...printed]),
    );
  });
  assert.equal(status, 0, `${command}: ${stderr}`);
  assert.doesNotMatch(stderr, /panicked/, command);
  return stdout;
}

/** Indexes what changed, and returns what that says. */
async function indexed(library, ...folders) {
  return JSON.parse(await memlens(library, "index", "--json", ...folders));
}

/** The rows that a question finds: all there are. */
async function answerOf(library, question) {
  const all = ["--set", "min_score=0", "--set", "max_results=50"];
  const { results } = JSON.parse(await memlens(library, "search", "--json", ...all, question));
  return results.map(({ path, start_line, end_line, snippet, score }) => ({
    path,
    lines: [start_line, end_line],
    snippet,
    score,
  }));
}

/** The rows that each question finds. */
async function answersOf(library) {
  const answers = [];
  for (const question of QUESTIONS) answers.push(await answerOf(library, question));
  return answers;
}

/** What a row shows of a note, whatever its score. */
function textOf({ path, lines, snippet }) {
  return `${path}:${lines.join("-")}: ${snippet}`;
}

/** Indexes a library that was harmed: it answers, and consists of what the undisturbed one does. */
async function isMade(library, { question = 0, n_embedded_max = 0 } = {}) {
  const { n_embedded, problems } = await indexed(library);
  assert.ok(
    n_embedded <= n_embedded_max,
    `${n_embedded} texts were embedded, ${n_embedded_max} were missing`,
  );
  assert.deepEqual(problems, []);
  assert.deepEqual(await answerOf(library, QUESTIONS[question]), later.answers[question]);
  // Files that were still read when they were replaced go when the list is next opened.
  assert.equal((await indexed(library)).n_embedded, 0);
  const kinds = await kindsOf(library);
  const [tooMuch, missing] = [without(kinds, later.kinds), without(later.kinds, kinds)];
  assert.ok(tooMuch.length + missing.length === 0, `left: [${tooMuch}], missing: [${missing}]`);
}

/**
 * What kinds of files a library holds.
 *
 * Rows of the vector list and parts of the BM25 list are numbered and named again each time. Two lists of rows are reported, and
 * so are parts that the BM25 list does not name.
 */
async function kindsOf(library) {
  const entries = await readdir(library, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(library, join(entry.parentPath ?? entry.path, entry.name)));
  const { segments } = JSON.parse(await readFile(join(library, "text/meta.json"), "utf8"));
  const parts = segments.map((part) => part.segment_id.replaceAll("-", ""));
  const kinds = new Set();
  for (const file of files) {
    const [, part, ending] = /^text\/([0-9a-f]{32})(?:\.\d+)?\.(\w+)$/.exec(file) ?? [];
    let kind = file.replace(/^(vectors\/flat)\.\d+/, "$1.N");
    if (parts.includes(part)) {
      // What was deleted of a part is beside it until the part is merged.
      if (ending === "del") continue;
      kind = `text/part.${ending}`;
    } else if (kinds.has(kind)) kind += " again";
    kinds.add(kind);
  }
  return [...kinds].sort();
}

function without(list, other) {
  return list.filter((item) => !other.includes(item));
}

/** The folder of a library that is not there yet. */
function newLibrary() {
  return join(scratch.root, `library-${n_copies++}`);
}

/** A copy of a library of its own. */
async function copyOf(library) {
  const copy = newLibrary();
  await cp(library, copy, { recursive: true });
  return copy;
}

/** The command that indexes what changed. */
function indexing(library) {
  return [process.env.MEMLENS_CLI, "index", "--library", library];
}

/** The command that indexes the notes, which makes the library where there is none. */
function indexingNotes(library) {
  return [...indexing(library), scratch.notes];
}

/** What a command writes in a library. */
async function writesTo(library, command = indexing) {
  const file = join(scratch.root, "writes.strace");
  return writesOf(library, command(library), { env: scratch.environment, file });
}

/** Runs a command on a library and kills it at a write; repeated if the command ended before. Rejects with `NotReached`. */
async function killed(library, write, command = indexing) {
  const isThere = existsSync(library);
  const untouched = isThere ? await copyOf(library) : null;
  let signal = null;
  for (let n_tries = 0; signal !== "SIGKILL" && n_tries < KILL_TRIES; n_tries++) {
    if (n_tries > 0) {
      await rm(library, { recursive: true, force: true });
      if (isThere) await cp(untouched, library, { recursive: true });
    }
    signal = await killAt(write, command(library), { env: scratch.environment });
  }
  if (isThere) await rm(untouched, { recursive: true });
  if (signal !== "SIGKILL") throw new NotReached(`not reached in ${KILL_TRIES} runs`);
}

/** A copy of the earlier library, killed at the last sync of the log; counted again if a run has fewer syncs than the one before. */
async function killedAtLastSync() {
  for (let n_tries = 1; ; n_tries++) {
    const writes = await writesTo(await copyOf(earlier.library));
    const last = writes.findLast(({ call, path }) => call === "fsync" && path === "library.sqlite-wal");
    const library = await copyOf(earlier.library);
    try {
      await killed(library, last);
      return library;
    } catch (error) {
      if (!(error instanceof NotReached) || n_tries === KILL_TRIES) throw error;
    }
  }
}

/** `n` of many, from the first to the last. */
function spread(all, n) {
  if (all.length <= n) return all;
  return Array.from({ length: n }, (_, at) => all[Math.round((at * (all.length - 1)) / (n - 1))]);
}

/** Tries every write, some side by side; rejects with all that failed, or if too many were not reached. */
async function eachOf(writes, act) {
  const failed = [];
  const missed = [];
  let n_tried = 0;
  const some = async () => {
    while (n_tried < writes.length) {
      const at = n_tried++;
      const { thread, call, nth, path } = writes[at];
      try {
        await act(writes[at], at);
      } catch (error) {
        const list = error instanceof NotReached ? missed : failed;
        list.push(`killed at ${call} ${nth} of ${thread}, ${path}: ${error.message}`);
      }
    }
  };
  await Promise.all(Array.from({ length: N_SIDE_BY_SIDE }, some));
  assert.ok(failed.length === 0, failed.join("\n"));
  assert.ok(missed.length <= MISSED_SHARE_MAX * writes.length, missed.join("\n"));
}
