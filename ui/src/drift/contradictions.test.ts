// Notes that contradict each other, in the middle of the Memory view.
import { render, screen, waitFor, within } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { describe, expect, test } from "vitest";
import { violations } from "../../tests/axe";
import { DRIFT, side } from "../../tests/fake/drift";
import { LibraryBackend } from "../../tests/fake/library";
import { layOut } from "../../tests/layout";
import { chooseOption } from "../../tests/choose-option";
import { setupUser } from "../../tests/user";
import { DEFAULTS } from "../api/parameters";
import App from "../App.svelte";
import { openDocument } from "../open-document.svelte";
import { Workspace, workspaceContext } from "../workspace.svelte";
import { PAGE } from "./contradictions.svelte";

layOut();

async function open(prepare: (backend: LibraryBackend) => void = () => {}) {
  const backend = new LibraryBackend();
  prepare(backend);
  const workspace = new Workspace(backend);
  workspace.show("memory");
  const user = setupUser();
  render(App, { context: workspaceContext(workspace) });
  await screen.findByRole("treeitem", { name: /^people/ });
  await user.click(screen.getByRole("button", { name: "Contradictions…" }));
  const middle = await screen.findByRole("article", { name: "Contradictions" });
  return { backend, workspace, user, middle, list: within(middle) };
}

const entries = (list: Pick<typeof screen, "queryAllByRole">) =>
  list.queryAllByRole("listitem", { name: / and / }).map((entry) => entry.getAttribute("aria-label"));

describe("the list of contradictions", () => {
  test("is made on the first visit, with both sides, their words and what is newer", async () => {
    const { backend, list, middle } = await open();
    const entry = await list.findByRole("listitem", {
      name: "Another number: reference/home-server.md and clerk/relay.md",
    });
    expect(backend.nCalls("driftNow")).toBe(1);
    expect(entries(list)).toHaveLength(2);
    expect([...entry.querySelectorAll("mark")].map((mark) => mark.textContent)).toEqual(["8093", "8443"]);
    expect(entry).toHaveTextContent(/home-server\.md.*:12.*helper.*2026-11-02.*and 2 other places/);
    expect(entry).toHaveTextContent(/relay\.md.*:4.*clerk.*2026-11-20.*newer/);
    expect(entry).toHaveTextContent("Everything runs as containers. The push relay listens on port 8093.");
    expect(entry).toHaveTextContent("port 8443. It was moved behind the proxy.");
    expect(middle).toHaveTextContent(/633 sentences compared in 41/);
    await userEvent.click(list.getByText(/What is not compared/));
    expect(middle).toHaveTextContent(/134 sentences not compared.*120 too short.*14 not in English/);
    expect(await violations(middle)).toEqual([]);
  });

  test("lists what may contradict and what changed apart", async () => {
    const { user, list } = await open();
    await user.click(await list.findByRole("button", { name: "May contradict 1" }));
    expect(entries(list)).toEqual([
      "Another time or duration: reference/home-server.md and reference/home-server.md",
    ]);
    await user.click(list.getByRole("button", { name: "Changed 1" }));
    expect(entries(list)).toEqual(["Another time or duration: protocols/logs.md and protocols/logs-new.md"]);
  });

  test("keeps the order of the second opinion, and says what the model said", async () => {
    const unsure = DRIFT.contradictions.filter(({ sure }) => !sure);
    const said = (contradiction: number, path: string, isCut: boolean) =>
      unsure.map((drifted) => ({
        ...drifted,
        id: path,
        a: side(path, ["The relay restarts at ", "*2:15*", "."]),
        second_opinion: { contradiction, model: "nli-small", is_cut: isCut },
      }));
    const { user, list } = await open((backend) => {
      const contradictions = [...said(0.834, "z.md", false), ...said(0.071, "a.md", true), ...unsure];
      const problem = "cannot read cross-encoder file /models/nli-small/model.onnx: it is gone";
      const second_opinions = { model: "nli-small", n_without: 1, problem };
      backend.drifting = { ...DRIFT, contradictions, second_opinions };
    });
    await user.click(await list.findByRole("button", { name: "May contradict 3" }));
    expect(entries(list)).toEqual(
      ["z.md", "a.md", "reference/home-server.md"].map(
        (path) => `Another time or duration: ${path} and reference/home-server.md`,
      ),
    );
    expect(list.getByText("second opinion: 0.83 contradicts (nli-small)")).toBeVisible();
    expect(
      list.getByText("second opinion: 0.07 contradicts (nli-small, of the beginning of long sentences)"),
    ).toBeVisible();
    expect(list.getAllByText(/^second opinion:/)).toHaveLength(2);
    expect(list.getByText(/^Ordered by the second opinion of nli-small/)).toHaveTextContent(
      /decides nothing\.\s1 pair without one\.$/,
    );
    expect(list.getByText(/^No second opinion: cannot read/)).toBeVisible();
    await user.click(list.getByRole("button", { name: "Contradictions 0" }));
    expect(list.queryByText(/second opinion/i)).toBeNull();
  });

  test("is read again when a model gave its opinion", async () => {
    const { backend } = await open();
    await waitFor(() => expect(backend.nCalls("driftNow")).toBe(1));
    const nBefore = backend.nCalls("drift");
    backend.changeState({ second_opinions: 1 });
    await waitFor(() => expect(backend.nCalls("drift")).toBe(nBefore + 1));
  });

  test("opens on the first section that is not empty", async () => {
    const { user, list } = await open((backend) => {
      backend.drifting = { ...DRIFT, contradictions: [] };
    });
    const changed = await list.findByRole("button", { name: "Changed 1" });
    await waitFor(() => expect(changed).toHaveAttribute("aria-pressed", "true"));
    await user.click(list.getByRole("button", { name: "Contradictions 0" }));
    expect(list.getByText("1 is under Changed.")).toBeVisible();
  });

  test("names the headings or projects that tell two sides apart", async () => {
    const { user, list } = await open((backend) => {
      const unsure = DRIFT.contradictions.filter(({ sure }) => !sure);
      const scopes: [string, string] = ["Staging", "Production"];
      const apart = unsure.map((drifted) => ({ ...drifted, scopes }));
      backend.drifting = { ...DRIFT, contradictions: apart };
    });
    await user.click(await list.findByRole("button", { name: "May contradict 1" }));
    expect(list.getByText("may be about different things: Staging / Production")).toBeVisible();
  });

  test("marks a pair as no contradiction, lists it apart, and undoes it", async () => {
    const { user, list } = await open();
    const mark = { name: "Not a contradiction: reference/home-server.md:12 and clerk/relay.md:4" };
    expect(list.queryByRole("button", { name: /^Not a contradiction \d/ })).toBeNull();
    await user.click(await list.findByRole("button", mark));
    await list.findByText(/^Marked as no contradiction/);
    await waitFor(() => expect(list.getByRole("button", { name: "Undo" })).toHaveFocus());
    expect(entries(list)).toHaveLength(1);
    await user.click(list.getByRole("button", { name: "Undo" }));
    await waitFor(() => expect(entries(list)).toHaveLength(2));

    await user.click(list.getByRole("button", mark));
    await user.click(await list.findByRole("button", { name: "Not a contradiction 1" }));
    expect(entries(list)).toEqual(["Another number: reference/home-server.md and clerk/relay.md"]);
    await user.click(list.getByRole("button", { name: /^Undo: / }));
    await list.findByText("You marked no pair as no contradiction.");
    await user.click(list.getByRole("button", { name: "Contradictions 2" }));
    expect(entries(list)).toHaveLength(2);
  });

  test("marks a pair as resolved by its newer side, lists it apart, and undoes it", async () => {
    const { user, list } = await open();
    const resolve = { name: "Resolved by newer: reference/home-server.md:12 and clerk/relay.md:4" };
    await list.findByRole("button", resolve);
    // The other pair has no side that is known to be newer.
    expect(list.getAllByRole("button", { name: /^Resolved by newer: / })).toHaveLength(1);
    await user.click(list.getByRole("button", resolve));
    await list.findByText(/^Marked as resolved by the newer note/);
    await waitFor(() => expect(list.getByRole("button", { name: "Undo" })).toHaveFocus());
    expect(entries(list)).toHaveLength(1);
    await user.click(list.getByRole("button", { name: "Resolved by newer 1" }));
    expect(entries(list)).toEqual(["Another number: reference/home-server.md and clerk/relay.md"]);
    expect(list.queryByRole("button", { name: /^Not a contradiction: / })).toBeNull();
    await user.click(list.getByRole("button", { name: /^Undo: / }));
    await list.findByText("You marked no pair as resolved by the newer note.");
    await user.click(list.getByRole("button", { name: "Contradictions 2" }));
    expect(entries(list)).toHaveLength(2);
  });

  test("says why a pair cannot be marked", async () => {
    const { backend, user, list } = await open();
    backend.failing.dismissContradiction = { code: "error", message: "cannot write: the disk is full" };
    await user.click(
      (await list.findAllByRole("button", { name: /^Not a contradiction: / }))[0] as HTMLElement,
    );
    expect(await list.findByText(/the disk is full/)).toBeInTheDocument();
    expect(entries(list)).toHaveLength(2);
  });

  test("is narrowed by folder, agent and kind, and says where nothing is left", async () => {
    const { user, list, middle } = await open();
    await chooseOption(user, await list.findByRole("combobox", { name: "Agent" }), "clerk");
    expect(entries(list)).toHaveLength(1);
    expect(middle).toHaveTextContent("1 of 2");
    await chooseOption(user, list.getByRole("combobox", { name: "Kind" }), "Opposite words");
    expect(middle).toHaveTextContent("None with these filters.");
    await user.click(list.getByRole("button", { name: "Clear filters" }));
    expect(entries(list)).toHaveLength(2);
    await chooseOption(user, list.getByRole("combobox", { name: "Folder" }), "logs");
    expect(entries(list)).toEqual(["Another number: reference/home-server.md and clerk/relay.md"]);
  });

  test("leads to a note at its line and back, with its filters", async () => {
    const { user, list, workspace } = await open();
    await chooseOption(user, await list.findByRole("combobox", { name: "Agent" }), "clerk");
    await user.click(list.getByRole("button", { name: "Show reference/home-server.md:12 (A)" }));
    await screen.findByRole("article", { name: "Note" });
    await waitFor(() => expect(screen.getByRole("button", { name: /Contradictions$/ })).toHaveFocus());
    await waitFor(() => expect(workspace.memory.target).toEqual({ line: 12 }));
    await user.click(screen.getByRole("button", { name: /Contradictions$/ }));
    const again = within(await screen.findByRole("article", { name: "Contradictions" }));
    await waitFor(() => expect(entries(again)).toHaveLength(1));
    expect(again.getByRole("button", { name: "Show reference/home-server.md:12 (A)" })).toHaveFocus();
    await user.click(again.getByRole("button", { name: "Close" }));
    await waitFor(() => expect(screen.getByRole("button", { name: "Contradictions…" })).toHaveFocus());
    expect(screen.getByRole("article", { name: "Note" })).toHaveTextContent("home-server.md");
    expect(screen.queryByRole("button", { name: /‹/ })).toBeNull();
  });

  test("are beside a note that has a side, as far as they are known, and follow the passes", async () => {
    const { backend, user, list, workspace } = await open();
    await user.click(await list.findByRole("button", { name: "Show reference/home-server.md:12 (A)" }));
    const beside = () => screen.queryByRole("region", { name: "Contradicted or changed" });
    await waitFor(() =>
      expect(beside()).toHaveTextContent(/Another number.*line 12:.*8093.*8443.*relay\.md.*:4/),
    );
    // Nothing unsure is there.
    expect(beside()?.querySelectorAll("li")).toHaveLength(1);
    const [logs] = DRIFT.changed;
    if (logs === undefined) throw new Error("no change to move");
    const a = side("reference/home-server.md", ["Logs are kept for ", "*35 days*", "."]);
    backend.drifting = { ...DRIFT, contradictions: [], changed: [{ ...logs, a }] };
    backend.changeState({ clustering: 7 });
    await waitFor(() =>
      expect(beside()).toHaveTextContent(/Changed, the other note is newer.*35 days.*90 days/),
    );
    expect(beside()?.querySelectorAll("li")).toHaveLength(1);
    backend.drifting = { ...DRIFT, contradictions: [], changed: [] };
    backend.changeState({ clustering: 8 });
    await waitFor(() => expect(beside()).toBeNull());
    backend.drifting = DRIFT;
    backend.changeState({ clustering: 9 });
    await waitFor(() => expect(beside()).not.toBeNull());
    // Also where the library did not change: the user marked a pair.
    await workspace.contradictions.mark("dismissed", "port", true, DEFAULTS);
    await waitFor(() => expect(beside()).toBeNull());
    await workspace.contradictions.mark("dismissed", "port", false, DEFAULTS);
    await waitFor(() => expect(beside()).not.toBeNull());
    const nPasses = backend.nCalls("driftNow");
    await user.click(screen.getByRole("button", { name: "All contradictions" }));
    expect(await screen.findByRole("article", { name: "Contradictions" })).toBeInTheDocument();
    expect(backend.nCalls("driftNow")).toBe(nPasses);
  });

  test("are beside a note although the list was never opened, with what went wrong", async () => {
    const backend = new LibraryBackend();
    await backend.driftNow(DEFAULTS);
    const workspace = new Workspace(backend);
    workspace.show("memory");
    render(App, { context: workspaceContext(workspace) });
    await screen.findByRole("treeitem", { name: /^people/ });
    openDocument.ask("notes", "reference/home-server.md", 12);
    const beside = () => screen.queryByRole("region", { name: "Contradicted or changed" });
    await waitFor(() => expect(beside()).toHaveTextContent(/8093.*8443/));
    expect(backend.nCalls("drift")).toBe(0);
    expect(beside()).not.toHaveTextContent("Notes changed");
    backend.isDriftStale = true;
    backend.changeState({ generation: 12 });
    await waitFor(() =>
      expect(beside()).toHaveTextContent("Notes changed since the statements were compared."),
    );
    backend.failing.noteDrift = { code: "store", message: "cannot read the library" };
    backend.changeState({ generation: 13 });
    await waitFor(() => expect(beside()).toHaveTextContent("Cannot read the library."));
    expect(beside()).not.toHaveTextContent("8443");
  });

  test("opens a side in the editor at its line, and says why it cannot", async () => {
    const { backend, user, list } = await open();
    backend.failing.openInEditor = { code: "no_editor", message: "cannot open: no editor is known" };
    const button = await list.findByRole("button", { name: "Open in editor: clerk/relay.md:4 (B)" });
    await user.click(button);
    expect(backend.calls.findLast(({ name }) => name === "openInEditor")?.args).toEqual([
      "logs",
      "clerk/relay.md",
      4,
      "system",
    ]);
    expect(await list.findByText(/no editor is known/)).toBeInTheDocument();
    expect(list.getByRole("button", { name: "Choose an editor" })).toBeInTheDocument();
  });

  test("shows the progress of a pass, and what was found before where it is stopped", async () => {
    const { backend, user, list, middle } = await open((backend) => {
      backend.driftGate = new Promise(() => undefined);
    });
    await list.findByText("Comparing notes…");
    backend.progress({ job: "aggregation", progress: { step: "reading", n_done: 512, n_all: 4_000 } });
    await waitFor(() => expect(middle).toHaveTextContent("Reading observations: 512 of 4,000"));
    // Only the step is announced, not each number.
    expect(list.getByRole("status")).toHaveTextContent(/^Reading observations$/);
    backend.progress({ job: "aggregation", progress: { step: "comparing", n_done: 256, n_all: 900 } });
    await waitFor(() => expect(middle).toHaveTextContent("Comparing sentences: 256 of 900 pairs"));
    await user.click(list.getByRole("button", { name: "Stop" }));
    await list.findByText(/^412 observations not compared yet\..*after the next change of a note/);
    expect(backend.nStops("aggregation")).toBe(1);
    await waitFor(() => expect(list.getByRole("region", { name: "List of contradictions" })).toHaveFocus());
    backend.driftGate = null;
    await user.click(list.getByRole("button", { name: "Compare now" }));
    await waitFor(() => expect(entries(list)).toHaveLength(2));
    expect(list.getByRole("button", { name: "Compare now" })).toBeDisabled();
    expect(middle).not.toHaveTextContent("not compared yet");
  });

  test("does not start again what the user stopped when a note changes", async () => {
    const { backend, user, list } = await open((backend) => {
      backend.driftGate = new Promise(() => undefined);
    });
    await user.click(await list.findByRole("button", { name: "Stop" }));
    await list.findByText(/^412 observations not compared yet/);
    const nReads = backend.nCalls("drift");
    backend.changeState({ generation: 9 });
    await waitFor(() => expect(backend.nCalls("drift")).toBeGreaterThan(nReads));
    expect(backend.nCalls("driftNow")).toBe(1);
    expect(list.queryByRole("button", { name: "Stop" })).toBeNull();
  });

  test("counts also those that are not listed, by section", async () => {
    const { user, list, middle } = await open((backend) => {
      backend.driftTotals = { n_sure: 2_500, n_unsure: 31, n_changed: 1, n_dismissed: 0, n_resolved: 0 };
    });
    await list.findByRole("button", { name: "Contradictions 2,500" });
    expect(middle).toHaveTextContent("and 2,498 more");
    await user.click(list.getByRole("button", { name: "May contradict 31" }));
    expect(middle).toHaveTextContent("and 30 more");
    await user.click(list.getByRole("button", { name: "Changed 1" }));
    expect(middle).not.toHaveTextContent(/and .* more;/);
  });

  test("follows the passes in the background", async () => {
    const { backend, list } = await open();
    await waitFor(() => expect(entries(list)).toHaveLength(2));
    backend.drifting = { ...DRIFT, contradictions: [] };
    backend.changeState({ clustering: 7 });
    await list.findByText("No sure contradiction found in 633 sentences.");
  });

  test("draws a page of very many, and the next on demand", async () => {
    const [one] = DRIFT.contradictions;
    const many = Array.from({ length: PAGE + 3 }, (_, at) => ({
      ...(one as (typeof DRIFT.contradictions)[number]),
      a: side(`many/${at}.md`, ["The relay listens on port ", `*${at}*`, "."]),
    }));
    const { user, list } = await open((backend) => {
      backend.drifting = { ...DRIFT, contradictions: many };
    });
    await waitFor(() => expect(entries(list)).toHaveLength(PAGE));
    await user.click(list.getByRole("button", { name: "Show more: 3 left" }));
    expect(entries(list)).toHaveLength(PAGE + 3);
    expect(list.queryByRole("button", { name: /^Show more/ })).toBeNull();
  });

  test("forgets why a pass failed when a later one succeeded", async () => {
    const { backend, user, list } = await open((backend) => {
      backend.failing.driftNow = { code: "error", message: "cannot read the observations: disk error" };
    });
    expect(await list.findByText(/disk error/)).toBeInTheDocument();
    delete backend.failing.driftNow;
    await user.click(list.getByRole("button", { name: "Compare now" }));
    await waitFor(() => expect(entries(list)).toHaveLength(2));
    backend.failing.driftNow = { code: "error", message: "cannot read the observations: disk error" };
    backend.isDriftStale = true;
    backend.changeState({ generation: 9 });
    await waitFor(() => expect(list.getByRole("button", { name: "Compare now" })).toBeEnabled());
    await user.click(list.getByRole("button", { name: "Compare now" }));
    expect(await list.findByText(/disk error/)).toBeInTheDocument();
    backend.isDriftStale = false;
    backend.changeState({ clustering: 7 });
    await waitFor(() => expect(list.queryByText(/disk error/)).toBeNull());
  });

  test("says why it cannot be read", async () => {
    const { list } = await open((backend) => {
      backend.failing.drift = { code: "error", message: "cannot read the observations: disk error" };
    });
    expect(await list.findByText(/disk error/)).toBeInTheDocument();
  });

  test("leaves the keys of the note alone while it is in front", async () => {
    const { backend, user, list } = await open();
    await waitFor(() => expect(entries(list)).toHaveLength(2));
    await user.keyboard("ow");
    expect(backend.nCalls("openInEditor")).toBe(0);
    expect(screen.queryByRole("dialog")).toBeNull();
  });
});
