import type { Backend } from "../api/backend";
import type {
  ErrorInfo,
  RecallChangeArgument,
  RecallImport,
  RecallLogs,
  RecallProgress,
} from "../api/bindings";
import { toErrorInfo } from "../api/errors";
import { looks } from "../shared/looks";

type Calls = Pick<
  Backend,
  "recallLogs" | "importRecall" | "recallProgress" | "stopRecall" | "forgetRecall" | "setRecall"
>;

/** The logs of agents: which are there, whether they may be read, and their import. */
export class Recall {
  readonly #backend: Calls;
  #logs = $state.raw<RecallLogs | null>(null);
  #progress = $state.raw<RecallProgress | null>(null);
  #imported = $state.raw<RecallImport | null>(null);
  #isImporting = $state(false);
  #isStopping = $state(false);
  /** Counts the times that past questions may have come or gone. */
  #nChanges = $state(0);
  #error = $state.raw<ErrorInfo | null>(null);

  constructor(backend: Calls) {
    this.#backend = backend;
  }

  /** Null until they were looked for. */
  get logs(): RecallLogs | null {
    return this.#logs;
  }

  /** Null until it is known, and while nothing is read. */
  get progress(): RecallProgress | null {
    return this.#progress;
  }

  /** What the last import came to; null before one. */
  get imported(): RecallImport | null {
    return this.#imported;
  }

  get isImporting(): boolean {
    return this.#isImporting;
  }

  get isStopping(): boolean {
    return this.#isStopping;
  }

  get nChanges(): number {
    return this.#nChanges;
  }

  get error(): ErrorInfo | null {
    return this.#error;
  }

  /** Looks which logs there are. */
  async look(): Promise<void> {
    await this.#during(async () => {
      this.#logs = await this.#backend.recallLogs();
    });
  }

  /** Reads them, from where the last import ended. */
  async read(): Promise<void> {
    if (this.#isImporting) return;
    this.#isImporting = true;
    const stopLooking = looks(
      () => this.#backend.recallProgress(),
      (progress) => (this.#progress = progress),
    );
    await this.#during(async () => {
      const imported = await this.#backend.importRecall();
      if (imported !== null) this.#imported = imported;
      this.#logs = await this.#backend.recallLogs();
    });
    stopLooking();
    this.#progress = null;
    this.#isImporting = false;
    this.#isStopping = false;
    this.#nChanges++;
  }

  /** Ends the import; what was read is kept, and the next one goes on from there. */
  stop(): void {
    this.#isStopping = true;
    this.#backend.stopRecall().catch(() => (this.#isStopping = false));
  }

  /** Forgets every past question, and that they may be read. */
  async forget(): Promise<void> {
    await this.#during(async () => {
      await this.#backend.forgetRecall();
      this.#imported = null;
      this.#logs = await this.#backend.recallLogs();
    });
    this.#nChanges++;
  }

  async change(change: RecallChangeArgument): Promise<void> {
    await this.#during(async () => {
      this.#logs = await this.#backend.setRecall(change);
    });
    this.#nChanges++;
  }

  dismissError(): void {
    this.#error = null;
  }

  async #during(work: () => Promise<void>): Promise<void> {
    this.#error = null;
    try {
      await work();
    } catch (error) {
      this.#error = toErrorInfo(error);
    }
  }
}
