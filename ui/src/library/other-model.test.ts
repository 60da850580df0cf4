// The offer of a model for other languages: when it is made, what it says, and that it stays closed.
import { render, screen, waitFor, within } from "@testing-library/svelte";
import { beforeEach, expect, test } from "vitest";
import { violations } from "../../tests/axe";
import { LibraryBackend } from "../../tests/fake/library";
import { setupUser } from "../../tests/user";
import App from "../App.svelte";
import { Workspace, workspaceContext } from "../workspace.svelte";
import { OtherModelOffer } from "./other-model.svelte";

const FOREIGN = { n_foreign: 12, n_seen: 40 };

beforeEach(() => localStorage.clear());

async function offered(change: (backend: LibraryBackend) => void = () => undefined) {
  const backend = new LibraryBackend();
  backend.models = { ...backend.models, foreign: FOREIGN };
  change(backend);
  const offer = new OtherModelOffer(backend);
  await offer.look();
  return offer;
}

test("it names the notes, the model, its size and the time", async () => {
  const offer = await offered();
  expect(offer.text).toBe(
    "12 of 40 notes are probably not in English. all-MiniLM-L6-v2, 8 bits knows only English: of these notes, only exact words count. multilingual-e5-small, 4 bits (75 MB) knows other languages, too. Embedding your notes by it takes about 2 min; meanwhile they are searched as now.",
  );
});

test("files that are not there are not measured", async () => {
  const backend = new LibraryBackend();
  const models = backend.models.models.map((model) =>
    model.name === "multilingual" ? { ...model, missing: "cannot find it" } : model,
  );
  backend.models = { ...backend.models, models, foreign: FOREIGN };
  const offer = new OtherModelOffer(backend);
  await offer.look();
  expect(offer.text).toContain("(75 MB) knows other languages, too. Its files are not on this machine yet");
  expect(backend.calls.filter(({ name }) => name === "planEmbeddingModel")).toEqual([]);
});

test.each([
  ["few notes are in other languages", { is_in_use: false, is_chosen: false }, null],
  ["it is in use", { is_in_use: true, is_chosen: true }, FOREIGN],
  ["it is chosen, and notes are being embedded", { is_in_use: false, is_chosen: true }, FOREIGN],
])("it is not made when %s", async (_, state, foreign) => {
  const offer = await offered((backend) => {
    const models = backend.models.models.map((model) =>
      model.name === "multilingual" ? { ...model, ...state } : model,
    );
    backend.models = { ...backend.models, models, foreign };
  });
  expect(offer.text).toBeNull();
  expect(offer.foreign).toBeNull();
});

test("it stays closed, in a later start too", async () => {
  const offer = await offered();
  offer.close();
  expect(offer.text).toBeNull();
  expect((await offered()).text).toBeNull();
});

test("the notice leads to the models in one click, and Close hides it", async () => {
  const backend = new LibraryBackend();
  backend.models = { ...backend.models, foreign: FOREIGN };
  const user = setupUser();
  const { container } = render(App, { context: workspaceContext(new Workspace(backend)) });
  const text = /12 of 40 notes are probably not in English/;
  await screen.findByText(text);
  expect(await violations(container)).toEqual([]);
  await user.click(screen.getByRole("button", { name: "Choose a model…" }));
  const section = within(await screen.findByRole("region", { name: "Embedding" }));
  expect(await section.findByText(text)).toBeInTheDocument();
  await user.click(screen.getByRole("button", { name: /^Search/ }));
  await user.click(await screen.findByRole("button", { name: "Close" }));
  await waitFor(() => expect(screen.queryByText(text)).toBeNull());
});
