import "../src/shared/language";
import { mount } from "svelte";
import type { FileProblem } from "../src/api/bindings";
import App from "../src/App.svelte";
import "../src/styles/tokens.css";
import "../src/styles/app.css";
import { openDocument } from "../src/open-document.svelte";
import type { ViewId } from "../src/session.svelte";
import { Workspace, workspaceContext } from "../src/workspace.svelte";
import { LibraryBackend, type LibraryFile, type LibraryOptions } from "./fake/library";

const asked = new URLSearchParams(location.search);
const state = asked.get("state") ?? "";

/** 5,000 files, with names of all lengths. */
function manyFiles(): LibraryFile[] {
  return Array.from({ length: 5_000 }, (_, at) => ({
    folder: "notes",
    path: `year-${2010 + (at % 17)}/month-${String((at % 12) + 1).padStart(2, "0")}/note-${String(at).padStart(4, "0")}${at % 9 === 0 ? "-with-a-name-that-is-far-too-long-for-any-column-of-a-window" : ""}.md`,
  }));
}

/** A note of 16 MiB, and one line of 10 MB. */
function hugeFiles(): LibraryFile[] {
  const paragraph = (at: number) =>
    `${at % 20 === 0 ? "## Part " + String(at) + "\n\n" : ""}Line ${at}. ${"The converter is green and the nightly copy is done. ".repeat((at % 4) + 1)}`;
  let text = "";
  for (let at = 0; text.length < 16 * 1024 * 1024; at += 1) text += `${paragraph(at)}\n\n`;
  return [
    { folder: "notes", path: "huge.md", text },
    { folder: "notes", path: "one-line.txt", text: "word ".repeat(2_000_000) },
  ];
}

/** 50,000 lines that are not JSON. */
function manyProblems(): FileProblem[] {
  return Array.from({ length: 50_000 }, (_, at) => ({
    ...{ folder: "logs", folder_name: "logs", path: `2026/${at % 12}/log-${at % 900}.jsonl`, line: at + 1 },
    message: "not JSON: a string is not ended (column 38); the other lines were read",
    severity: at % 50 === 0 ? "error" : "note",
  }));
}

const options: LibraryOptions = {
  hasFolders: !state.startsWith("first-run"),
  ...(state === "many" ? { files: manyFiles() } : {}),
  ...(state === "problems" ? { problems: manyProblems() } : {}),
  ...(state === "huge" ? { files: hugeFiles() } : {}),
  ...(state === "none"
    ? { files: [], problems: [], activity: [], state: { n_files: 0, n_chunks: 0, n_problems: 0 } }
    : {}),
  ...(state === "indexing"
    ? {
        state: {
          indexing: {
            n_done: 1_204,
            n_total: 5_640,
            share: 0.21,
            file: "reference/notification-routes.md",
            seconds_left: 74,
          },
        },
      }
    : {}),
  ...(state === "read-only" ? { state: { read_only: "memlens index (process 4711) is writing" } } : {}),
};
const backend = new LibraryBackend(options);
backend.unreadable.set("protocols/scan.md", {
  code: "unreadable",
  message: "cannot read protocols/scan.md: permission denied",
});
backend.refused.set("/home/robin/nowhere", {
  code: "missing",
  message: "cannot watch /home/robin/nowhere: there is no such folder",
});
if (state === "error")
  backend.failing.tree = {
    code: "store",
    message: "cannot list the notes: the library is locked by another process",
  };
if (state === "export-refused")
  backend.failing.exportText = {
    code: "invalid",
    message: "vector_weight and text_weight are both 0: no score could be formed",
  };
const workspace = new Workspace(backend);
if (state === "changed") {
  workspace.parameters.replace({
    ...workspace.parameters.current,
    fusion: "rrf",
    fusion_k: 20,
    vector_weight: 0.75,
    min_score: 0.25,
    budget_tokens: 4_000,
    chunk_chars: 2_000,
    half_life_days: 90,
    bm25_join: "and",
    repeats_on: false,
  });
}
workspace.show((asked.get("view") ?? "memory") as ViewId);
const path = asked.get("path");
if (path !== null) openDocument.ask(asked.get("folder") ?? "notes", path, Number(asked.get("line") ?? 1));
const target = document.getElementById("app");
if (target === null) throw new Error("preview-library.html has no element #app");
mount(App, { target, context: workspaceContext(workspace) });
// For scripts that drive the preview.
Object.assign(window, { workspace, backend, openDocument });
