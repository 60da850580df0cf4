// A client of `memlens serve --mcp`: JSON-RPC, one message a line, over the standard streams of one process.

import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";

import { argumentsOf, isRecord, type Settings } from "./config.js";

/** Protocol version of this client; the server answers with one that it knows. */
const PROTOCOL = "2025-06-18";
/** Characters of the server's errors that are kept for a message. */
const ERRORS_KEPT = 2000;
/** A longer line is no answer of the server, which limits its answers. */
const LINE_CHARS_MAX = 64 * 1024 * 1024;

interface Waiting {
  resolve: (result: unknown) => void;
  reject: (error: Error) => void;
}

/** One running process. */
interface Connection {
  process: ChildProcessWithoutNullStreams;
  waiting: Map<number, Waiting>;
  errors: string;
  nextId: number;
  ready: Promise<unknown>;
}

/** The servers of OpenClaw's agents: each agent has one of its own, which serves what that agent may search. */
export class Servers {
  readonly #settings: Settings;
  readonly #servers = new Map<string, Server>();

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /** The server of the agent with this id. */
  of(agentId: string): Server {
    // One process is enough if all agents see the same.
    const member = this.#settings.allFolders ? "" : agentId;
    let server = this.#servers.get(member);
    if (server === undefined) {
      server = new Server(this.#settings, member);
      this.#servers.set(member, server);
    }
    return server;
  }

  /** Ends every process. */
  stop(): void {
    this.#servers.forEach((server) => server.stop());
  }
}

/** Starts the server with the first call, and again after it ended. */
export class Server {
  readonly #settings: Settings;
  readonly #member: string;
  #connection: Connection | undefined;

  constructor(settings: Settings, member: string) {
    this.#settings = settings;
    this.#member = member;
  }

  /** Calls a tool and returns its text; fails with the tool's own error. */
  async call(tool: string, args: Record<string, unknown>, signal?: AbortSignal): Promise<string> {
    signal?.throwIfAborted();
    const connection = this.#connected();
    await connection.ready;
    signal?.throwIfAborted();
    const result = await this.#request(connection, "tools/call", { name: tool, arguments: args }, signal);
    const content = isRecord(result) && Array.isArray(result.content) ? result.content : [];
    const text = content
      .map((part: unknown) => (isRecord(part) && typeof part.text === "string" ? part.text : ""))
      .join("\n");
    if (isRecord(result) && result.isError === true) {
      throw new Error(text === "" ? `${tool} failed` : text);
    }
    return text;
  }

  /** Ends the process. */
  stop(): void {
    this.#connection?.process.stdin.end();
    this.#connection?.process.kill();
    this.#connection = undefined;
  }

  #connected(): Connection {
    this.#connection ??= this.#start();
    return this.#connection;
  }

  #start(): Connection {
    const { command } = this.#settings;
    const child = spawn(command, argumentsOf(this.#settings, this.#member), {
      stdio: "pipe",
      windowsHide: true,
    });
    const connection: Connection = {
      process: child,
      waiting: new Map(),
      errors: "",
      nextId: 1,
      ready: Promise.resolve(),
    };
    child.stdout.setEncoding("utf8");
    child.stderr.setEncoding("utf8");
    child.stderr.on("data", (text: string) => {
      connection.errors = (connection.errors + text).slice(-ERRORS_KEPT);
    });
    let pending = "";
    child.stdout.on("data", (text: string) => {
      const lines = (pending + text).split("\n");
      pending = lines.pop() ?? "";
      lines.forEach((line) => answered(connection, line));
      if (pending.length > LINE_CHARS_MAX) {
        child.kill();
      }
      keepAlive(connection);
    });
    // Writing to a process that ended fails; its end is reported below.
    child.stdin.on("error", () => undefined);
    child.on("error", (error) => {
      const hint =
        isRecord(error) && error.code === "ENOENT"
          ? "; install Memlens, or set plugins.entries.memlens.config.command"
          : "";
      this.#ended(connection, `cannot start ${command}: ${error.message}${hint}`);
    });
    child.on("close", (status) => {
      const said = connection.errors.trim();
      this.#ended(
        connection,
        `${command} ended with status ${String(status)}${said === "" ? "" : `: ${said}`}`,
      );
    });
    connection.ready = this.#greet(connection);
    // Each call waits for it and reports its failure.
    connection.ready.catch(() => {
      // The next call starts another process.
      if (this.#connection === connection) {
        this.#connection = undefined;
      }
      child.kill();
    });
    return connection;
  }

  async #greet(connection: Connection): Promise<void> {
    await this.#request(connection, "initialize", {
      protocolVersion: PROTOCOL,
      capabilities: {},
      clientInfo: { name: "openclaw-plugin-memlens", version: "0.1.0" },
    });
    send(connection, { jsonrpc: "2.0", method: "notifications/initialized" });
  }

  #ended(connection: Connection, why: string): void {
    if (this.#connection === connection) {
      this.#connection = undefined;
    }
    const waiting = [...connection.waiting.values()];
    connection.waiting.clear();
    waiting.forEach(({ reject }) => reject(new Error(why)));
  }

  #request(connection: Connection, method: string, params: unknown, signal?: AbortSignal): Promise<unknown> {
    const id = connection.nextId++;
    const { timeoutMs } = this.#settings;
    return new Promise((resolve, reject) => {
      const settle = () => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", abort);
        connection.waiting.delete(id);
        keepAlive(connection);
      };
      const giveUp = (error: Error) => {
        settle();
        send(connection, { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id } });
        reject(error);
      };
      const abort = () => giveUp(new Error("the call was cancelled"));
      const late = () => giveUp(new Error(`memlens did not answer within ${timeoutMs / 1000} s`));
      const timer = setTimeout(late, timeoutMs);
      signal?.addEventListener("abort", abort, { once: true });
      connection.waiting.set(id, {
        resolve: (result) => {
          settle();
          resolve(result);
        },
        reject: (error) => {
          settle();
          reject(error);
        },
      });
      keepAlive(connection);
      send(connection, { jsonrpc: "2.0", id, method, params });
    });
  }
}

function send(connection: Connection, message: unknown): void {
  if (connection.process.stdin.writable) {
    connection.process.stdin.write(`${JSON.stringify(message)}\n`);
  }
}

/** Takes in one line of the server. What is no answer to a call that waits is passed over. */
function answered(connection: Connection, line: string): void {
  let message: unknown;
  try {
    message = JSON.parse(line);
  } catch {
    return;
  }
  if (!isRecord(message) || typeof message.id !== "number") {
    return;
  }
  const waiting = connection.waiting.get(message.id);
  if (isRecord(message.error)) {
    waiting?.reject(new Error(String(message.error.message ?? "memlens refused the call")));
  } else {
    waiting?.resolve(message.result);
  }
}

/** Lets the program end while no call waits: an idle server must not keep it running. */
function keepAlive(connection: Connection): void {
  const { process: child, waiting } = connection;
  for (const handle of [child, child.stdin, child.stdout, child.stderr]) {
    const held = handle as { ref?: () => void; unref?: () => void };
    if (waiting.size > 0) {
      held.ref?.();
    } else {
      held.unref?.();
    }
  }
}
