// The Serve section as the user sees it: what is entered where, connecting, disconnecting, and a test call.
import { render, screen, waitFor, within } from "@testing-library/svelte";
import { describe, expect, test } from "vitest";
import { violations } from "../../tests/axe";
import { chooseOption } from "../../tests/choose-option";
import { LibraryBackend, type LibraryOptions } from "../../tests/fake/library";
import { setupUser } from "../../tests/user";
import App from "../App.svelte";
import { DEFAULTS } from "../api/parameters";
import { Workspace, workspaceContext } from "../workspace.svelte";

async function open(options: LibraryOptions = {}, prepare: (backend: LibraryBackend) => void = () => {}) {
  const backend = new LibraryBackend(options);
  prepare(backend);
  const workspace = new Workspace(backend);
  workspace.show("settings");
  const user = setupUser();
  const { container } = render(App, { context: workspaceContext(workspace) });
  await waitFor(() => expect(document.documentElement.dataset["ready"]).toBe("true"));
  const section = within(await screen.findByRole("region", { name: "Serve" }));
  return { backend, workspace, user, container, section };
}

type Opened = Awaited<ReturnType<typeof open>>;

async function connect({ user, section }: Opened) {
  await user.click(await section.findByRole("button", { name: "Connect: Claude Code" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Connect Claude Code" }));
  await dialog.findByRole("region", { name: "What changes in the config" });
  return dialog;
}

/** Connects, and waits until the page can be used again. */
async function connected(opened: Opened) {
  await opened.user.click((await connect(opened)).getByRole("button", { name: "Connect…" }));
  await isClosed();
}

async function isClosed() {
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
}

describe("connecting", () => {
  test("shows the change, and writes what was shown", async () => {
    const opened = await open();
    const { backend, user, section } = opened;
    const dialog = await connect(opened);
    expect(dialog.getByText("~/.claude.json")).toBeInTheDocument();
    expect(dialog.getByText(/A backup is saved next to it/)).toBeInTheDocument();
    expect(dialog.getByRole("radio", { name: /Its own watched folders/ })).toBeChecked();
    expect(backend.nCalls("toolServerWrite")).toBe(0);
    await user.click(dialog.getByRole("button", { name: "Connect…" }));
    expect(await section.findByText("connected")).toBeInTheDocument();
    expect(section.getByText(/serve --mcp --agent claude-code/)).toBeInTheDocument();
    expect(section.getByText("Searches memory.")).toBeInTheDocument();
    expect(section.getByText(/sessions that begin from now on/)).toBeInTheDocument();
    await isClosed();
  });

  test("serves all folders and ranks by a preset, if the user chooses so", async () => {
    const opened = await open(
      {},
      (backend) => void backend.presetSave("mine", { ...DEFAULTS, rerank: "http" }),
    );
    const { backend, user, section } = opened;
    const dialog = await connect(opened);
    expect(dialog.queryByText(/reranks by a provider/)).toBeNull();
    await user.click(dialog.getByRole("radio", { name: /All watched folders/ }));
    await chooseOption(user, dialog.getByRole("combobox", { name: "Ranking" }), "mine");
    expect(await dialog.findByText(/reranks by a provider/)).toBeInTheDocument();
    expect(backend.calls.findLast(({ name }) => name === "toolServerChange")?.args).toEqual([
      "claude-code",
      { all_folders: true, preset: "mine" },
    ]);
    await user.click(dialog.getByRole("button", { name: "Connect…" }));
    expect(
      await section.findByText("Searches all watched folders, ranked by the preset mine."),
    ).toBeInTheDocument();
  });

  test("starts with all folders for an agent of which none is watched", async () => {
    const { user, section } = await open();
    await user.click(await section.findByRole("button", { name: "Connect: Codex" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Connect Codex" }));
    expect(dialog.getByRole("radio", { name: /Its own watched folders/ })).toBeDisabled();
    expect(dialog.getByRole("radio", { name: /All watched folders/ })).toBeChecked();
  });

  test("that is refused says why, and nothing else is written", async () => {
    const opened = await open();
    const { backend, user, section } = opened;
    backend.failing.toolServerWrite = { code: "error", message: "it has changed since it was read" };
    const dialog = await connect(opened);
    await user.click(dialog.getByRole("button", { name: "Connect…" }));
    expect(await dialog.findByRole("alert")).toHaveTextContent("It has changed since it was read.");
    expect(section.queryByText("connected")).toBeNull();
  });

  test("cannot be done while the config cannot be changed", async () => {
    const { backend, user, section } = await open();
    backend.failing.toolServerChange = { code: "error", message: "cannot use ~/.claude.json: it is a link" };
    await user.click(await section.findByRole("button", { name: "Connect: Claude Code" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Connect Claude Code" }));
    expect(await dialog.findByRole("alert")).toHaveTextContent("it is a link");
    expect(dialog.getByRole("button", { name: "Connect…" })).toBeDisabled();
  });
});

test("disconnecting removes the entry", async () => {
  const opened = await open();
  const { user, section } = opened;
  await connected(opened);
  await user.click(await section.findByRole("button", { name: "Disconnect: Claude Code" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Disconnect Claude Code" }));
  expect(dialog.queryByRole("radio")).toBeNull();
  await dialog.findByRole("region", { name: "What changes in the config" });
  await user.click(dialog.getByRole("button", { name: "Disconnect…" }));
  expect(await section.findByRole("button", { name: "Connect: Claude Code" })).toBeInTheDocument();
  expect(section.getByText(/Removed from/)).toBeInTheDocument();
});

test("an entry that would not change cannot be written again", async () => {
  const opened = await open();
  const { user, section } = opened;
  await connected(opened);
  await user.click(await section.findByRole("button", { name: "Change: Claude Code" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Connect Claude Code" }));
  expect(await dialog.findByText(/It has this entry already/)).toBeInTheDocument();
  expect(dialog.getByRole("button", { name: "Connect…" })).toBeDisabled();
});

test("each state of a config is named, and what Memlens did not write offers no button", async () => {
  const { section } = await open({}, ({ serving }) => {
    serving.servers = serving.servers.map((server) =>
      server.agent === "codex"
        ? { ...server, state: { kind: "unreadable", why: "line 3, column 1: no key" } }
        : server,
    );
  });
  expect(await section.findByText("not connected")).toBeInTheDocument();
  expect(section.getByText("config unreadable")).toBeInTheDocument();
  expect(section.getByText("Line 3, column 1: no key.")).toBeInTheDocument();
  expect(section.getByText("other command entered")).toBeInTheDocument();
  expect(section.getByText(/\/opt\/theirs/)).toBeInTheDocument();
  expect(section.getByText(/Not found: Gemini CLI/)).toBeInTheDocument();
  for (const name of ["Codex", "OpenClaw", "Gemini CLI"])
    expect(section.queryByRole("button", { name: new RegExp(`: ${name}$`) })).toBeNull();
});

describe("a test call", () => {
  test("shows what the agent would get", async () => {
    const opened = await open();
    const { backend, user, section } = opened;
    expect(section.queryByRole("textbox")).toBeNull();
    await connected(opened);
    const question = await section.findByRole("textbox", { name: "Question of the test call" });
    await user.clear(question);
    expect(section.getByRole("button", { name: "Test call: Claude Code" })).toBeDisabled();
    await user.type(question, "the router");
    await user.click(section.getByRole("button", { name: "Test call: Claude Code" }));
    expect(await section.findByText(/offers 2 tools: memory_search, memory_get/)).toBeInTheDocument();
    expect(
      within(section.getByRole("list", { name: "Results of the test call" })).getByText(
        /home\/router\.md:2–4/,
      ),
    ).toBeInTheDocument();
    expect(backend.calls.find(({ name }) => name === "testToolServer")?.args).toEqual([
      "claude-code",
      "the router",
    ]);
  });

  test("that fails says why", async () => {
    const opened = await open();
    const { backend, user, section } = opened;
    await connected(opened);
    const failed = {
      ...backend.serving.test("claude-code", "x"),
      error: "it ended before it answered initialize",
    };
    backend.serving.test = () => ({ ...failed, start_ms: null, search_ms: null, results: [] });
    await user.click(await section.findByRole("button", { name: "Test call: Claude Code" }));
    expect(await section.findByRole("alert")).toHaveTextContent("It ended before it answered initialize.");
    expect(section.queryByText(/offers/)).toBeNull();
  });
});

describe("recording", () => {
  test("is off, and asks before it begins", async () => {
    const { backend, user, section } = await open();
    const box = await section.findByRole("checkbox", { name: /Record what connected agents ask/ });
    expect(box).not.toBeChecked();
    await user.click(box);
    await waitFor(() => expect(backend.past.logs().records_calls).toBe(true));
    expect(box).toBeChecked();
    await user.click(box);
    await waitFor(() => expect(backend.past.logs().records_calls).toBe(false));
    expect(backend.calls.filter(({ name }) => name === "recordCalls").map(({ args }) => args)).toEqual([
      [true],
      [false],
    ]);
  });

  test("stays off if the user does not agree", async () => {
    const { backend, user, section } = await open();
    backend.recordCalls = () => Promise.resolve(null);
    const box = await section.findByRole("checkbox", { name: /Record what connected agents ask/ });
    await user.click(box);
    await waitFor(() => expect(box).not.toBeChecked());
  });
});

test("a call that Memlens served appears while Past questions are open, and its trace is asked where it was", async () => {
  const { backend, workspace, user } = await open({ past: "read" });
  workspace.show("past");
  await screen.findByRole("grid", { name: "Past questions" });
  expect(screen.queryByText("served by Memlens")).toBeNull();
  backend.past.serve("where is the attic key");
  backend.changeState({ data_bytes: 7 });
  await waitFor(() => expect(workspace.past.rowAt(0)?.question).toBe("where is the attic key"));
  workspace.past.openAmongAll("s1");
  expect(await screen.findByText(/served by Memlens to clerk-code/)).toBeInTheDocument();
  await user.click(await screen.findByRole("button", { name: /Open trace/ }));
  await waitFor(() => expect(workspace.view).toBe("search"));
  expect(workspace.search.scope).toMatchObject({ kind: "folder", folder: "notes", path: "house" });
});

test("an assistive tool finds nothing wrong, with and without the dialog", async () => {
  const opened = await open();
  expect(await violations(opened.container)).toEqual([]);
  await connect(opened);
  expect(await violations(await screen.findByRole("dialog"))).toEqual([]);
});
