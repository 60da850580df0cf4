import type { Backend } from "../api/backend";
import type {
  ErrorInfo,
  RecallChangeArgument,
  RecallImport,
  RecallLogs,
  RecallProgress,
} from "../api/bindings";
import { Actions } from "../shared/call.svelte";
import { Job, reporting, type Report } from "../shared/job.svelte";

type Calls = Pick<
  Backend,
  "recallLogs" | "importRecall" | "forgetRecall" | "setRecall" | "recordCalls" | "onProgress" | "stop"
>;

/** The logs of agents: which are there, whether they may be read, and their import. */
export class Recall {
  readonly #backend: Calls;
  readonly #actions = new Actions();
  readonly #import: Job<[], RecallImport, RecallProgress>;
  #logs = $state.raw<RecallLogs | null>(null);
  /** Counts the times that past questions may have come or gone. */
  #nChanges = $state(0);

  constructor(backend: Calls) {
    this.#backend = backend;
    this.#import = new Job({
      work: (report: Report<RecallProgress>) =>
        reporting(
          (report) => backend.onProgress("import", report),
          report,
          async () => {
            const imported = await backend.importRecall();
            // Known even if the search for logs fails afterwards.
            if (imported !== null) this.#import.data = imported;
            this.#logs = await backend.recallLogs();
            return imported;
          },
        ),
      stop: () => backend.stop("import"),
    });
  }

  /** Null until they were looked for. */
  get logs(): RecallLogs | null {
    return this.#logs;
  }

  /** Null until it is known, and while nothing is read. */
  get progress(): RecallProgress | null {
    return this.#import.progress;
  }

  /** Result of the last import; null before one. */
  get imported(): RecallImport | null {
    return this.#import.data;
  }

  get isImporting(): boolean {
    return this.#import.isRunning;
  }

  get isStopping(): boolean {
    return this.#import.isStopping;
  }

  get nChanges(): number {
    return this.#nChanges;
  }

  get error(): ErrorInfo | null {
    return this.#import.error ?? this.#actions.error;
  }

  /** Looks which logs there are. */
  async look(): Promise<void> {
    await this.#do(async () => {
      this.#logs = await this.#backend.recallLogs();
    });
  }

  /** Reads the logs, from where the last import ended. */
  async read(): Promise<void> {
    if (this.#import.isRunning) return;
    this.#actions.dismissError();
    await this.#import.run();
    this.#nChanges++;
  }

  /** Stops the import; what was read stays, and the next one continues from there. */
  stop(): void {
    this.#import.stop();
  }

  /** Forgets every past question, and that they may be read. */
  async forget(): Promise<void> {
    await this.#do(async () => {
      await this.#backend.forgetRecall();
      this.#import.data = null;
      this.#logs = await this.#backend.recallLogs();
    });
    this.#nChanges++;
  }

  async change(change: RecallChangeArgument): Promise<void> {
    await this.#do(async () => {
      this.#logs = await this.#backend.setRecall(change);
    });
    this.#nChanges++;
  }

  /** Has the calls of connected agents recorded, once the user agrees, or not any more. */
  async record(isOn: boolean): Promise<void> {
    await this.#do(async () => {
      const logs = await this.#backend.recordCalls(isOn);
      if (logs !== null) this.#logs = logs;
    });
    this.#nChanges++;
  }

  dismissError(): void {
    this.#import.dismissError();
    this.#actions.dismissError();
  }

  async #do(action: () => Promise<void>): Promise<void> {
    this.dismissError();
    await this.#actions.run(action);
  }
}
