// "Why did my agent forget…?" as the user sees it: from each view, verdict and proofs, and the changes to try.
import { render, screen, waitFor, within } from "@testing-library/svelte";
import { expect, test } from "vitest";
import { violations } from "../../tests/axe";
import { CLERK } from "../../tests/fake/agent-pipeline";
import { FakeBackend, type FakeOptions } from "../../tests/fake-backend";
import { layOut } from "../../tests/layout";
import { chooseOption } from "../../tests/choose-option";
import { setupUser } from "../../tests/user";
import App from "../App.svelte";
import { openDocument } from "../open-document.svelte";
import { Workspace, workspaceContext } from "../workspace.svelte";

layOut();

async function start(options: FakeOptions = {}) {
  const backend = new FakeBackend({ nChunks: 60, pipelines: [CLERK], past: "replayed", ...options });
  const workspace = new Workspace(backend);
  const user = setupUser();
  render(App, { context: workspaceContext(workspace) });
  await waitFor(() => expect(document.documentElement.dataset["ready"]).toBe("true"));
  return { backend, workspace, user };
}

const dialog = async () => within(await screen.findByRole("dialog", { name: "Why did my agent forget…?" }));
const factField = async () =>
  (await dialog()).getByRole("textbox", { name: "Fact, in words or as a line of a note" });
const asked = (backend: FakeBackend) =>
  backend.calls.filter(({ name }) => name === "autopsy").map(({ args }) => args[0]);
const lastSearch = (backend: FakeBackend) =>
  backend.calls.filter(({ name }) => name === "search").at(-1)?.args;

/** Asks from the Past questions view, for the session of 22:14. */
async function askFromPast(fact: string) {
  const started = await start();
  const { user } = started;
  await user.click(screen.getByRole("button", { name: "Past questions" }));
  await user.click(await screen.findByText("does the push relay work when the internet is gone"));
  await user.keyboard("f");
  await waitFor(async () => expect(await factField()).toHaveFocus());
  await user.keyboard(`${fact}{Enter}`);
  return started;
}

test("from Past questions the agent and its session are known; the verdict stands first, then each step", async () => {
  const { backend } = await askFromPast("wait four minutes");
  const shown = await dialog();
  expect(await shown.findByText("It asked, but the note was ranked out.")).toBeInTheDocument();
  expect(asked(backend)).toEqual([
    { fact: "wait four minutes", agent: "clerk", session: "7f3a", at_ms: null },
  ]);
  expect(shown.getByRole("combobox", { name: "Agent" })).toHaveTextContent("Clerk");
  expect(shown.getByRole("combobox", { name: "When it should have known" })).toHaveTextContent(
    /session 7f3a, yesterday 22:36/,
  );
  const steps = [...document.querySelectorAll<HTMLElement>("ol > li:has(> h3)")];
  expect(steps.map((step) => within(step).getByRole("heading").textContent)).toEqual([
    ...["Written", "Loading at start", "Indexed", "Asked", "Ranked", "Given", "Used"],
  ]);
  expect(steps.map((step) => within(step).getByRole("img").getAttribute("aria-label"))).toEqual([
    ...["passed", "passed", "passed", "passed", "failed", "failed", "unknown"],
  ]);
  // Only the step that lost it is tinted and shows advice.
  expect(steps.map((step) => step.classList.contains("lost"))).toEqual([
    ...[false, false, false, false, true, false, false],
  ]);
  expect(steps[4]).toHaveTextContent("minScore 0.35 → 0.31, the note comes in at rank 5");
  expect(steps[4]).toHaveTextContent("“internet gone, restart the router”, rank 1 with 0.610");
  expect(steps[3]).toHaveTextContent(
    /3 times in this session: .*22:31 “connection dead, what now” came closest, 0.310/,
  );
  expect(await violations(document.body)).toEqual([]);
});

test("Escape closes it and gives the focus back to the list", async () => {
  const { user } = await askFromPast("wait four minutes");
  await (await dialog()).findByText("It asked, but the note was ranked out.");
  await user.keyboard("{Escape}");
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  await waitFor(() => expect(screen.getByRole("grid", { name: "Past questions" })).toHaveFocus());
});

test("from Memory it is asked at once about the chosen chunk", async () => {
  const { backend, workspace, user } = await start();
  openDocument.ask("notes", "reference/home-server.md", 1);
  workspace.show("memory");
  const note = within(await screen.findByRole("article", { name: "Note" }));
  await user.click(await note.findByRole("button", { name: /forgotten…\?/i }));
  await waitFor(() => expect(asked(backend)).toHaveLength(1));
  expect(asked(backend)[0]).toMatchObject({
    fact: expect.stringMatching(/^reference\/home-server\.md:\d+$/) as string,
    agent: null,
    session: null,
  });
  // The keys of the view under the dialog are not its own.
  (await dialog()).getByRole("button", { name: "Find out" }).focus();
  await user.keyboard("o");
  expect(backend.nCalls("openInEditor")).toBe(0);
});

test("the smallest change is tried on Search, with the question that came closest", async () => {
  const { backend, workspace, user } = await askFromPast("wait four minutes");
  await user.click(await (await dialog()).findByRole("button", { name: "Try it" }));
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  expect(workspace.view).toBe("search");
  expect(workspace.pipelines.agent?.id).toBe("clerk@1.2");
  expect(workspace.pipelines.chosen.current["clerk.min_score"]).toBe(0.31);
  await waitFor(() =>
    expect(lastSearch(backend)).toMatchObject([
      "connection dead, what now",
      { pipeline: "clerk@1.2", values: { "clerk.min_score": 0.31, "clerk.near_weight": 0.7 } },
      null,
    ]),
  );
});

test("the question that works is asked without the change, and the trace is of the closest one", async () => {
  const { backend, user } = await askFromPast("wait four minutes");
  await user.click(await (await dialog()).findByRole("button", { name: "Ask it" }));
  await waitFor(() =>
    expect(lastSearch(backend)).toMatchObject([
      "internet gone, restart the router",
      { values: { "clerk.min_score": 0.35 } },
      null,
    ]),
  );
  await user.keyboard("f");
  await user.type(await factField(), "wait{Enter}");
  await user.click(await (await dialog()).findByRole("button", { name: "Open trace" }));
  await waitFor(() => expect(lastSearch(backend)?.[0]).toBe("connection dead, what now"));
});

test("a question of the proof leads to it among all past questions", async () => {
  const { workspace, user } = await askFromPast("wait four minutes");
  // The filter leaves it out.
  workspace.past.narrow({ agent: "iris" });
  await user.click(await (await dialog()).findByRole("button", { name: "“wifi dead in the studio”" }));
  expect(workspace.view).toBe("past");
  await waitFor(() =>
    expect(screen.getByRole("heading", { name: "wifi dead in the studio" })).toBeInTheDocument(),
  );
  const list = within(await screen.findByRole("grid", { name: "Past questions" }));
  expect((await list.findByText("wifi dead in the studio")).closest("[role=row]")).toHaveAttribute(
    "aria-selected",
    "true",
  );
});

test("another agent and another time are asked at once, and the newest answer is shown", async () => {
  const { backend, user } = await askFromPast("wait four minutes");
  const shown = await dialog();
  await shown.findByText("It asked, but the note was ranked out.");
  await chooseOption(user, shown.getByRole("combobox", { name: "Agent" }), "Iris");
  expect(asked(backend).at(-1)).toMatchObject({ agent: "iris", session: null });
  const when = shown.getByRole("combobox", { name: "When it should have known" });
  await user.click(when);
  const list = await screen.findByRole("listbox", { hidden: true });
  expect(within(list).queryByText(/7f3a/)).toBeNull();
  // The list alone is closed.
  await user.keyboard("{Escape}");
  await waitFor(() => expect(list).not.toBeInTheDocument());
  await chooseOption(user, when, /session e210/);
  expect(asked(backend).at(-1)).toMatchObject({ agent: "iris", session: "e210" });
  let answerFirst: () => void = () => undefined;
  backend.autopsyGate = new Promise((resolve) => (answerFirst = resolve));
  await user.clear(await factField());
  await user.type(await factField(), "wait{Enter}");
  backend.autopsyGate = null;
  await user.type(await factField(), " nowhere{Enter}");
  expect(await shown.findByText("It stands in no note.")).toBeInTheDocument();
  answerFirst();
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(shown.getByText("It stands in no note.")).toBeInTheDocument();
  expect(shown.getByText("Write it into a note that the agent searches.")).toBeInTheDocument();
  expect(shown.queryByRole("button", { name: "Open trace" })).toBeNull();
  expect(asked(backend).at(-1)).toMatchObject({ fact: "wait nowhere" });
});

test("from Search nothing is known but the opened row, where that is dropped", async () => {
  const { backend, workspace, user } = await start({ startQuery: "relay quiet hours" });
  await user.click(screen.getByRole("button", { name: /Why forgotten…/ }));
  expect(await factField()).toHaveValue("");
  await user.keyboard("{Escape}");
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  expect(asked(backend)).toEqual([]);
  const dropped = workspace.search.columns?.order.at(-1);
  if (dropped === undefined) throw new Error("there is a dropped row");
  workspace.search.open(dropped);
  await waitFor(() => expect(workspace.search.journey?.slot).toBe(dropped));
  const row = workspace.search.rowOf(dropped);
  await user.click(screen.getByRole("button", { name: /Why forgotten…/ }));
  expect(await factField()).toHaveValue(`${row?.path}:${row?.start_line}`);
  await waitFor(() => expect(asked(backend)).toMatchObject([{ agent: null, session: null, at_ms: null }]));
});

test("an error is reported, and what was shown before it is not", async () => {
  const { backend, user } = await askFromPast("wait four minutes");
  const shown = await dialog();
  await shown.findByText("It asked, but the note was ranked out.");
  backend.failing = { autopsy: { code: "error", message: "cannot rank by Clerk 1.2: no model" } };
  await user.click(shown.getByRole("button", { name: "Find out" }));
  expect(await shown.findByRole("alert")).toHaveTextContent("Cannot rank by Clerk 1.2: no model.");
  expect(shown.queryByText("Ranked")).toBeNull();
});

test("an autopsy is copied as it was asked, by button or key, and a letter typed into the fact copies nothing", async () => {
  const { backend, user } = await askFromPast("wait c four");
  const shown = await dialog();
  await shown.findByText("It asked, but the note was ranked out.");
  await user.type(await factField(), "c");
  expect(backend.nCalls("autopsyMarkdown")).toBe(0);
  await user.click(shown.getByRole("checkbox", { name: "Leave out the notes’ text" }));
  await user.keyboard("c");
  expect(await shown.findByText("Copied")).toBeInTheDocument();
  expect(await navigator.clipboard.readText()).toBe("# Why was “wait c four” forgotten?\n");
  const [question, withText] = backend.calls.find(({ name }) => name === "autopsyMarkdown")?.args ?? [];
  expect(question).toMatchObject({ fact: "wait c four", session: "7f3a" });
  expect(withText).toBe(false);
});

const isPast = (backend: FakeBackend) =>
  backend.calls
    .filter(({ name }) => name === "pastQuestions")
    .map(({ args }) => (args[0] as { only: string }).only);

test("before a fact is known, missed questions are offered first; one leads to the notes that it finds now", async () => {
  const { backend, user } = await start();
  await user.click(screen.getByRole("button", { name: /Why forgotten…/ }));
  const shown = await dialog();
  const list = await shown.findByRole("list");
  expect(shown.getByRole("heading", { name: /first what found nothing/ })).toBeInTheDocument();
  const [first, second] = within(list).getAllByRole("button");
  expect(first).toHaveTextContent(/found nothing$/);
  expect(second).not.toHaveTextContent(/found nothing/);
  expect(isPast(backend)).toEqual(expect.arrayContaining(["found_nothing", "searches"]));
  const text = "connection dead, what now";
  await user.click(within(list).getByRole("button", { name: new RegExp(text) }));
  // The agent and its session are those of the question, and a fact can be typed at once.
  expect(await factField()).toHaveFocus();
  expect(shown.getByRole("combobox", { name: "Agent" })).toHaveTextContent("Clerk");
  expect(shown.getByRole("combobox", { name: "When it should have known" })).toHaveTextContent(
    /session 7f3a/,
  );
  expect(await shown.findByText(`“${text}”`)).toBeInTheDocument();
  expect(asked(backend)).toEqual([]);
  expect(await violations(document.body)).toEqual([]);
  const notes = await shown.findAllByRole("button", { name: /rank \d now/ });
  const note = notes[0];
  if (note === undefined) throw new Error("a note is offered");
  await user.click(note);
  expect(await shown.findByText("It asked, but the note was ranked out.")).toBeInTheDocument();
  expect(asked(backend)).toEqual([
    { fact: expect.stringMatching(/^\S+\.md:\d+$/) as string, agent: "clerk", session: "7f3a", at_ms: null },
  ]);
});

test("from a past question its notes are offered at once, and others lead back to all questions", async () => {
  const { backend, user } = await start();
  await user.click(screen.getByRole("button", { name: "Past questions" }));
  await user.click(await screen.findByText("does the push relay work when the internet is gone"));
  await user.keyboard("f");
  const shown = await dialog();
  expect(await shown.findAllByRole("button", { name: /rank \d now|opened then/ })).not.toHaveLength(0);
  await user.click(shown.getByRole("button", { name: "Other questions" }));
  expect(await shown.findByRole("heading", { name: /Asked by your agents/ })).toBeInTheDocument();
  expect(shown.getByRole("combobox", { name: "Agent" })).toHaveTextContent("any agent");
  expect(asked(backend)).toEqual([]);
});

test("a question that cannot be asked again says why, and the fact can still be typed", async () => {
  const { backend, user } = await start();
  backend.failing = { thenNow: { code: "error", message: "cannot rank by Clerk 1.2: no model" } };
  await user.click(screen.getByRole("button", { name: /Why forgotten…/ }));
  const shown = await dialog();
  const [first] = within(await shown.findByRole("list")).getAllByRole("button");
  if (first === undefined) throw new Error("a question is offered");
  await user.click(first);
  expect(await shown.findByRole("alert")).toHaveTextContent(
    "Cannot ask it again. Cannot rank by Clerk 1.2: no model. Type the fact above.",
  );
  await user.keyboard("wait{Enter}");
  expect(await shown.findByText("It asked, but the note was ranked out.")).toBeInTheDocument();
});

test("without past questions the view of them is one click away", async () => {
  const { workspace, user } = await start({ past: "none" });
  await user.click(screen.getByRole("button", { name: /Why forgotten…/ }));
  await user.click(await (await dialog()).findByRole("button", { name: "Show past questions" }));
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  expect(workspace.view).toBe("past");
});
