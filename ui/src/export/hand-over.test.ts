// Another program chosen in the Export view: what becomes of each parameter, its config, and writing into it.
import { render, screen, waitFor, within } from "@testing-library/svelte";
import { describe, expect, test } from "vitest";
import { violations } from "../../tests/axe";
import { CLERK } from "../../tests/fake/agent-pipeline";
import { exported } from "../../tests/fake/export";
import type { TuneState } from "../../tests/fake/tune";
import { FakeBackend } from "../../tests/fake-backend";
import { chooseOption } from "../../tests/choose-option";
import { setupUser } from "../../tests/user";
import { DEFAULTS } from "../api/parameters";
import App from "../App.svelte";
import { Workspace, workspaceContext } from "../workspace.svelte";
import { diffLines } from "../parts/diff-lines";

async function open(
  prepare: (backend: FakeBackend, workspace: Workspace) => void = () => {},
  tune: TuneState = "judged",
) {
  const backend = new FakeBackend({ nChunks: 20, pipelines: [CLERK], tune });
  const workspace = new Workspace(backend);
  workspace.parameters.replace({ ...DEFAULTS, min_score: 0.2 });
  workspace.show("export");
  prepare(backend, workspace);
  const user = setupUser();
  const { container } = render(App, { context: workspaceContext(workspace) });
  await waitFor(() => expect(backend.nCalls("exportTargets")).toBe(1));
  await waitFor(() =>
    expect(
      screen.getByRole("combobox", { name: "For" }).querySelector("[data-text='Clerk 1.2 (yours)']"),
    ).not.toBeNull(),
  );
  return { backend, workspace, user, container };
}

type Opened = Awaited<ReturnType<typeof open>>;

const chooseTarget = ({ user }: Opened, name: string) =>
  chooseOption(user, screen.getByRole("combobox", { name: "For" }), name);
const rows = () =>
  within(screen.getByRole("table", { name: "What becomes of each parameter" }))
    .getAllByRole("row")
    .slice(1)
    .map((row) => [...row.children].map((cell) => cell.textContent?.replace(/\s+/g, " ").trim()).join(" | "));
const writeButton = () => screen.getByRole("button", { name: "Write into clerk.json…" });
const changes = () => screen.getByRole("region", { name: "What changes in the config" });

describe("another program", () => {
  test("says of each parameter what becomes of it", async () => {
    const opened = await open();
    await chooseTarget(opened, "Clerk 1.2 (yours)");
    await screen.findByText("1 exact · 1 approximate · 1 no such setting");
    expect(rows()).toEqual([
      "Max results max_results | 10 | maxResults = 10 | exact",
      "Min score min_score | 0.2 | minScore = 0.2 | approximate: its scores stand on another scale",
      "Method fusion | calibrated | – | no such setting: the clerk adds scores",
    ]);
    expect(await violations(opened.container)).toEqual([]);
  });

  test("has its config opened in the user's editor", async () => {
    const opened = await open();
    await chooseTarget(opened, "Clerk 1.2 (yours)");
    await opened.user.click(await screen.findByRole("button", { name: "Open in editor" }));
    expect(opened.backend.calls.findLast(({ name }) => name === "openConfig")?.args).toEqual([
      CLERK.id,
      true,
      "system",
    ]);
    opened.backend.failing["openConfig"] = { code: "no_editor", message: "cannot open it: no opener" };
    await opened.user.click(screen.getByRole("button", { name: "Open in editor" }));
    expect(await screen.findByText("Cannot open it: no opener.")).toBeInTheDocument();
  });

  test("follows the sliders", async () => {
    const opened = await open();
    await chooseTarget(opened, "Clerk 1.2 (yours)");
    await waitFor(() => expect(changes()).toHaveTextContent("+ minScore: 0.2"));
    opened.workspace.parameters.set("min_score", 0.3);
    await waitFor(() => expect(changes()).toHaveTextContent("+ minScore: 0.3"));
  });

  test("is the agent that ranks, until another is chosen", async () => {
    const { workspace, backend } = await open();
    await waitFor(() => expect(workspace.pipelines.agents).toHaveLength(1));
    workspace.pipelines.choose(CLERK.id);
    await screen.findByText("from the parameters of Clerk 1.2");
    expect(backend.calls.findLast(({ name }) => name === "exportFor")?.args).toEqual([
      { pipeline: CLERK.id, values: workspace.pipelines.chosen.committed },
      "clerk@1.2",
      null,
    ]);
  });

  test("that is set by a call shows it, and has no config to write", async () => {
    const opened = await open();
    await chooseTarget(opened, "Call 1");
    await screen.findByText("call -n 10 --min-score 0.2");
    expect(screen.queryByRole("button", { name: /^Write/ })).toBeNull();
    expect(screen.queryByRole("button", { name: /config/ })).toBeNull();
    await opened.user.click(screen.getByRole("button", { name: "Copy" }));
    expect(await navigator.clipboard.readText()).toBe("call -n 10 --min-score 0.2\n");
  });
});

describe("the config", () => {
  test("is written once, and looked at again", async () => {
    const opened = await open();
    await chooseTarget(opened, "Clerk 1.2 (yours)");
    await waitFor(() => expect(writeButton()).toBeEnabled());
    expect(screen.getByText("Iris has settings of its own, which stay as they are.")).toBeInTheDocument();
    await opened.user.click(writeButton());
    expect(await screen.findByText(/Backup:/)).toHaveTextContent(
      "Changed ~/.clerk/clerk.json. Backup: ~/.clerk/clerk.json.bak",
    );
    await screen.findByText("The config already has these settings.");
    expect(writeButton()).toBeDisabled();
    await opened.user.click(screen.getByRole("button", { name: "Undo…" }));
    expect(await screen.findByText(/^Put back:/)).toHaveTextContent(
      "Put back: ~/.clerk/clerk.json. What was written is in ~/.clerk/clerk.json.2.bak.",
    );
    expect(opened.backend.nCalls("exportUndo")).toBe(1);
    expect(screen.queryByRole("button", { name: "Undo…" })).toBeNull();
  });

  test("stays where the user does not agree", async () => {
    let nAsked = 0;
    const opened = await open((backend) => {
      backend.exportWrite = () => {
        nAsked += 1;
        return Promise.resolve(null);
      };
    });
    await chooseTarget(opened, "Clerk 1.2 (yours)");
    await waitFor(() => expect(writeButton()).toBeEnabled());
    await opened.user.click(writeButton());
    await waitFor(() => expect(nAsked).toBe(1));
    await waitFor(() => expect(writeButton()).toBeEnabled());
    expect(screen.queryByText(/Backup/)).toBeNull();
  });

  test("is exported for one of two agents", async () => {
    const opened = await open();
    await chooseTarget(opened, "Clerk 1.2 (yours)");
    await chooseOption(opened.user, await screen.findByRole("combobox", { name: "Agent" }), "iris");
    await waitFor(() => expect(changes()).toHaveTextContent("+ iris.minScore: 0.2"));
  });

  test.each([
    ["cannot be read", { change: null, problem: "line 2: it ends too early" }, "Line 2: it ends too early."],
    ["is not there", { change: null }, "No clerk.json was found on this machine."],
  ])("that %s says so", async (_, given, words) => {
    const opened = await open((backend) => {
      backend.exportFor = (ranking, target, agent) =>
        Promise.resolve({ ...exported(ranking, target, agent, 0.35), ...given });
    });
    await chooseTarget(opened, "Clerk 1.2 (yours)");
    expect(await screen.findByText((text) => text.includes(words))).toBeInTheDocument();
    expect(writeButton()).toBeDisabled();
  });

  test("that fails while it is written says why", async () => {
    const opened = await open((backend) => {
      backend.failing["exportWrite"] = { code: "error", message: "it has changed since it was read" };
    });
    await chooseTarget(opened, "Clerk 1.2 (yours)");
    await waitFor(() => expect(writeButton()).toBeEnabled());
    await opened.user.click(writeButton());
    expect(await screen.findByRole("alert")).toHaveTextContent(
      "Cannot change the config. It has changed since it was read.",
    );
  });
});

describe("the nearest setting", () => {
  const card = () => screen.getByRole("region", { name: "What comes nearest" });

  test("is found on a query set and can be used", async () => {
    const opened = await open();
    await chooseTarget(opened, "Clerk 1.2 (yours)");
    await opened.user.click(await screen.findByRole("button", { name: "Try on 12 queries" }));
    await waitFor(() => expect(card()).toHaveTextContent("Nearest found 0.612"));
    expect(card()).toHaveTextContent("nDCG@10 over 57 queries, 41 settings tried on them");
    expect(card()).toHaveTextContent("clerk.min_score 0.05");
    expect(opened.backend.calls.findLast(({ name }) => name === "nearestSetting")?.args[0]).toBe("judgments");
    await opened.user.click(within(card()).getByRole("button", { name: "Use it" }));
    await screen.findByText("from the parameters of Clerk 1.2");
    expect(opened.workspace.pipelines.chosen.committed["clerk.min_score"]).toBe(0.05);
    // The program's own values are exported unchanged.
    expect(screen.queryByRole("region", { name: "What comes nearest" })).toBeNull();
  });

  test("is not looked for where no query is judged", async () => {
    const opened = await open(() => {}, "none");
    await chooseTarget(opened, "Clerk 1.2 (yours)");
    expect(await screen.findByRole("button", { name: "No query is judged" })).toBeDisabled();
    expect(screen.getByRole("button", { name: "Query set: Judgments" })).toBeInTheDocument();
    expect(opened.backend.nCalls("nearestSetting")).toBe(0);
  });

  test("can be cancelled, and says why it failed", async () => {
    const opened = await open((backend) => {
      let stopped: (found: null) => void = () => {};
      backend.nearestSetting = () => new Promise((resolve) => (stopped = resolve));
      backend.stop = () => {
        stopped(null);
        return Promise.resolve();
      };
    });
    await chooseTarget(opened, "Clerk 1.2 (yours)");
    await opened.user.click(await screen.findByRole("button", { name: "Try on 12 queries" }));
    await opened.user.click(await screen.findByRole("button", { name: "Cancel" }));
    expect(await screen.findByRole("button", { name: "Try on 12 queries" })).toBeEnabled();
    opened.backend.nearestSetting = () => Promise.reject(new Error("no model"));
    await opened.user.click(screen.getByRole("button", { name: "Try on 12 queries" }));
    expect(await screen.findByRole("alert")).toHaveTextContent("No model.");
  });

  test("of a program that is not emulated is not offered", async () => {
    const opened = await open();
    await chooseTarget(opened, "Call 1");
    await screen.findByText("call -n 10 --min-score 0.2");
    expect(screen.queryByRole("region", { name: "What comes nearest" })).toBeNull();
  });
});

test("a diff is shown by its lines", () => {
  expect(diffLines("@@ -1 +1 @@\n-a\n+b\n c\n").map(({ kind, text }) => `${kind} ${text}`)).toEqual([
    "place @@ -1 +1 @@",
    "old -a",
    "new +b",
    "same  c",
  ]);
});
