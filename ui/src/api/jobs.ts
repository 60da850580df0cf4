import type { JobKind, JobProgress } from "./bindings";

export type ProgressOf<Kind extends JobKind> = NonNullable<Extract<JobProgress, { job: Kind }>["progress"]>;

/** Receives the progress of a job; null while it is not known, and once the job is over. */
export type ProgressReport<Kind extends JobKind> = (progress: ProgressOf<Kind> | null) => void;

/** The jobs in progress, by the events of the engine. */
export class RunningJobs {
  readonly #last = new Map<JobKind, JobProgress>();
  readonly #listeners = new Set<(progress: JobProgress) => void>();

  take(progress: JobProgress): void {
    if (isOver(progress)) this.#last.delete(progress.job);
    else this.#last.set(progress.job, progress);
    for (const listener of this.#listeners) listener(progress);
  }

  /** Reports the progress of a job until the returned function is called: first the last one known, if the job runs. */
  follow<Kind extends JobKind>(job: Kind, report: ProgressReport<Kind>): () => void {
    const listener = (progress: JobProgress) => {
      if (progress.job === job) report((progress.progress ?? null) as ProgressOf<Kind> | null);
    };
    this.#listeners.add(listener);
    const last = this.#last.get(job);
    if (last !== undefined) listener(last);
    return () => void this.#listeners.delete(listener);
  }
}

/** A download reports its end with its last progress. */
function isOver({ progress }: JobProgress): boolean {
  if (progress === null || progress === undefined) return true;
  return "finished" in progress && progress.finished;
}
