import type { LibraryState } from "../api/bindings";
import { count, counted, timeLeft } from "../shared/format";

/** Status text about indexing, and the action of a click on it. */
export interface IndexingWords {
  short: string;
  /** More about it, and what a click does. */
  more: string;
  isFailure: boolean;
  /** Whether a click pauses; else it has indexing go on, or try again. */
  pauses: boolean;
}

/** Text for the writer's current activity; null if there is nothing to do. `retry_s` is the time left until the next try. */
export function indexingWords(
  { phase, indexing, scanning }: LibraryState,
  retry_s: number | null,
): IndexingWords | null {
  switch (phase.kind) {
    case "failed":
      return {
        short: `indexing failed; retrying ${retry_s === null || retry_s === 0 ? "now" : `in ${counted(retry_s, "s", "s")}`}`,
        more: `${phase.why}. Click to retry now.`,
        isFailure: true,
        pauses: false,
      };
    case "paused":
      return {
        short: indexing === null ? "indexing paused" : `paused at ${done(indexing)}`,
        more: details(indexing?.file ?? null, null, "resume"),
        isFailure: false,
        pauses: false,
      };
    case "working":
      if (scanning !== null)
        return {
          short: `scanning ${scanning.folder_name}: ${counted(scanning.n_files, "file")}`,
          more: `Looking for notes that changed in ${scanning.folder_name}. Click to pause.`,
          isFailure: false,
          pauses: true,
        };
      if (indexing === null) return null;
      return {
        short: `indexing ${done(indexing)}`,
        more: details(
          indexing.file,
          indexing.seconds_left === null ? null : timeLeft(indexing.seconds_left),
          "pause",
        ),
        isFailure: false,
        pauses: true,
      };
  }
}

function done({ n_done, n_total }: NonNullable<LibraryState["indexing"]>): string {
  return `${count(n_done)}/${count(n_total)}`;
}

function details(file: string | null, left: string | null, action: "pause" | "resume"): string {
  const said = [file, left].filter((part) => part !== null).join(", ");
  return `${said === "" ? "" : `${said}. `}Click to ${action}.`;
}
