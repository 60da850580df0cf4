// The Export view as the user sees it: what differs, the text, saving, and reading back.
import { render, screen, waitFor, within } from "@testing-library/svelte";
import { afterEach, describe, expect, test, vi } from "vitest";
import { violations } from "../../tests/axe";
import { LibraryBackend, type LibraryOptions } from "../../tests/fake/library";
import { setupUser } from "../../tests/user";
import type { Params } from "../api/bindings";
import { DEFAULTS } from "../api/parameters";
import App from "../App.svelte";
import { Workspace, workspaceContext } from "../workspace.svelte";

async function open(
  change: Partial<Params> = {},
  options: LibraryOptions = {},
  prepare: (backend: LibraryBackend) => void = () => {},
) {
  const backend = new LibraryBackend(options);
  prepare(backend);
  const workspace = new Workspace(backend);
  workspace.parameters.replace({ ...DEFAULTS, ...change });
  workspace.show("export");
  const user = setupUser();
  const { container } = render(App, { context: workspaceContext(workspace) });
  await waitFor(() => expect(document.documentElement.dataset["ready"]).toBe("true"));
  await waitFor(() => expect(backend.nCalls("exportText")).toBeGreaterThan(0));
  return { backend, workspace, user, container };
}

const rows = (name: string) =>
  within(screen.getByRole("table", { name }))
    .getAllByRole("row")
    .slice(1)
    .map((row) => [...row.children].map((cell) => cell.textContent?.replace(/\s+/g, " ").trim()).join(" | "));
const DIFFERS = "Values that differ from the defaults";

afterEach(() => vi.unstubAllGlobals());

describe("the table", () => {
  test("names stage, parameter, id, default, value and when it takes effect", async () => {
    await open({ fusion: "rrf", budget_tokens: 4_000 });
    expect(rows(DIFFERS)).toEqual([
      "Fusion | Method fusion | calibrated | → | rrf | at once",
      "Budget | Tokens budget_tokens | off | → | 4000 | at once",
    ]);
  });

  test("is empty at the defaults, and says so", async () => {
    await open();
    expect(screen.getByText(/Every value is at its default/)).toBeInTheDocument();
    expect(screen.queryByRole("table")).toBeNull();
  });

  test("is followed, at the defaults, by what is worth exporting", async () => {
    const params = { ...DEFAULTS, max_results: 3 };
    const preset = { name: "p".repeat(200), params, notes: [], is_built_in: false };
    const { workspace, user, container } = await open({}, { presets: [preset] });
    const worth = within(screen.getByRole("region", { name: "Worth exporting" }));
    expect(await violations(container)).toEqual([]);
    await user.click(worth.getByRole("button", { name: `Use the preset ${"p".repeat(200)}` }));
    expect(workspace.parameters.committed.max_results).toBe(3);
    await waitFor(() => expect(rows(DIFFERS)[0]).toContain("max_results"));
    expect(screen.queryByRole("region", { name: "Worth exporting" })).toBeNull();
  });
});

describe("the text", () => {
  test("is numbered, and marks the lines of changed values", async () => {
    const { container } = await open({ fusion_k: 20 });
    const marked = await waitFor(() => {
      const lines = [...container.querySelectorAll(".line.changed")];
      expect(lines).toHaveLength(1);
      return lines[0];
    });
    expect(marked).toHaveTextContent('"fusion_k": 20');
    expect(Number(marked?.getAttribute("data-no"))).toBeGreaterThan(1);
  });

  test("goes to the clipboard as it stands", async () => {
    const { user, backend } = await open({ fusion_k: 20 });
    await user.click(screen.getByRole("button", { name: "Copy" }));
    expect(await navigator.clipboard.readText()).toBe(
      await backend.exportText({ ...DEFAULTS, fusion_k: 20 }),
    );
    expect(screen.getByText(/copied to the clipboard/)).toBeInTheDocument();
  });

  test("that cannot be copied says so", async () => {
    const { user } = await open();
    vi.spyOn(navigator.clipboard, "writeText").mockRejectedValue(new Error("refused"));
    await user.click(screen.getByRole("button", { name: "Copy" }));
    expect(await screen.findByRole("alert")).toHaveTextContent("Cannot copy the text.");
  });

  test("that the engine refuses says why, and cannot be saved", async () => {
    await open({}, {}, (backend) => {
      backend.failing.exportText = { code: "invalid", message: "vector_weight and text_weight are both 0" };
    });
    expect(await screen.findByRole("alert")).toHaveTextContent("vector_weight and text_weight are both 0.");
    expect(screen.getByRole("button", { name: "Save…" })).toBeDisabled();
    expect(screen.getByRole("button", { name: "Copy" })).toBeDisabled();
  });
});

describe("saving", () => {
  test("reads the file again and says that it holds the same values", async () => {
    const { user, backend } = await open({ fusion_k: 20 });
    await user.click(screen.getByRole("button", { name: "Save…" }));
    expect(await screen.findByText(/Read back to check: all \d+ values match/)).toBeInTheDocument();
    expect(screen.getByText("/home/robin/memlens.json")).toBeInTheDocument();
    expect(backend.nCalls("presetRead")).toBe(1);
  });

  test("says when the file holds something else", async () => {
    const { user, backend } = await open({ fusion_k: 20 });
    vi.spyOn(backend, "presetRead").mockResolvedValue({
      name: "x",
      params: { ...DEFAULTS, fusion_k: 21 },
      notes: [],
      is_built_in: false,
    });
    await user.click(screen.getByRole("button", { name: "Save…" }));
    expect(await screen.findByRole("alert")).toHaveTextContent("1 value read from it differs");
    expect(screen.queryByText(/values match/)).toBeNull();
  });

  test("that is cancelled says nothing; that fails says why", async () => {
    const { user, backend } = await open();
    vi.spyOn(backend, "exportSave").mockResolvedValueOnce(null);
    await user.click(screen.getByRole("button", { name: "Save…" }));
    expect(screen.queryByText(/Saved to/)).toBeNull();
    vi.spyOn(backend, "exportSave").mockRejectedValueOnce({
      code: "io",
      message: "cannot write /x: read-only file system",
    });
    await user.click(screen.getByRole("button", { name: "Save…" }));
    expect(await screen.findByRole("alert")).toHaveTextContent("Cannot write /x: read-only file system.");
  });
});

describe("reading back", () => {
  test("shows what the file would change and its notes, and applies it to the sliders", async () => {
    const { user, workspace } = await open(
      { min_score: 0.4 },
      {
        preset: {
          name: "night.json",
          params: { ...DEFAULTS, fusion_k: 20 },
          notes: ["“x” is not known"],
          is_built_in: false,
        },
      },
    );
    await user.click(screen.getByRole("button", { name: "Open file…" }));
    await screen.findByRole("heading", { name: "Opened: night.json" });
    expect(screen.getByText("“x” is not known.")).toBeInTheDocument();
    const changes = rows("Values in the file that differ from the sliders");
    expect(changes).toHaveLength(2);
    expect(workspace.parameters.current.fusion_k).toBe(DEFAULTS.fusion_k);
    await user.click(screen.getByRole("button", { name: "Apply to the sliders" }));
    expect(workspace.parameters.current).toEqual({ ...DEFAULTS, fusion_k: 20 });
    expect(screen.getByText(/sliders now match “night.json”/)).toBeInTheDocument();
    workspace.parameters.undo();
    expect(workspace.parameters.current.min_score).toBe(0.4);
  });

  test("of the same values has nothing to apply", async () => {
    const { user } = await open(
      {},
      { preset: { name: "same.json", params: DEFAULTS, notes: [], is_built_in: false } },
    );
    await user.click(screen.getByRole("button", { name: "Open file…" }));
    expect(await screen.findByRole("button", { name: "Apply to the sliders" })).toBeDisabled();
    await user.click(screen.getByRole("button", { name: "Close" }));
    expect(screen.queryByRole("heading", { name: /^Opened:/ })).toBeNull();
  });

  test("that is cancelled changes nothing; that fails names the key", async () => {
    const { user, backend } = await open({}, { preset: null });
    await user.click(screen.getByRole("button", { name: "Open file…" }));
    expect(screen.queryByRole("heading", { name: /^Opened:/ })).toBeNull();
    backend.failing.presetOpen = { code: "preset", message: "fusion_k: 900 is not in 1 to 200" };
    await user.click(screen.getByRole("button", { name: "Open file…" }));
    expect(await screen.findByRole("alert")).toHaveTextContent("fusion_k: 900 is not in 1 to 200.");
  });
});

test("an assistive tool finds nothing wrong", async () => {
  const { user, container } = await open({ fusion_k: 20, chunk_chars: 2_000 });
  await user.click(screen.getByRole("button", { name: "Open file…" }));
  await screen.findByRole("heading", { name: /^Opened:/ });
  expect(await violations(container)).toEqual([]);
});
