/** Folders that a test may change, and what the command line says of them. */
import { execFile } from "node:child_process";
import { chmod, cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const SAMPLE = fileURLToPath(new URL("../../fixtures/agent-memory-57", import.meta.url));
/** The fixture's questions with known answers; no note. */
const QUESTIONS = "queries.jsonl";

/** A folder of notes, a library, and a desktop of their own: nothing is shared with the user's Memlens or other tests. */
export class Scratch {
  constructor(root) {
    this.root = root;
    this.notes = join(root, "notes");
    /** Where the window looks for agents. */
    this.home = join(root, "home");
    this.library = join(root, "library");
    this.program = programOf("MEMLENS_APP");
    /** Where the window reads what the user would choose in the next dialog of the system, which no driver can reach. */
    this.dialogAnswer = join(root, "dialog-answer");
    this.environment = {
      ...process.env,
      GDK_BACKEND: "x11",
      HOME: this.home,
      PATH: `${join(root, "bin")}:${process.env.PATH}`,
      // A screen in memory has no graphics card, and Mesa's stand-in for one crashes WebKit's process now and then: WebKit
      // paints without it.
      WEBKIT_DISABLE_DMABUF_RENDERER: "1",
      XDG_CACHE_HOME: join(root, "cache"),
      XDG_CONFIG_HOME: join(root, "config"),
      XDG_DATA_HOME: join(root, "data"),
    };
    delete this.environment.WAYLAND_DISPLAY;
    // Cargo sets it for tests; the programs must do without.
    delete this.environment.ORT_DISABLE_TELEMETRY;
  }

  /** Makes the folders, in `root` if given; `notes` holds the sample notes unless `isEmpty`. */
  static async make({ isEmpty = false, root } = {}) {
    const scratch = new Scratch(root ?? (await mkdtemp(join(tmpdir(), "memlens-e2e-"))));
    if (isEmpty) await mkdir(scratch.notes);
    else await cp(SAMPLE, scratch.notes, { recursive: true, filter: (path) => !path.endsWith(QUESTIONS) });
    await mkdir(scratch.home);
    await mkdir(join(scratch.root, "bin"));
    // The system's program for notes: it only writes down what it was asked to open.
    const opener = join(scratch.root, "bin/xdg-open");
    await writeFile(opener, `#!/bin/sh\nprintf '%s\\n' "$1" >> "${scratch.#openedList}"\n`);
    await chmod(opener, 0o755);
    return scratch;
  }

  get #openedList() {
    return join(this.root, "opened");
  }

  /** Lets the next dialogs of the system be answered with a path; null cancels them. */
  async answerDialogs(path) {
    await writeFile(this.dialogAnswer, path ?? "");
  }

  /** Paths that the system's program for notes was asked to open, in order. */
  async opened() {
    const text = await readFile(this.#openedList, "utf8").catch(() => "");
    return text.split("\n").filter((line) => line !== "");
  }

  /** Writes a note, and the folders it is in. */
  async write(path, text) {
    await writeFileAt(join(this.notes, path), text);
  }

  /** Writes a file of the made-up home folder, and the folders it is in. */
  async writeHome(path, text) {
    await writeFileAt(join(this.home, path), text);
  }

  /**
   * Starts from the library of `MEMLENS_SAMPLE`, if set, where the sample notes are embedded already. Only the texts of other
   * notes are embedded then, by the command line.
   */
  async useSampleLibrary() {
    const root = process.env.MEMLENS_SAMPLE;
    if (root === undefined) return;
    const sample = new Scratch(root);
    await cp(sample.library, this.library, { recursive: true });
    await this.memlens("index", "--moved-from", sample.notes, this.notes);
  }

  /** What the command line answers, on this library. Rejects with its standard error when it fails. */
  async memlens(...args) {
    const { stdout } = await promisify(execFile)(
      programOf("MEMLENS_CLI"),
      [...args.slice(0, 1), "--library", this.library, ...args.slice(1)],
      { env: this.environment, maxBuffer: 64 * 1024 * 1024 },
    );
    return stdout;
  }

  /** The answer of `memlens search --json`. */
  async search(query, ...args) {
    return JSON.parse(await this.memlens("search", "--json", ...args, "--", query));
  }

  async remove() {
    await rm(this.root, { recursive: true, force: true });
  }
}

async function writeFileAt(file, text) {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}

function programOf(variable) {
  const program = process.env[variable];
  if (program === undefined)
    throw new Error(`${variable} must name a built program; \`cargo xtask test\` sets it`);
  return program;
}
