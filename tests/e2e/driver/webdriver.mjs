/**
 * A client of WebKit's own WebDriver over HTTP.
 *
 * The tests need a dozen of the protocol's commands, so this file stands where a browser automation library with hundreds of
 * packages would. Source: W3C WebDriver, https://www.w3.org/TR/webdriver2/
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { until } from "./deadline.mjs";
import { endGroup, processesOfGroup } from "./processes.mjs";

/** A single command; opening the window on a busy machine is the longest. */
const COMMAND_WITHIN_MS = 60_000;
/** The driver listens almost at once; a busy machine gets its time. */
const DRIVER_WITHIN_MS = 60_000;
/** What has not ended by then is reported. */
const END_WITHIN_MS = 5_000;

/** Keys without a character, as the protocol writes them. */
export const KEY = {
  backspace: "\uE003",
  tab: "\uE004",
  enter: "\uE007",
  shift: "\uE008",
  control: "\uE009",
  alt: "\uE00A",
  escape: "\uE00C",
  pageUp: "\uE00E",
  pageDown: "\uE00F",
  end: "\uE010",
  home: "\uE011",
  left: "\uE012",
  up: "\uE013",
  right: "\uE014",
  down: "\uE015",
  f10: "\uE03A",
};

/** What the driver answered when it did not follow a command; `code` is the protocol's. */
export class DriverError extends Error {
  constructor(code, message) {
    super(message === "" ? code : `${code}: ${message}`);
    this.code = code;
  }
}

// A signal ends a process without its exit listeners, unless it is listened to.
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));

/** One program opened by one driver. */
export class Session {
  #driver;
  #address;

  constructor(driver, address, startedAtMs) {
    this.#driver = driver;
    this.#address = address;
    /** When the program was started, on the clock of `performance.now()`. */
    this.startedAtMs = startedAtMs;
  }

  /** Starts a driver on a free port and, through it, `program`. `environment` is that of both. */
  static async open({ program, args, environment }) {
    const port = await freePort();
    const driver = spawn("WebKitWebDriver", [`--port=${port}`], {
      env: { ...environment, TAURI_WEBVIEW_AUTOMATION: "true" },
      stdio: ["ignore", "inherit", "inherit"],
      // A process group of its own, so that driver, window and WebKit's processes can be ended together.
      detached: true,
    });
    await once(driver, "spawn");
    const endAll = () => endGroup(driver.pid);
    // Also where the test process ends early, after an uncaught error or by a signal.
    process.once("exit", endAll);
    driver.once("exit", () => {
      process.off("exit", endAll);
      endAll();
    });
    const address = `http://127.0.0.1:${port}`;
    try {
      await listening(driver, address);
      const startedAtMs = performance.now();
      const { sessionId } = await command("POST", `${address}/session`, {
        capabilities: { alwaysMatch: { "webkitgtk:browserOptions": { binary: program, args } } },
      });
      return new Session(driver, `${address}/session/${sessionId}`, startedAtMs);
    } catch (error) {
      endGroup(driver.pid);
      throw error;
    }
  }

  /** Ids of the window's processes, without the driver's. */
  async processIds() {
    return (await processesOfGroup(this.#driver.pid)).filter((id) => id !== this.#driver.pid);
  }

  /** Runs a function in the page and returns what it returns or resolves to; it sees its arguments alone. */
  async run(fn, ...args) {
    const script = `
      const done = arguments[arguments.length - 1];
      const args = Array.prototype.slice.call(arguments, 0, -1);
      Promise.resolve().then(() => (${fn})(...args)).then(
        (value) => done({ value }),
        (error) => done({ error: String(error?.stack ?? error?.message ?? JSON.stringify(error)) }),
      );`;
    const { value, error } = await this.#post("execute/async", { script, args });
    if (error !== undefined) throw new Error(`in the page: ${error}`);
    return value;
  }

  /** Runs a script of the test's own in the page, which the page's policy would not let in. */
  async load(script) {
    await this.#post("execute/sync", { script, args: [] });
  }

  /** Presses keys one after another, with those of `held` down all the time. */
  async press(keys, held = []) {
    await this.#act("key", "keys", [
      ...held.map((value) => ({ type: "keyDown", value })),
      ...[...keys].flatMap((value) => [
        { type: "keyDown", value },
        { type: "keyUp", value },
      ]),
      ...held.map((value) => ({ type: "keyUp", value })),
    ]);
  }

  /** Moves the pointer through points of the page, each in `ms`. */
  async pointTo(points, ms = 20) {
    await this.#point(points.map(({ x, y }) => moveTo(x, y, ms)));
  }

  /** `button` is 0 for the left and 2 for the right one. */
  async pressPointer(button = 0) {
    await this.#point([{ type: "pointerDown", button }]);
  }

  async releasePointer(button = 0) {
    await this.#point([{ type: "pointerUp", button }]);
  }

  /** Gives the window this size, in CSS pixels. */
  async resize(width, height) {
    await command("POST", `${this.#address}/window/rect`, { width, height });
  }

  /** A picture of the page as PNG. */
  async picture() {
    return Buffer.from(await command("GET", `${this.#address}/screenshot`), "base64");
  }

  /** Closes the window and ends all processes; also when the window hangs or is gone. */
  async close() {
    try {
      await command("DELETE", this.#address, undefined, END_WITHIN_MS);
    } catch {
      // Whatever is left is ended below.
    }
    endGroup(this.#driver.pid);
    await until(
      "every process of the window has ended",
      async () => (await processesOfGroup(this.#driver.pid)).length === 0,
      END_WITHIN_MS,
    );
  }

  async #point(actions) {
    await this.#act("pointer", "mouse", actions);
  }

  async #act(type, id, actions) {
    await this.#post("actions", { actions: [{ type, id, actions }] });
  }

  async #post(path, body) {
    return command("POST", `${this.#address}/${path}`, body);
  }
}

function moveTo(x, y, duration) {
  return { type: "pointerMove", origin: "viewport", x: Math.round(x), y: Math.round(y), duration };
}

async function command(method, url, body, withinMs = COMMAND_WITHIN_MS) {
  const response = await fetch(url, {
    method,
    body: body === undefined ? undefined : JSON.stringify(body),
    signal: AbortSignal.timeout(withinMs),
  });
  const { value } = await response.json();
  if (!response.ok) throw new DriverError(value?.error ?? String(response.status), value?.message ?? "");
  return value;
}

/** Another program could take the port before the driver does; then the driver ends and says so. */
async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}

async function listening(driver, address) {
  await until(
    "WebKitWebDriver listens",
    async () => {
      if (driver.exitCode !== null) throw new Error(`WebKitWebDriver ended with ${driver.exitCode}`);
      return fetch(`${address}/status`).then(
        (response) => response.ok,
        () => false,
      );
    },
    DRIVER_WITHIN_MS,
  );
}
