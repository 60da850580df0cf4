// What can be done in every view: the library, the window's look, its dialogs.
import { indexingWords } from "../library/indexing-words";
import { action, type Action } from "../shared/action";
import { MODIFIER } from "../shared/modifier";
import { THEME_CHOICES, type ThemeChoice } from "../shared/theme.svelte";
import { percent } from "../shared/zoom.svelte";
import type { Workspace } from "../workspace.svelte";

const THEME_WORDS: Record<ThemeChoice, string> = {
  system: "Match the system’s theme",
  light: "Use the light theme",
  dark: "Use the dark theme",
};

export function windowActions(workspace: Workspace): Action[] {
  const { library, theme, zoom, adding } = workspace;
  const { state } = library;
  const work = state === null ? null : indexingWords(state, library.retry_s);
  const isReadOnly = (state?.read_only ?? null) === null ? null : "this window is read-only";
  const isFirstRun = state !== null && state.folders.length === 0;
  return [
    action(
      "library.add-folder",
      "Add a folder…",
      () => {
        // The first page adds folders itself, and shows what fails.
        if (!isFirstRun) workspace.show("settings");
        void adding.pick();
      },
      {
        refusal: isReadOnly ?? (adding.adding === null ? null : "a folder is being added"),
        keywords: ["watch", "new"],
      },
    ),
    action(
      "library.indexing",
      work === null || work.pauses ? "Pause indexing" : work.isFailure ? "Retry indexing" : "Resume indexing",
      () => {
        if (work !== null) void library.pauseIndexing(work.pauses);
      },
      { refusal: isReadOnly ?? (work === null ? "nothing is being indexed" : null), keywords: ["stop"] },
    ),
    action("library.problems", "Show files with problems", () => (workspace.dialog = "problems"), {
      refusal: (state?.n_problems ?? 0) === 0 ? "no file has a problem" : null,
      keywords: ["errors", "unreadable"],
    }),
    action("library.activity", "Show activity", () => (workspace.dialog = "activity"), {
      refusal: isFirstRun ? "no folder is watched" : null,
      keywords: ["changes", "log", "history"],
    }),
    action("window.start", "Show the start page", () => workspace.showStart(), {
      refusal: state === null ? "the library is not open" : null,
      keywords: ["first", "agents", "findings", "welcome"],
    }),
    action("window.editor", "Choose an editor", () => void workspace.showEditors(), {
      refusal: state === null ? "the library is not open" : null,
      keywords: ["settings"],
    }),
    ...THEME_CHOICES.map((choice) =>
      action(`window.theme-${choice}`, THEME_WORDS[choice], () => theme.choose(choice), {
        refusal: theme.choice === choice ? "in use" : null,
        keywords: ["appearance", "colours", "mode"],
      }),
    ),
    action("window.zoom-in", "Zoom in", () => zoom.step(1), {
      key: `${MODIFIER} +`,
      refusal: zoom.isMost ? `already ${percent(zoom.factor)}` : null,
      keywords: ["larger", "bigger"],
    }),
    action("window.zoom-out", "Zoom out", () => zoom.step(-1), {
      key: `${MODIFIER} -`,
      refusal: zoom.isLeast ? `already ${percent(zoom.factor)}` : null,
      keywords: ["smaller"],
    }),
    action("window.zoom-reset", "Reset the zoom", () => zoom.reset(), {
      key: `${MODIFIER} 0`,
      refusal: zoom.factor === 1 ? `already ${percent(1)}` : null,
    }),
  ];
}
