// Who may rerank: what can be chosen and why not, whom text is sent to, changes one at a time, downloads.
import { beforeEach, describe, expect, it, vi } from "vitest";
import { FakeBackend } from "../../tests/fake-backend";
import { downloadAt, HTTP_RERANKER } from "../../tests/fake/rerank";
import type { HttpChoice, RerankSettings } from "../api/bindings";
import { RerankProviders } from "./rerank-providers.svelte";

const CHOICE: HttpChoice = {
  kind: "cohere",
  url: "https://api.cohere.com",
  model: null,
  key_env: null,
  shape: null,
  timeout_ms: null,
  is_on: true,
};

let backend: FakeBackend;
let onChanged: ReturnType<typeof vi.fn<() => void>>;

async function open(rerankers: Partial<RerankSettings> = {}): Promise<RerankProviders> {
  backend = new FakeBackend({ nChunks: 20, rerankers });
  const providers = new RerankProviders(backend, onChanged);
  providers.follow();
  await vi.waitFor(() => expect(providers.settings).not.toBeNull());
  return providers;
}

beforeEach(() => {
  onChanged = vi.fn<() => void>();
});

describe("what can be chosen", () => {
  it("is late interaction alone before anything is set up", async () => {
    const providers = await open();
    expect(providers.unavailable("off")).toBeNull();
    expect(providers.unavailable("late")).toBeNull();
    expect(providers.unavailable("model")).toMatch(/no local model/);
    expect(providers.unavailable("http")).toMatch(/no provider/);
    expect(providers.sendsTo).toBeNull();
  });

  it("is a provider once it is on, which names whom text goes to", async () => {
    const providers = await open(HTTP_RERANKER);
    expect(providers.unavailable("http")).toBeNull();
    expect(providers.sendsTo).toEqual({ host: "api.cohere.com", isRemote: true });
    await providers.switchHttpOff();
    expect(providers.unavailable("http")).toBe("api.cohere.com is switched off");
    expect(providers.sendsTo).toBeNull();
    expect(onChanged).toHaveBeenCalledTimes(1);
  });

  it("is a model once one is chosen", async () => {
    const providers = await open();
    await providers.setModel({ name: "bge-reranker-base", folder: null });
    expect(providers.unavailable("model")).toBeNull();
    await providers.setModel(null);
    expect(providers.unavailable("model")).not.toBeNull();
  });
});

describe("a change", () => {
  it("hands the key over and keeps it nowhere", async () => {
    const providers = await open();
    await providers.setHttp(CHOICE, "sk-1234");
    expect(backend.calls.at(-1)).toEqual({ name: "setRerankHttp", args: [CHOICE, "sk-1234"] });
    expect(JSON.stringify(providers.settings)).not.toContain("sk-1234");
    expect(providers.settings?.http?.key).toBe("keyring");
  });

  it("that fails says why and changes nothing", async () => {
    const providers = await open();
    backend.failing.setRerankHttp = { code: "rerank", message: "cannot use http://example.com: TLS only" };
    await providers.setHttp(CHOICE, null);
    expect(providers.failed).toEqual({
      what: "http",
      error: { code: "rerank", message: "cannot use http://example.com: TLS only" },
    });
    expect(providers.settings?.http).toBeNull();
    expect(onChanged).not.toHaveBeenCalled();
    backend.failing = {};
    await providers.setHook(["true"]);
    expect(providers.failed).toBeNull();
  });

  it("waits for no second one", async () => {
    const providers = await open();
    const first = providers.setHook(["a"]);
    await providers.setHook(["b"]);
    await first;
    expect(providers.settings?.hook).toEqual(["a"]);
  });

  it("forgets the test of what was set before", async () => {
    const providers = await open(HTTP_RERANKER);
    await providers.testHttp(20);
    expect(providers.test?.kind).toBe("answered");
    await providers.setHttp(CHOICE, null);
    expect(providers.test).toBeNull();
  });

  it("takes no answer of a test that began before it", async () => {
    const providers = await open(HTTP_RERANKER);
    for (const change of [() => providers.setHttp(CHOICE, null), () => providers.switchHttpOff()]) {
      const tested = providers.testHttp(20);
      await change();
      await tested;
      expect(providers.test).toBeNull();
    }
  });
});

it("a test that fails is reported as one", async () => {
  const providers = await open(HTTP_RERANKER);
  backend.failing.testRerankHttp = { code: "rerank", message: "api.cohere.com refused the key (401)" };
  await providers.testHttp(20);
  expect(providers.test).toEqual({
    kind: "failed",
    error: { code: "rerank", message: "api.cohere.com refused the key (401)" },
  });
});

describe("a download", () => {
  it("is followed to its end, and the list is read again", async () => {
    const providers = await open();
    await providers.downloadModel("jina-reranker-v1-turbo-en", 151_000_000);
    expect(providers.download.isRunning).toBe(true);
    backend.progress({ job: "download", progress: downloadAt("jina-reranker-v1-turbo-en", 0.5) });
    expect(providers.download.progress?.done_bytes).toBe(75_500_000);
    const nRead = backend.nCalls("rerankSettings");
    backend.progress({ job: "download", progress: downloadAt("jina-reranker-v1-turbo-en", 1) });
    expect(providers.download.isRunning).toBe(false);
    expect(backend.nCalls("rerankSettings")).toBe(nRead + 1);
  });

  it("that ends early can be gone on with", async () => {
    const providers = await open();
    await providers.downloadModel("jina-reranker-v1-turbo-en", 151_000_000);
    backend.progress({
      job: "download",
      progress: {
        ...downloadAt("jina-reranker-v1-turbo-en", 0.5),
        error: "cannot reach the host",
        finished: true,
      },
    });
    expect(providers.download.isRunning).toBe(false);
    await providers.downloadModel("jina-reranker-v1-turbo-en", 151_000_000);
    expect(backend.nCalls("downloadRerankModel")).toBe(2);
  });

  it("that does not begin says why", async () => {
    const providers = await open();
    backend.failing.downloadRerankModel = {
      code: "rerank",
      message: "cannot write the model: the disk is full",
    };
    await providers.downloadModel("jina-reranker-v1-turbo-en", 151_000_000);
    expect(providers.failed?.what).toBe("model");
    expect(providers.download.isRunning).toBe(false);
  });
});
