// Settings of rerank and hook as the user meets them.
import { render, screen, waitFor, within } from "@testing-library/svelte";
import { describe, expect, test } from "vitest";
import { violations } from "../../tests/axe";
import { FakeBackend } from "../../tests/fake-backend";
import { downloadAt, HTTP_RERANKER, NO_RERANKERS } from "../../tests/fake/rerank";
import { chooseOption } from "../../tests/choose-option";
import { setupUser } from "../../tests/user";
import type { RerankSettings } from "../api/bindings";
import App from "../App.svelte";
import { Workspace, workspaceContext } from "../workspace.svelte";

async function open(rerankers: Partial<RerankSettings> = {}, readOnly: string | null = null) {
  const backend = new FakeBackend({ nChunks: 20, rerankers, readOnly });
  const workspace = new Workspace(backend);
  workspace.show("settings");
  const user = setupUser();
  const { container } = render(App, { context: workspaceContext(workspace) });
  await waitFor(() => expect(document.documentElement.dataset.ready).toBe("true"));
  await screen.findByRole("heading", { name: /^HTTP provider/ });
  return { backend, workspace, user, container };
}

const key = () => screen.getByLabelText("Key");
const lastArgs = (backend: FakeBackend, name: string) =>
  backend.calls.findLast((call) => call.name === name)?.args;

describe("a provider", () => {
  test("is set up by kind, which brings its address and model, and switched on", async () => {
    const { backend, user } = await open();
    await chooseOption(user, screen.getByLabelText("Provider"), "Text Embeddings Inference");
    expect(screen.getByLabelText("Address")).toHaveValue("http://127.0.0.1:8080/rerank");
    await chooseOption(user, screen.getByLabelText("Provider"), "Cohere");
    expect(screen.getByRole("textbox", { name: "Model" })).toHaveValue("rerank-v4.0-fast");
    await user.type(key(), "sk-secret");
    await user.click(screen.getByRole("button", { name: "Switch on…" }));
    await screen.findByRole("button", { name: "Switch off" });
    expect(lastArgs(backend, "setRerankHttp")).toEqual([
      expect.objectContaining({ kind: "cohere", model: "rerank-v4.0-fast", is_on: true, key_env: null }),
      "sk-secret",
    ]);
    expect(key()).toHaveValue("");
    expect(screen.getByText("Stored in the system keyring.")).toBeInTheDocument();
  });

  test("is saved without being switched on", async () => {
    const { backend, user } = await open();
    await user.type(screen.getByLabelText("Or from variable"), "RERANK_KEY");
    await user.click(screen.getAllByRole("button", { name: "Save" })[0] as HTMLElement);
    await waitFor(() => expect(backend.nCalls("setRerankHttp")).toBe(1));
    expect(lastArgs(backend, "setRerankHttp")).toEqual([
      expect.objectContaining({ is_on: false, key_env: "RERANK_KEY" }),
      null,
    ]);
  });

  test("that is on names the host and what leaves the machine, and is switched off", async () => {
    const { backend, user } = await open(HTTP_RERANKER);
    expect(screen.getByText(/the start of each note sent go to/)).toHaveTextContent("api.cohere.com");
    await user.click(screen.getByRole("button", { name: "Switch off" }));
    await waitFor(() => expect(backend.nCalls("rerankHttpOff")).toBe(1));
    expect(screen.queryByRole("button", { name: /sends note text|Reranker on/ })).toBeNull();
  });

  test("on this machine does not let text leave it", async () => {
    const http = { ...HTTP_RERANKER.http, host: "127.0.0.1:8080", is_remote: false };
    await open({ http: http as RerankSettings["http"] });
    expect(screen.getByText(/is on this machine, so note text does not leave it/)).toBeInTheDocument();
  });

  test("is tested with as many made-up texts as a search sends", async () => {
    const { backend, user, workspace } = await open(HTTP_RERANKER);
    await user.click(screen.getByRole("button", { name: "Test" }));
    expect(await screen.findByText("It answers")).toBeInTheDocument();
    expect(
      screen.getByText(/about 20 texts in 212 ms: 0.930 for the answer, at most 0.040 for other texts/),
    ).toBeInTheDocument();
    expect(screen.queryByText(/nothing to do with the question/)).toBeNull();
    workspace.parameters.set("rerank_max_docs", 0);
    backend.rerankTestScores = [0.04, 0.93];
    backend.rerankTestNotices = ["A text that has nothing to do with the question scored above the answer."];
    await user.click(screen.getByRole("button", { name: "Test" }));
    expect(await screen.findByText(/nothing to do with the question scored above/)).toBeInTheDocument();
    expect(lastArgs(backend, "testRerankHttp")).toEqual([3 * workspace.parameters.committed.max_results]);
  });

  test("without a model shows none, not that of another kind", async () => {
    const http = { ...HTTP_RERANKER.http, kind: "tei", model: null } as RerankSettings["http"];
    const { backend, user } = await open({ http });
    expect(screen.getByRole("textbox", { name: "Model" })).toHaveValue("");
    await user.type(screen.getByLabelText("Or from variable"), "KEY");
    await user.click(screen.getAllByRole("button", { name: "Save" })[0] as HTMLElement);
    await waitFor(() => expect(backend.nCalls("setRerankHttp")).toBe(1));
    expect(lastArgs(backend, "setRerankHttp")?.[0]).toMatchObject({ kind: "tei", model: null });
  });

  test("that fails the test says why", async () => {
    const { backend, user } = await open(HTTP_RERANKER);
    backend.failing.testRerankHttp = { code: "rerank", message: "api.cohere.com refused the key (401)" };
    await user.click(screen.getByRole("button", { name: "Test" }));
    expect(await screen.findByText(/refused the key \(401\)/)).toBeInTheDocument();
  });

  test.each([
    ["unavailable", "RERANK_KEY", /No keyring available: set the environment variable RERANK_KEY/, true],
    ["unavailable", null, /No keyring available: name an environment variable/, true],
    ["environment", "RERANK_KEY", /Read from the environment variable RERANK_KEY/, false],
    ["none", null, /No key is stored/, false],
    ["unusable", null, /Type it again/, false],
  ] as const)("with a key that is %s (%s) says so", async (place, key_env, words, isBarred) => {
    const http = { ...HTTP_RERANKER.http, key: place, key_env } as RerankSettings["http"];
    await open({ http });
    expect(screen.getByText(words)).toBeInTheDocument();
    if (isBarred) expect(key()).toBeDisabled();
    else expect(key()).toBeEnabled();
  });

  test("forgets its key", async () => {
    const { backend, user } = await open(HTTP_RERANKER);
    await user.click(screen.getByRole("button", { name: "Delete key" }));
    expect(await screen.findByText("No key is stored.")).toBeInTheDocument();
    expect(lastArgs(backend, "setRerankHttp")?.[1]).toBe("");
  });

  test("keeps what was typed when it is refused, and says why", async () => {
    const { backend, user } = await open();
    backend.failing.setRerankHttp = { code: "rerank", message: "cannot use http://example.com: only https" };
    await user.clear(screen.getByLabelText("Address"));
    await user.type(screen.getByLabelText("Address"), "http://example.com");
    await user.click(screen.getByRole("button", { name: "Switch on…" }));
    expect(await screen.findByRole("alert")).toHaveTextContent("Cannot use http://example.com: only https.");
    expect(screen.getByLabelText("Address")).toHaveValue("http://example.com");
  });
});

describe("a model on this machine", () => {
  test("is listed with size and licence, downloaded with progress, cancelled and resumed", async () => {
    const { backend, user } = await open();
    expect(screen.getByText(/; 151 MB, licence Apache-2.0/)).toBeInTheDocument();
    await user.click(screen.getByRole("button", { name: "Download jina-reranker-v1-turbo-en" }));
    backend.progress({ job: "download", progress: downloadAt("jina-reranker-v1-turbo-en", 0.25) });
    expect(await screen.findByText("38 MB of 151 MB")).toBeInTheDocument();
    await user.click(screen.getByRole("button", { name: "Cancel" }));
    expect(backend.nStops("download")).toBe(1);
    backend.progress({
      job: "download",
      progress: { ...downloadAt("jina-reranker-v1-turbo-en", 0.25), cancelled: true, finished: true },
    });
    await user.click(await screen.findByRole("button", { name: /^Resume the download of jina/ }));
    expect(backend.nCalls("downloadRerankModel")).toBe(2);
  });

  test("that is there is used, and can be left again", async () => {
    const { backend, user } = await open();
    const card = within(screen.getByRole("region", { name: "Rerank" }));
    await user.click(card.getAllByRole("button", { name: "Use it" })[0] as HTMLElement);
    expect(await card.findByRole("button", { name: "In use" })).toBeDisabled();
    expect(lastArgs(backend, "setRerankModel")).toEqual([{ name: "bge-reranker-base", folder: null }]);
    await user.click(screen.getByRole("button", { name: "Use none" }));
    await waitFor(() => expect(lastArgs(backend, "setRerankModel")).toEqual([null]));
  });

  test("may be a folder of one's own, which is tried", async () => {
    const { backend, user } = await open();
    backend.failing.setRerankModel = { code: "rerank", message: "cannot use /models/x: it has no logits" };
    const field = screen.getByLabelText(/Or a folder with an ONNX cross-encoder/);
    await user.type(field, "/models/x{Enter}");
    expect(await screen.findByRole("alert")).toHaveTextContent("Cannot use /models/x: it has no logits.");
    expect(field).toHaveValue("/models/x");
    backend.failing = {};
    await user.type(field, "{Enter}");
    await waitFor(() =>
      expect(lastArgs(backend, "setRerankModel")).toEqual([{ name: null, folder: "/models/x" }]),
    );
  });
});

describe("the hook", () => {
  test("is a program and its arguments, one a line, as they are", async () => {
    const { backend, user } = await open();
    const card = within(screen.getByRole("region", { name: "Hook" }));
    await user.type(
      card.getByLabelText(/Command, with one argument per line/),
      "python3{Enter}my script.py{Enter}$HOME",
    );
    await user.click(card.getByRole("button", { name: "Save" }));
    await waitFor(() => expect(lastArgs(backend, "setHook")).toEqual([["python3", "my script.py", "$HOME"]]));
    await user.click(await card.findByRole("button", { name: "Remove" }));
    await waitFor(() => expect(lastArgs(backend, "setHook")).toEqual([null]));
    expect(card.getByLabelText(/^Command/)).toHaveValue("");
  });

  test("that is refused says why", async () => {
    const { backend, user } = await open();
    backend.failing.setHook = { code: "rerank", message: "cannot run nowhere: no such program" };
    const card = within(screen.getByRole("region", { name: "Hook" }));
    await user.type(card.getByLabelText(/^Command/), "nowhere");
    await user.click(card.getByRole("button", { name: "Save" }));
    expect(await card.findByRole("alert")).toHaveTextContent("Cannot run nowhere: no such program.");
  });
});

test("nothing can be changed while another process writes", async () => {
  await open(HTTP_RERANKER, "memlens index (process 4711) is writing");
  for (const name of ["Switch off", "Delete key", "Remove", "Download jina-reranker-v1-turbo-en"])
    expect(screen.getByRole("button", { name })).toBeDisabled();
});

test("an assistive tool finds nothing wrong, in every state", async () => {
  const { backend, container, user } = await open({ ...NO_RERANKERS, ...HTTP_RERANKER });
  expect(await violations(container)).toEqual([]);
  await user.click(screen.getByRole("button", { name: "Test" }));
  await user.click(screen.getByRole("button", { name: "Download jina-reranker-v1-turbo-en" }));
  backend.progress({ job: "download", progress: downloadAt("jina-reranker-v1-turbo-en", 0.5) });
  await screen.findByText("76 MB of 151 MB");
  expect(await violations(container)).toEqual([]);
});
