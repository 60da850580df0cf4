import { commands, events } from "./bindings";
import type { ActivityHappened, AnswersLost, FolderTree, JobKind, StateChanged } from "./bindings";
import { toErrorInfo } from "./errors";
import { RunningJobs, type ProgressReport } from "./jobs";
import { KnownTrees } from "./trees";

/** A command as the window calls it: what returns nothing in Rust resolves with nothing here. */
type Call<Command> = Command extends (...args: infer Args) => Promise<infer Answer>
  ? (...args: Args) => [Answer] extends [null] ? Promise<void> : Promise<Answer>
  : never;

type Commands = { [Name in keyof typeof commands]: Call<(typeof commands)[Name]> };

/** What the window adds to the commands. */
type Additions = {
  /** What the watched folders hold, in order (see `KnownTrees`). */
  tree(): Promise<FolderTree[]>;
  /** As the command; resolves with the trees after the change. */
  setEvergreen(...args: Parameters<Commands["setEvergreen"]>): Promise<FolderTree[]>;
  /** Calls the listener on every change of the library, until the function returned is called. */
  onState(listener: (state: StateChanged) => void): () => void;
  /**
   * Reports the progress of a job until the returned function is called: first the last one known, if the job runs; null while it is not
   * known, and once the job is over.
   */
  onProgress<Kind extends JobKind>(job: Kind, report: ProgressReport<Kind>): () => void;
  /** An edit took notes out of answers to past questions; null when past questions are deleted. */
  onLost(listener: (lost: AnswersLost) => void): () => void;
  onActivity(listener: (activity: ActivityHappened) => void): () => void;
};

/** Everything that the window asks of the engine. Every call rejects with an `ErrorInfo`. */
export type Backend = Omit<Commands, keyof Additions> & Additions;

type AnyCommand = (...args: unknown[]) => Promise<unknown>;

/** The command with whatever it rejects with turned into an `ErrorInfo`. */
function withErrorInfo(command: AnyCommand): AnyCommand {
  return async (...args) => {
    try {
      return await command(...args);
    } catch (error) {
      throw toErrorInfo(error);
    }
  };
}

const calls = Object.fromEntries(
  Object.entries(commands).map(([name, command]) => [name, withErrorInfo(command as AnyCommand)]),
) as typeof commands;

type Heard<Payload> = {
  listen(listener: (event: { payload: Payload }) => void): Promise<() => void>;
};

/** Subscribes to an event. The subscription can be ended before it is established. */
function on<Payload>({ listen }: Heard<Payload>): (listener: (payload: Payload) => void) => () => void {
  return (listener) => {
    const listening = listen(({ payload }) => listener(payload));
    return () => void listening.then((unlisten) => unlisten());
  };
}

/** The engine behind the window, called by Tauri's commands and events. */
export function tauriBackend(): Backend {
  const trees = new KnownTrees(calls.tree);
  const jobs = new RunningJobs();
  // From the start, so that the progress of a job that runs already is known.
  on(events.jobProgressed)((progress) => jobs.take(progress));
  return {
    ...(calls as unknown as Commands),
    tree: () => trees.read(),
    setEvergreen: async (...args) => {
      await calls.setEvergreen(...args);
      return trees.read();
    },
    onProgress: (job, report) => jobs.follow(job, report),
    onState: on(events.stateChanged),
    onLost: on(events.answersLost),
    onActivity: on(events.activityHappened),
  };
}
