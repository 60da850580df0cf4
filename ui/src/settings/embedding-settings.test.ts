// Settings > Embedding as the user sees it: the models, a change of them, the vectors that are stored.
import { render, screen, waitFor, within } from "@testing-library/svelte";
import { describe, expect, test } from "vitest";
import { violations } from "../../tests/axe";
import { LibraryBackend, type LibraryOptions } from "../../tests/fake/library";
import { DOWNLOAD, TO_DOWNLOAD } from "../../tests/fake/models";
import { downloadAt } from "../../tests/fake/rerank";
import { setupUser } from "../../tests/user";
import type { ModelDownload } from "../api/bindings";
import App from "../App.svelte";
import { Workspace, workspaceContext } from "../workspace.svelte";

async function open(
  prepare: (backend: LibraryBackend) => void = () => undefined,
  options: LibraryOptions = {},
) {
  const backend = new LibraryBackend(options);
  prepare(backend);
  const workspace = new Workspace(backend);
  workspace.show("settings");
  const user = setupUser();
  const { container } = render(App, { context: workspaceContext(workspace) });
  await waitFor(() => expect(document.documentElement.dataset["ready"]).toBe("true"));
  const section = within(await screen.findByRole("region", { name: "Embedding" }));
  await section.findByText("multilingual-e5-small, 4 bits");
  return { backend, user, section, container };
}

const MULTILINGUAL = "multilingual-e5-small, 4 bits";

describe("models", () => {
  test("are listed with size, dimension, languages and licence", async () => {
    const { section, container } = await open();
    expect(section.getByText("in use")).toBeInTheDocument();
    expect(
      section.getByText(
        /384 values a vector\. Languages: about a hundred, English included\. Licence MIT, by Microsoft \(intfloat\)\. Files: 75 MB\./,
      ),
    ).toBeInTheDocument();
    expect(section.getByText(/1,240 vectors stored: 1\.9 MB/)).toBeInTheDocument();
    expect(section.queryByRole("button", { name: /^Use all-MiniLM/ })).toBeNull();
    expect(await violations(container)).toEqual([]);
  });

  test("that are not there cannot be chosen, and say what to do", async () => {
    const { section } = await open((backend) => {
      const [bundled, other] = backend.models.models;
      if (bundled === undefined || other === undefined) throw new Error("there are two");
      const missing =
        "cannot find the multilingual embedding model; run `cargo xtask setup --model multilingual`";
      backend.models = { ...backend.models, models: [bundled, { ...other, file_bytes: null, missing }] };
    });
    expect(section.getByRole("button", { name: `Use ${MULTILINGUAL}` })).toBeDisabled();
    expect(
      section.getByText(/Not available: Cannot find the multilingual embedding model/),
    ).toBeInTheDocument();
  });

  test("are offered where many notes are in other languages", async () => {
    const { section } = await open((backend) => {
      backend.models = { ...backend.models, foreign: { n_foreign: 12, n_seen: 40 } };
    });
    expect(section.getByText(/12 of 40 notes are probably not in English/)).toBeInTheDocument();
  });

  test("cannot be changed while another process writes", async () => {
    const { section } = await open(undefined, {
      state: { read_only: "memlens index (process 4711) is writing" },
    });
    expect(section.getByRole("button", { name: `Use ${MULTILINGUAL}` })).toBeDisabled();
  });
});

describe("a change", () => {
  test("is asked for with the number of texts and the time, and Cancel keeps the model", async () => {
    const { backend, user, section } = await open();
    await user.click(section.getByRole("button", { name: `Use ${MULTILINGUAL}` }));
    const dialog = within(
      await screen.findByRole("alertdialog", { name: `Search your notes by ${MULTILINGUAL}?` }),
    );
    expect(
      await dialog.findByText(
        /1,240 texts of 1,240 in .* are embedded by this model\. On this machine this takes about 2 min, judging by 8 texts just now\./,
      ),
    ).toBeInTheDocument();
    await user.click(dialog.getByRole("button", { name: "Cancel" }));
    await waitFor(() => expect(screen.queryByRole("alertdialog")).toBeNull());
    expect(backend.nCalls("chooseEmbeddingModel")).toBe(0);
  });

  test("says that nothing is embedded again where vectors are there, or that the time is not known", async () => {
    const { backend, user, section } = await open();
    backend.plan = { n_texts: 1240, n_missing: 0, seconds: 0, n_measured: 0 };
    await user.click(section.getByRole("button", { name: `Use ${MULTILINGUAL}` }));
    expect(await screen.findByText(/Nothing is embedded again/)).toBeInTheDocument();
    await user.keyboard("{Escape}");
    backend.failing.planEmbeddingModel = { code: "error", message: "cannot load model: no memory" };
    await user.click(section.getByRole("button", { name: `Use ${MULTILINGUAL}` }));
    expect(
      await screen.findByText(/How long this takes is not known: Cannot load model: no memory/),
    ).toBeInTheDocument();
  });

  test("shows its progress, and is cancelled by choosing the model in use", async () => {
    const { backend, user, section } = await open();
    await user.click(section.getByRole("button", { name: `Use ${MULTILINGUAL}` }));
    await user.click(within(await screen.findByRole("alertdialog")).getByRole("button", { name: "Use it" }));
    expect(await section.findByText(/310 of 1,240 texts, about 2 min left/)).toBeInTheDocument();
    expect(
      section.getByText(/Until it is done, your notes are searched by all-MiniLM-L6-v2/),
    ).toBeInTheDocument();
    expect(section.getByRole("progressbar")).toHaveAttribute("aria-valuenow", "25");
    await user.click(section.getByRole("button", { name: "Cancel the change of the model" }));
    await waitFor(() => expect(section.queryByRole("progressbar")).toBeNull());
    const calls = backend.calls.filter(({ name }) => name === "chooseEmbeddingModel");
    expect(calls.map(({ args }) => args)).toEqual([["multilingual"], ["bundled"]]);
  });

  test("that waits or failed says why", async () => {
    const { backend, section, user } = await open();
    const changing = {
      ...{ model: "multilingual", model_name: MULTILINGUAL, n_done: 3, n_total: 4 },
      ...{ seconds_left: null, waits_for: "a.md cannot be read: permission denied" },
    };
    backend.changeState({ changing, change_failed: "cannot save embeddings: the disk is full" });
    expect(await section.findByText(/It waits: a\.md cannot be read: permission denied/)).toBeInTheDocument();
    expect(
      section.getByText(/The change stopped, and is tried again: Cannot save embeddings/),
    ).toBeInTheDocument();
    expect(section.queryByRole("button", { name: "Try again" })).toBeNull();
    backend.changeState({ changing: null, change_failed: "cannot find the multilingual embedding model" });
    await user.click(await section.findByRole("button", { name: "Try again" }));
    expect(backend.nCalls("chooseEmbeddingModel")).toBe(1);
  });
});

test("vectors of another model are deleted after a question", async () => {
  const { backend, user, section } = await open((it) => {
    const others = [{ id: "old-model@1", n_vectors: 900, vector_bytes: 1_382_400, is_in_use: false }];
    it.models = { ...it.models, others };
  });
  await user.click(section.getByRole("button", { name: "Delete the vectors of old-model@1" }));
  const dialog = within(
    await screen.findByRole("alertdialog", { name: "Delete the vectors of old-model@1?" }),
  );
  expect(dialog.getByText(/900 vectors are deleted\. Searches do not change\./)).toBeInTheDocument();
  await user.click(dialog.getByRole("button", { name: "Delete" }));
  await waitFor(() => expect(section.queryByText("old-model@1")).toBeNull());
  expect(backend.calls.find(({ name }) => name === "forgetVectors")?.args).toEqual(["old-model@1"]);
});

test("a folder with a model is added, shown with its path, and removed", async () => {
  const { backend, user, section } = await open();
  await user.click(section.getByRole("button", { name: "Add a model folder…" }));
  expect(await section.findByText("/home/robin/models/mine")).toBeInTheDocument();
  expect(section.getByText(/512 values a vector/)).toBeInTheDocument();
  await user.click(section.getByRole("button", { name: "Remove mine" }));
  const dialog = within(await screen.findByRole("alertdialog", { name: "Remove mine?" }));
  expect(dialog.getByText(/The folder itself is not touched\./)).toBeInTheDocument();
  await user.click(dialog.getByRole("button", { name: "Remove" }));
  await waitFor(() => expect(section.queryByText("/home/robin/models/mine")).toBeNull());
  backend.failing.addEmbeddingFolder = {
    code: "error",
    message: "cannot use the embedding model in /x: tokenizer.json is missing",
  };
  await user.click(section.getByRole("button", { name: "Add a model folder…" }));
  expect(await section.findByRole("alert")).toHaveTextContent(/tokenizer\.json is missing/);
});

describe("a model to download", () => {
  const NAME = TO_DOWNLOAD.name;

  async function openWith(change: Partial<ModelDownload> = {}) {
    const opened = await open((backend) => {
      const model = { ...TO_DOWNLOAD, download: { ...DOWNLOAD, ...change } };
      backend.models = { ...backend.models, models: [...backend.models.models, model] };
    });
    await opened.user.click(opened.section.getByText("1 more model to download"));
    return opened;
  }

  test("is listed with its source, size, licence and what is known of its checksums", async () => {
    const { section, container } = await openWith();
    const list = within(section.getByRole("list", { name: "Models to download" }));
    expect(list.getByText(/Languages: English\. Licence MIT, by BAAI\. Files: about 67 MB\./)).toBeVisible();
    expect(
      list.getByText(
        /Downloads from huggingface\.co\/Qdrant\/bge-small-en-v1\.5-onnx-Q\. Its checksums are known\./,
      ),
    ).toBeVisible();
    expect(list.queryByText(/Not available/)).toBeNull();
    expect(await violations(container)).toEqual([]);
  });

  test("says that no checksum is known", async () => {
    const { section } = await openWith({ is_pinned: false });
    expect(section.getByText(/No checksum is known: that of the first download is kept/)).toBeVisible();
  });

  test("is downloaded with progress, cancelled, resumed, and then used", async () => {
    const { backend, user, section } = await openWith();
    await user.click(section.getByRole("button", { name: `Download ${NAME}` }));
    backend.progress({ job: "download", progress: { ...downloadAt(NAME, 0.25), total_bytes: 67_000_000 } });
    expect(await section.findByRole("progressbar", { name: `Download of ${NAME}` })).toBeVisible();
    await user.click(section.getByRole("button", { name: `Cancel the download of ${NAME}` }));
    expect(backend.nStops("download")).toBe(1);
    backend.progress({
      job: "download",
      progress: { ...downloadAt(NAME, 0.25), cancelled: true, finished: true },
    });
    await user.click(await section.findByRole("button", { name: `Resume the download of ${NAME}` }));
    expect(
      backend.calls.filter(({ name }) => name === "downloadEmbeddingModel").map(({ args }) => args),
    ).toEqual([[NAME], [NAME]]);
    backend.modelCame(NAME);
    backend.progress({ job: "download", progress: { ...downloadAt(NAME, 1), finished: true } });
    await user.click(await section.findByRole("button", { name: `Use ${NAME}` }));
    expect(
      await screen.findByRole("alertdialog", { name: `Search your notes by ${NAME}?` }),
    ).toBeInTheDocument();
  });

  test("says why a download failed, and is tried again", async () => {
    const { backend, user, section } = await openWith();
    await user.click(section.getByRole("button", { name: `Download ${NAME}` }));
    const error = `cannot download ${NAME}: model_optimized.onnx has the sha256 0, and not 1, which is known for it`;
    backend.progress({ job: "download", progress: { ...downloadAt(NAME, 0), error, finished: true } });
    expect(await section.findByText(/which is known for it/)).toBeVisible();
    expect(section.getByRole("button", { name: `Download ${NAME}` })).toBeEnabled();
  });

  test("cannot be downloaded while downloads are off, and says so", async () => {
    const blocked = "downloads are switched off by the variable HF_HUB_OFFLINE";
    const { section } = await openWith({ blocked });
    expect(section.getByRole("button", { name: `Download ${NAME}` })).toBeDisabled();
    expect(
      section.getByText(/Not available: Downloads are switched off by the variable HF_HUB_OFFLINE/),
    ).toBeVisible();
  });

  test("is removed with its files", async () => {
    const { backend, user, section } = await open((it) => {
      const download = { ...DOWNLOAD, is_there: true };
      const model = { ...TO_DOWNLOAD, missing: null, download, n_vectors: 3, vector_bytes: 4608 };
      it.models = { ...it.models, models: [...it.models.models, model] };
    });
    await user.click(section.getByRole("button", { name: `Remove ${NAME}` }));
    const dialog = within(await screen.findByRole("alertdialog", { name: `Remove ${NAME}?` }));
    expect(
      dialog.getByText(/3 vectors are deleted\. .*The downloaded files are deleted, too\./),
    ).toBeVisible();
    await user.click(dialog.getByRole("button", { name: "Remove" }));
    await waitFor(() => expect(backend.nCalls("forgetVectors")).toBe(1));
  });
});
