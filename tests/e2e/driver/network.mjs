/** What programs do with the network, as strace reports it. */
import { execFile } from "node:child_process";
import { chmod, readFile, writeFile } from "node:fs/promises";
import { promisify } from "node:util";

/** Calls that name whom they reach, with an address of the internet in them; local sockets are of other families. */
const REACHES = /^\d+\s+(?:connect|sendto|sendmsg|sendmmsg)\(.*\bAF_INET6?\b/;
/** Calls that let others in. */
const LETS_IN = /^\d+\s+(?:bind|listen)\(.*\bAF_INET6?\b/;
/** Is in every trace, also of a program that calls nothing. */
const END = /^\d+\s+\+\+\+ (?:exited|killed)/m;

/** Why no program may be traced here, as in some containers; false where it may, and also where strace is missing, which is a fault. */
export async function tracingDenied() {
  try {
    await promisify(execFile)("strace", ["--output=/dev/null", "--", "true"]);
    return false;
  } catch (error) {
    return /not permitted/i.test(error.stderr ?? "") && "this system lets no program be traced";
  }
}

/** Runs programs so that their calls to the network, and those of all they start, are written down. */
export class NetworkTrace {
  #file;

  /** `file` is where the calls are written. */
  constructor(file) {
    this.#file = file;
  }

  /** The command line that runs `program` traced. */
  command(program, args) {
    const strace = [
      "--follow-forks",
      "--seccomp-bpf",
      "--quiet=attach,personality",
      "--trace=%network",
      "--signal=none",
    ];
    return ["strace", [...strace, `--output=${this.#file}`, "--", program, ...args]];
  }

  /**
   * Writes a program at `path` that runs `program` traced, with whatever arguments it gets.
   *
   * WebKit's driver passes it the address where it listens; the calls to that address are left out of `calls`.
   */
  async wrap(program, path) {
    const [strace, args] = this.command(program, []);
    const words = [strace, ...args].map(quoted).join(" ");
    const driver = quoted(this.#driverFile);
    await writeFile(
      path,
      `#!/bin/sh\nprintf %s "$WEBKIT_INSPECTOR_SERVER" > ${driver}\nexec ${words} "$@"\n`,
    );
    await chmod(path, 0o755);
  }

  get #driverFile() {
    return `${this.#file}.driver`;
  }

  /** What strace writes of the driver's address; null if no driver is used. */
  async #driver() {
    const text = await readFile(this.#driverFile, "utf8").catch(() => "");
    const [, address, port] = /^([\d.]+):(\d+)$/.exec(text) ?? [];
    return port === undefined
      ? null
      : `{sa_family=AF_INET, sin_port=htons(${port}), sin_addr=inet_addr("${address}")}`;
  }

  /** The calls that reach out, and those that let others in, as strace wrote them; rejects where nothing was traced. */
  async calls() {
    const text = await readFile(this.#file, "utf8");
    if (!END.test(text)) throw new Error("strace followed no program to its end");
    const driver = await this.#driver();
    const lines = text.split("\n").filter((line) => driver === null || !line.includes(driver));
    return {
      reaches: lines.filter((line) => REACHES.test(line)),
      letsIn: lines.filter((line) => LETS_IN.test(line)),
    };
  }
}

/** A word as the shell takes it as it is. */
function quoted(word) {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
