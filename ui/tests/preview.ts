import "../src/shared/language";
import { mount } from "svelte";
import App from "../src/App.svelte";
import "../src/styles/tokens.css";
import "../src/styles/app.css";
import type { ViewId } from "../src/session.svelte";
import { Workspace, workspaceContext } from "../src/workspace.svelte";
import { FakeBackend, PROBLEMS } from "./fake-backend";
import { CLERK } from "./fake/agent-pipeline";
import type { PastState } from "./fake/past";
import { PREPARING, type TuneState } from "./fake/tune";
import { callsOf, HTTP_RERANKER } from "./fake/rerank";

const asked = new URLSearchParams(location.search);
const state = asked.get("state");
const rerankers = asked.get("rerankers") === "http" ? HTTP_RERANKER : {};
const backend = new FakeBackend({
  rerankers,
  rerankCalls: callsOf(40),
  nChunks: Number(asked.get("n") ?? 564),
  latencyMs: Number(asked.get("latency") ?? 0),
  startQuery: asked.get("query"),
  hasFolders: state !== "first-run",
  indexing:
    state === "indexing"
      ? { n_done: 120, n_total: 564, share: 0.21, file: "people/hanneke.md", seconds_left: 40 }
      : null,
  problems: state === "problems" ? PROBLEMS : [],
  pipelines: [CLERK],
  past: (asked.get("past") ?? "replayed") as PastState,
  tune: (asked.get("tune") ?? "judged") as TuneState,
  ...(asked.has("asked") ? { nPast: Number(asked.get("asked")) } : {}),
});
if (state === "error")
  backend.failing.search = { code: "index", message: "cannot open the text index: permission denied" };
const workspace = new Workspace(backend);
workspace.show((asked.get("view") ?? "search") as ViewId);
const target = document.getElementById("app");
if (target === null) throw new Error("preview.html has no element #app");
mount(App, { target, context: workspaceContext(workspace) });
// For scripts that drive the preview.
Object.assign(window, { workspace, backend });
const rerank = asked.get("rerank");
if (rerank === "late" || rerank === "http") workspace.parameters.set("rerank", rerank);
backend.rerankFailure = asked.get("failure");
if (state === "asking") backend.rerankGate = new Promise(() => undefined);
if (state === "preparing") {
  backend.tuneGate = new Promise(() => undefined);
  backend.progress({ job: "tune", progress: PREPARING });
}
