// The Past questions view as the user sees it: logs that are not read, the list, an answer then and now, a replay.
import { fireEvent, render, screen, waitFor, within } from "@testing-library/svelte";
import { expect, test } from "vitest";
import { violations } from "../../tests/axe";
import { CLERK } from "../../tests/fake/agent-pipeline";
import { FakeBackend, type FakeOptions } from "../../tests/fake-backend";
import { layOut } from "../../tests/layout";
import { chooseOption } from "../../tests/choose-option";
import { setupUser } from "../../tests/user";
import App from "../App.svelte";
import { Workspace, workspaceContext } from "../workspace.svelte";

layOut();

async function open(options: FakeOptions = {}) {
  const backend = new FakeBackend({ nChunks: 60, pipelines: [CLERK], past: "replayed", ...options });
  const workspace = new Workspace(backend);
  const user = setupUser();
  const { container } = render(App, { context: workspaceContext(workspace) });
  await waitFor(() => expect(document.documentElement.dataset["ready"]).toBe("true"));
  await user.click(screen.getByRole("button", { name: "Past questions" }));
  return { backend, workspace, user, container };
}

const grid = () => screen.findByRole("grid", { name: "Past questions" });
const rowOf = async (question: string) =>
  within(await grid())
    .getByText(question)
    .closest<HTMLElement>("[role=row]") as HTMLElement;
const panel = () => within(screen.getByRole("complementary", { name: "Then and now" }));
const argsOf = (backend: FakeBackend, name: "thenNow" | "replayPast" | "pastQuestions") =>
  backend.calls.filter((call) => call.name === name).map(({ args }) => args);

test("questions stand under their days, each with what came of it and what the agent did", async () => {
  const { container } = await open();
  const list = within(await grid());
  expect(list.getByText("Today")).toBeInTheDocument();
  expect(list.getByText("5 questions, 2 changed")).toBeInTheDocument();
  const row = await rowOf("does the push relay work when the internet is gone");
  expect(row).toHaveTextContent("22:14");
  expect(row).toHaveTextContent("opened reference/home-server.md:23–27");
  expect(row).toHaveTextContent("1 kept, 3 moved, 2 gone, 1 new");
  expect(row.querySelectorAll("svg")).toHaveLength(7);
  expect(await rowOf("why is streaming stuck")).toHaveTextContent(/found nothing\s*still nothing/);
  expect(await rowOf("how long to wait after restarting the router")).toHaveTextContent("no answer logged");
  expect(await rowOf("what does Signe eat before a flight")).toHaveTextContent("health-and-food.md:9–12");
  expect(await violations(container)).toEqual([]);
});

test("the opened question shows its answer then and now, why they differ, and what the agent used", async () => {
  const { user, container, workspace } = await open();
  await user.click(await rowOf("does the push relay work when the internet is gone"));
  expect(await panel().findByText("as logged, 6 results")).toBeInTheDocument();
  expect(panel().getByText("today’s notes, 5 results")).toBeInTheDocument();
  const now = within(panel().getByRole("list", { name: "Now" }));
  expect(now.getByRole("button", { name: /fell by 1: .*chunk is 2 lines longer/ })).toBeInTheDocument();
  expect(now.getAllByText("entry deleted today 07:50", { exact: false })).toHaveLength(2);
  expect(panel().getByText(/maxResults 6, minScore 0.35/)).toBeInTheDocument();
  expect(panel().getByText(/so this note counts as relevant/)).toBeInTheDocument();
  // The texts of then and now, and each note with its folder.
  expect(panel().getAllByText("Streaming needs the relay on port 8093.")).toHaveLength(2);
  expect(now.getAllByTitle(/^notes\/reference\//).length).toBeGreaterThan(0);
  expect(
    container.querySelectorAll("aside path.fell, aside path.rose, aside path.gone").length,
  ).toBeGreaterThan(4);
  expect(await violations(container)).toEqual([]);
  await user.click(panel().getByRole("button", { name: "connection dead, what now" }));
  expect(await panel().findByRole("heading", { name: "connection dead, what now" })).toBeInTheDocument();
  await user.click(
    (await within(panel().getByRole("list", { name: "Now" })).findAllByRole("button"))[0] as HTMLElement,
  );
  expect(workspace.view).toBe("memory");
});

test("a served call that gives the same results is no warning, and one that gives others is", async () => {
  const { backend, user } = await open();
  const answer = backend.past.thenNow("p7", null);
  for (const is_same of [true, false]) {
    const said = `Asked again by the ranking that answered it, it gives ${is_same ? "the same" : "other"} results`;
    backend.thenNow = () => Promise.resolve({ ...answer, asked_again: { is_same, sentence: said } });
    await user.click(await rowOf("does the push relay work when the internet is gone"));
    const note = (await panel().findByText(`${said}.`)).closest(".note");
    expect(note?.querySelector("svg") === null).toBe(is_same);
    await user.click(await rowOf("which port does the photo library use"));
  }
});

test("what cannot be compared says why, and claims nothing of its results", async () => {
  const { backend, user, container } = await open();
  const answer = backend.past.thenNow("p7", null);
  const then = answer.then.map((result) => ({ ...result, fate: null }));
  const now = answer.now.map((result) => ({ ...result, fate: null, moved: 0, why: "" }));
  const why = "cannot be compared: Iris’s own search is not emulated";
  backend.thenNow = () => Promise.resolve({ ...answer, then, now, not_compared: why });
  await user.click(await rowOf("does the push relay work when the internet is gone"));
  expect(await panel().findByText(/These answers cannot be compared: Iris’s own search/)).toBeInTheDocument();
  expect(panel().getByText(/Lines join what both found\. Why places differ is not known\./)).toBeVisible();
  const lists = panel().getByRole("list", { name: "Now" }).closest(".both");
  expect(lists?.textContent).not.toMatch(/new|gone|kept|rose|fell|▲|▽/);
  expect(panel().queryByText("kept")).toBeNull();
  expect(container.querySelectorAll("aside path.gone, aside path.new, aside path.rose")).toHaveLength(0);
  // Results that both have are still joined.
  expect(container.querySelectorAll("aside .both path").length).toBeGreaterThan(0);
  expect(await violations(container)).toEqual([]);
});

test("a replay that can compare nothing gives no figure of change", async () => {
  const { backend, user } = await open({ past: "read" });
  backend.past.nCompared = 0;
  await rowOf("when is the next restore test");
  await user.click(screen.getByRole("button", { name: "Replay" }));
  const strip = within(await screen.findByRole("region", { name: "Last replay" }));
  expect(strip.getByText("none can be compared")).toBeInTheDocument();
  expect(screen.getByRole("button", { name: "Changed" })).toBeDisabled();
});

test("an opening without a search is listed, filtered and shown, and is never asked again", async () => {
  const { backend, user, container, workspace } = await open();
  backend.openNotes();
  workspace.past.refresh();
  const list = within(await grid());
  await user.click(await list.findByText("Opened memory/topic.md:3–12 and 1 more"));
  expect(await panel().findByRole("heading", { name: "Opened 2 notes" })).toBeInTheDocument();
  expect(panel().getByText("/home/ada/.iris/memory/topic.md")).toBeInTheDocument();
  expect(panel().getByText("lines 3–12")).toBeInTheDocument();
  expect(argsOf(backend, "thenNow").map(([id]) => id)).not.toContain("o1");
  expect(list.getByText("3 questions, 1 opening, 1 changed")).toBeInTheDocument();
  expect(await violations(container)).toEqual([]);
  await user.click(screen.getByRole("button", { name: /Searches.10/ }));
  await waitFor(() => expect(list.queryByText(/^Opened/)).toBeNull());
  await user.click(screen.getByRole("button", { name: /Openings.1/ }));
  await waitFor(() => expect(list.getAllByRole("row")).toHaveLength(3));
  expect(list.getByText("1 opening")).toBeInTheDocument();
});

test("a search that failed is not called unanswered", async () => {
  const { backend, workspace } = await open();
  backend.failSearch("p8");
  workspace.past.refresh();
  expect(await within(await grid()).findByText("search failed")).toBeInTheDocument();
});

test("keys move through the list, find, and open the trace by the agent's own pipeline", async () => {
  const { backend, workspace, user } = await open();
  (await grid()).focus();
  await user.keyboard("{ArrowDown}");
  expect(await rowOf("which port does the photo library use")).toHaveAttribute("aria-selected", "true");
  await user.keyboard("{End}");
  expect(await rowOf("passphrase")).toHaveAttribute("aria-selected", "true");
  await user.keyboard("/");
  expect(screen.getByRole("searchbox", { name: "Find in past questions" })).toHaveFocus();
  await user.keyboard("relay{Enter}");
  await waitFor(() => expect(argsOf(backend, "pastQuestions").at(-1)?.[0]).toMatchObject({ text: "relay" }));
  // Typing rests before it is looked for.
  expect(argsOf(backend, "pastQuestions").map(([filter]) => (filter as { text: string }).text)).toEqual([
    ...["", "relay"],
  ]);
  expect(await grid()).toHaveFocus();
  await panel().findByText("as logged, 6 results");
  await user.keyboard("{Enter}");
  expect(workspace.view).toBe("search");
  expect(workspace.pipelines.agent?.id).toBe("clerk@1.2");
  await waitFor(() => {
    const search = backend.calls.filter(({ name }) => name === "search").at(-1);
    expect(search?.args).toMatchObject([
      "does the push relay work when the internet is gone",
      { pipeline: "clerk@1.2", values: { "clerk.min_score": 0.35, "clerk.max_results": 6 } },
      null,
    ]);
  });
});

test("the list is narrowed to what changed, to what found nothing, and to an agent", async () => {
  const { user } = await open();
  const list = within(await grid());
  await user.click(screen.getByRole("button", { name: /Changed.4/ }));
  await waitFor(() => expect(list.queryByText("passphrase")).toBeNull());
  await user.click(screen.getByRole("button", { name: /Found nothing.1/ }));
  await waitFor(() => expect(list.getAllByRole("row")).toHaveLength(3));
  await chooseOption(user, screen.getByRole("combobox", { name: "Agent" }), /^Iris /);
  expect(await screen.findByText("Nothing is of this kind.")).toBeInTheDocument();
  await user.click(screen.getByRole("button", { name: /All.10/ }));
  expect(await rowOf("passphrase")).toBeInTheDocument();
});

test("a replay shows how far it is, can be stopped, and its figures lead to the notes behind them", async () => {
  const { backend, user, container } = await open({ past: "read" });
  expect(await rowOf("when is the next restore test")).toHaveTextContent("6 results");
  expect(screen.queryByRole("region", { name: "Last replay" })).toBeNull();
  expect(screen.getByRole("button", { name: "Changed" })).toBeDisabled();
  await chooseOption(user, screen.getByRole("combobox", { name: "Replay with" }), "Clerk 1.2");
  backend.replayGate = new Promise(() => undefined);
  backend.progress({ job: "replay", progress: { n_done: 4, n_all: 10 } });
  await user.click(screen.getByRole("button", { name: "Replay" }));
  expect(await screen.findByText("4 of 10")).toBeInTheDocument();
  await user.click(screen.getByRole("button", { name: "Stop" }));
  await screen.findByRole("button", { name: "Replay" });
  expect(screen.queryByRole("region", { name: "Last replay" })).toBeNull();
  backend.replayGate = null;
  await user.click(screen.getByRole("button", { name: "Replay" }));
  const strip = within(await screen.findByRole("region", { name: "Last replay" }));
  expect(argsOf(backend, "replayPast").at(-1)).toEqual([{ pipeline: "clerk@1.2", values: {} }]);
  expect(strip.getByText("Answers that changed").parentElement).toHaveTextContent("4 of 9");
  expect(await violations(container)).toEqual([]);
  await user.click(strip.getByRole("button", { name: /Notes not found now/ }));
  const dialog = within(await screen.findByRole("dialog"));
  expect(dialog.getByText("protocols/group-rooms.md")).toBeInTheDocument();
  // Both watched folders have such a note.
  expect(dialog.getAllByText("people/old.md")).toHaveLength(2);
  expect(dialog.getByText("notes/reference/home-server.md").parentElement).toHaveTextContent("5 questions");
});

test("where no log is found, the view says whose it looks for", async () => {
  const { container } = await open({ past: "none" });
  expect(await screen.findByRole("heading", { name: "No logs found" })).toBeInTheDocument();
  expect(screen.getByText(/OpenClaw, Claude Code, Codex, Gemini CLI and Hermes/)).toBeInTheDocument();
  expect(await violations(container)).toEqual([]);
});

test("logs are named with their size and read only when the user says so", async () => {
  const { backend, user, container } = await open({ past: "unread" });
  const logs = within(await screen.findByRole("region", { name: "Logs of agents" }));
  expect(logs.getByText("~/.clerk/sessions.db").closest("section")).toHaveTextContent("Clerk 1 file, 48 MB");
  expect(logs.getByText("~/.iris/log/2026-11.jsonl").closest("section")).toHaveTextContent("3.1 MB");
  expect(screen.getByText(/stored on this machine only/)).toBeInTheDocument();
  // The figure of the system's question.
  expect(screen.getByText(/these\s+2 log files \(51 MB\)/)).toBeInTheDocument();
  expect(await violations(container)).toEqual([]);
  expect(backend.nCalls("importRecall")).toBe(0);
  backend.recallGate = new Promise(() => undefined);
  const progress = {
    path: "~/.clerk/sessions.db",
    n_bytes: 12_000_000,
    n_bytes_all: 48_000_000,
    n_questions: 7,
  };
  backend.progress({ job: "import", progress });
  await user.click(screen.getByRole("button", { name: "Read past questions" }));
  expect(
    await screen.findByText(/Read 12 MB of 48 MB \(25 %\), 7 questions found so far/),
  ).toBeInTheDocument();
  expect(screen.getByRole("progressbar")).toHaveAttribute("aria-valuenow", "25");
  await user.click(screen.getByRole("button", { name: "Stop" }));
  expect(await rowOf("when is the next restore test")).toBeInTheDocument();
  expect(screen.getByText(/line 812 is torn/)).toBeInTheDocument();
});

test("the user who does not agree after all sees the same page", async () => {
  const { backend, user } = await open({ past: "unread" });
  backend.isRecallAgreed = false;
  await user.click(await screen.findByRole("button", { name: "Read past questions" }));
  expect(await screen.findByRole("button", { name: "Read past questions" })).toBeInTheDocument();
});

test("a hundred thousand questions are a list of which few rows are drawn", async () => {
  const { user } = await open({ nPast: 100_000 });
  const list = await grid();
  expect(list).toHaveAttribute("aria-rowcount", expect.stringMatching(/^10\d{4}$/));
  await waitFor(() => expect(within(list).getAllByRole("row").length).toBeGreaterThan(10));
  expect(within(list).getAllByRole("row").length).toBeLessThan(60);
  list.focus();
  await user.keyboard("{End}");
  await waitFor(() => expect(list.querySelector("[aria-selected=true]")).toHaveTextContent(/ 100000/));
  expect(within(list).getAllByRole("row").length).toBeLessThan(60);
});

test("errors are reported in place and asked again", async () => {
  const { backend, user } = await open({ past: "none" });
  await screen.findByRole("heading", { name: "No logs found" });
  backend.failing = {
    recallLogs: { code: "error", message: "cannot look into ~/.clerk: permission denied" },
  };
  await user.click(screen.getByRole("button", { name: "Look again" }));
  expect(await screen.findByRole("alert")).toHaveTextContent("Cannot look into ~/.clerk: permission denied.");
  backend.failing = {};
  await user.click(screen.getByRole("button", { name: "Try again" }));
  await waitFor(() => expect(screen.queryByRole("alert")).toBeNull());
});

test("a question is copied as Markdown, with the notes' text or without", async () => {
  const { backend, user } = await open();
  await panel().findByText("as logged, 6 results");
  await user.click(panel().getByRole("button", { name: "Copy as Markdown" }));
  expect(await panel().findByText("Copied")).toBeInTheDocument();
  expect(await navigator.clipboard.readText()).toBe("# Past question p1\n");
  await user.click(panel().getByRole("checkbox", { name: "Leave out the notes’ text" }));
  await user.click(panel().getByRole("button", { name: "Copy as Markdown" }));
  const asked = backend.calls.filter(({ name }) => name === "pastMarkdown").map(({ args }) => args);
  expect(asked).toEqual([
    ["p1", null, true],
    ["p1", null, false],
  ]);
  backend.failing = { pastMarkdown: { code: "error", message: "there is no past question p1" } };
  await user.click(panel().getByRole("button", { name: "Copy as Markdown" }));
  expect(await panel().findByText(/Cannot copy: There is no past question p1/)).toBeInTheDocument();
  await fireEvent.click(await rowOf("passphrase"));
  await waitFor(() => expect(panel().queryByText(/Cannot copy/)).toBeNull());
});

test("past questions are saved as a query set", async () => {
  const { user } = await open();
  await grid();
  await user.click(screen.getByRole("button", { name: "Save as a query set…" }));
  expect(
    await screen.findByText(
      "Saved to /home/robin/queries.jsonl. 9 opened or cited notes were changed since and are not counted",
    ),
  ).toBeInTheDocument();
});

test("a memory that is embedded first says how far it is, and can be cancelled", async () => {
  const { backend, user } = await open();
  await grid();
  backend.progress({ job: "emulation", progress: { n_done: 120, n_all: 564 } });
  backend.thenNowGate = new Promise(() => undefined);
  await user.click(await rowOf("passphrase"));
  expect(await panel().findByText(/as Iris cuts them: 120 of 564/)).toBeInTheDocument();
  await user.click(panel().getByRole("button", { name: "Cancel" }));
  expect(backend.nStops("emulation")).toBe(1);
});

test("while keys run through the list, only the last question is asked again", async () => {
  const { backend, user } = await open();
  await panel().findByText("as logged, 6 results");
  let answer: () => void = () => undefined;
  backend.thenNowGate = new Promise((resolve) => (answer = resolve));
  (await grid()).focus();
  await user.keyboard("{ArrowDown}{ArrowDown}{ArrowDown}{ArrowDown}");
  backend.thenNowGate = null;
  answer();
  expect(await panel().findByText("as logged, 2 results")).toBeInTheDocument();
  expect(argsOf(backend, "thenNow").map(([id]) => id)).toEqual(["p1", "p2", "p5"]);
});

test("what cannot be asked again says why, and the next question is shown all the same", async () => {
  const { backend, user } = await open();
  backend.failing = { thenNow: { code: "error", message: "cannot rank by Clerk 1.2: no model" } };
  await user.click(await rowOf("passphrase"));
  expect(await panel().findByRole("alert")).toHaveTextContent("Cannot rank by Clerk 1.2: no model.");
  expect(panel().getByRole("button", { name: /Open trace/ })).toBeDisabled();
  backend.failing = {};
  await user.click(await rowOf("wifi dead in the studio"));
  expect(await panel().findByText("as logged, 2 results")).toBeInTheDocument();
});

test("questions that came while the window lay behind others are there when it comes back", async () => {
  const { backend } = await open();
  await grid();
  const nRead = backend.nCalls("pastQuestions");
  await fireEvent.focus(window);
  await waitFor(() => expect(backend.nCalls("pastQuestions")).toBe(nRead + 1));
});

test("questions that became too old leave the list, whatever view is open", async () => {
  const { backend, user, workspace } = await open();
  expect(await rowOf("passphrase")).toBeInTheDocument();
  backend.forgetOldest(1);
  await waitFor(() => expect(screen.queryByText("passphrase")).toBeNull());
  expect(workspace.past.n).toBe(9);
  await user.click(screen.getByRole("button", { name: "Memory" }));
  backend.forgetOldest(1);
  await waitFor(() => expect(workspace.past.n).toBe(8));
});

test("a trace is asked of the agent's own folders where some are watched", async () => {
  const { backend, user } = await open();
  const [first, ...others] = (await backend.state()).folders;
  if (first === undefined) throw new Error("there is a watched folder");
  backend.changeState({ folders: [{ ...first, agent: { id: "clerk", name: "Clerk" } }, ...others] });
  await panel().findByText("as logged, 6 results");
  await user.click(panel().getByRole("button", { name: /Open trace/ }));
  await waitFor(() =>
    expect(backend.calls.findLast(({ name }) => name === "search")?.args[2]).toEqual({ agent: "clerk" }),
  );
});

test("a question is asked again once the notes that changed are indexed, and not for each", async () => {
  const { backend } = await open();
  await panel().findByText("as logged, 6 results");
  const nAsked = backend.nCalls("thenNow");
  const indexing = { n_done: 1, n_total: 9, share: 0.1, file: "MEMORY.md", seconds_left: 4 };
  for (const generation of [2, 3, 4]) backend.changeState({ generation, indexing });
  await backend.state();
  expect(backend.nCalls("thenNow")).toBe(nAsked);
  backend.changeState({ generation: 5, indexing: null });
  await waitFor(() => expect(backend.nCalls("thenNow")).toBe(nAsked + 1));
});
