// Memlens as a server of tools in agents' configs: what is entered, the change that is shown, and a test of an entry.
import type { Backend } from "../api/backend";
import type {
  ErrorInfo,
  ToolServer,
  ToolServerChange,
  ToolServerChoice,
  ToolServerTest,
} from "../api/bindings";
import { Actions, Call } from "../shared/call.svelte";

/** What a dialog is about to do to an agent's config. */
export type Doing = "connect" | "disconnect";

/** A config that was written. */
export type Written = { agent: string; doing: Doing; path: string; backup: string | null };

type Asked = Pick<Backend, "toolServers" | "toolServerChange" | "toolServerWrite" | "testToolServer">;

const OWN_FOLDERS: ToolServerChoice = { all_folders: false, preset: null };

/** The question of a test, if none was asked before. */
const FIRST_QUESTION = "what is in my notes";

/** The section's state. */
export class Serving {
  readonly #backend: Asked;
  readonly #listing: Call<[], ToolServer[]>;
  readonly #changing: Call<[agent: string, choice: ToolServerChoice | null], ToolServerChange>;
  readonly #writing = new Actions();
  readonly #testing: Call<[agent: string, query: string], ToolServerTest>;
  #open = $state.raw<{ server: ToolServer; doing: Doing } | null>(null);
  #isOpen = $state(false);
  #choice = $state.raw(OWN_FOLDERS);
  #written = $state.raw<Written | null>(null);
  #tested = $state<string | null>(null);
  /** The question of a test. */
  query = $state("");

  /** `lastQuestion` is the last one that the user asked, if any. */
  constructor(backend: Asked, lastQuestion: string | undefined) {
    this.#backend = backend;
    this.query = lastQuestion ?? FIRST_QUESTION;
    this.#listing = new Call(() => backend.toolServers());
    // What is no longer true is not written.
    this.#changing = new Call((agent, choice) => backend.toolServerChange(agent, choice), "drop");
    this.#testing = new Call((agent, query) => backend.testToolServer(agent, query), "drop");
  }

  /** null until the first look is over. */
  get servers(): ToolServer[] | null {
    return this.#listing.data;
  }
  get error(): ErrorInfo | null {
    return this.#listing.error;
  }
  /** Whether the dialog is open. */
  get isOpen(): boolean {
    return this.#isOpen;
  }
  /** The agent of the dialog, as it was when that was opened last. */
  get open(): { server: ToolServer; doing: Doing } | null {
    return this.#open;
  }
  get choice(): ToolServerChoice {
    return this.#choice;
  }
  /** What would become of the config; null while it is read, and if it cannot be changed. */
  get change(): ToolServerChange | null {
    return this.#changing.data;
  }
  /** Why the config cannot be changed. */
  get changeError(): ErrorInfo | null {
    return this.#changing.error;
  }
  /** Why the last change was not written. */
  get writeError(): ErrorInfo | null {
    return this.#writing.error;
  }
  get isWriting(): boolean {
    return this.#writing.isRunning;
  }
  /** The last config that was written. */
  get written(): Written | null {
    return this.#written;
  }
  /** Id of the agent whose entry is tested, or was last. */
  get tested(): string | null {
    return this.#tested;
  }
  get isTesting(): boolean {
    return this.#testing.isRunning;
  }
  /** The outcome of the last test; null while it runs. */
  get test(): ToolServerTest | null {
    return this.#testing.isRunning ? null : this.#testing.data;
  }
  /** Why the entry could not be tested. */
  get testError(): ErrorInfo | null {
    return this.#testing.error;
  }

  /** Reads the configs. */
  async look(): Promise<void> {
    await this.#listing.run();
  }

  /** Shows what connecting an agent would change; an agent that is connected keeps its choice until another is made. */
  async connect(server: ToolServer): Promise<void> {
    const { state, folders } = server;
    const first = { ...OWN_FOLDERS, all_folders: folders.length === 0 };
    this.#choice = state.kind === "connected" ? state.choice : first;
    await this.#show(server, "connect");
  }

  /** Shows what disconnecting an agent would change. */
  async disconnect(server: ToolServer): Promise<void> {
    await this.#show(server, "disconnect");
  }

  async #show(server: ToolServer, doing: Doing): Promise<void> {
    this.#open = { server, doing };
    this.#isOpen = true;
    this.#written = null;
    this.#writing.dismissError();
    this.#changing.reset();
    await this.#read();
  }

  async #read(): Promise<void> {
    if (this.#open === null) return;
    const { server, doing } = this.#open;
    await this.#changing.run(server.agent, doing === "connect" ? this.#choice : null);
  }

  /** Chooses what the agent is served, and shows the change again. */
  async choose(choice: Partial<ToolServerChoice>): Promise<void> {
    this.#choice = { ...this.#choice, ...choice };
    await this.#read();
  }

  close(): void {
    this.#isOpen = false;
  }

  /** Writes the change that is shown, once the user agrees; then closes the dialog. */
  async write(): Promise<void> {
    const [open, change] = [this.#open, this.change];
    if (open === null || change === null || this.isWriting) return;
    await this.#writing.run(async () => {
      const written = await this.#backend.toolServerWrite(change.id);
      if (written === null) return;
      this.#written = { agent: open.server.agent, doing: open.doing, ...written };
      this.#testing.reset();
      this.close();
    });
    // Also after a refusal: the config may have changed since it was read.
    await this.look();
    if (this.writeError !== null) await this.#read();
  }

  /** Starts what an agent's config enters, and asks the question. */
  async tryOut(agent: string): Promise<void> {
    if (this.isTesting || this.query.trim() === "") return;
    this.#tested = agent;
    this.#testing.reset();
    await this.#testing.run(agent, this.query);
  }
}
