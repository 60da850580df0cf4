// Thousands of problems and events: what is drawn of them stays bounded, and what is drawn already is not drawn again.
import { render, screen } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import { LibraryBackend, SAVED_MS } from "../../tests/fake/library";
import type { Activity, FileProblem } from "../api/bindings";
import ActivityDialog from "./ActivityDialog.svelte";
import ActivityList from "./ActivityList.svelte";
import ProblemList from "./ProblemList.svelte";
import ProblemsDialog from "./ProblemsDialog.svelte";
import { Reports } from "./reports.svelte";

const N = 5_000;
/** Rows drawn at most, and elements of a row. */
const [ROWS_MAX, ROW_ELEMENTS_MAX] = [500, 15];

const problem = (at: number): FileProblem => ({
  folder: "notes",
  folder_name: "memory",
  path: `note-${at}.md`,
  line: at,
  message: "not valid YAML",
  severity: "note",
});
const event = (at: number): Activity => ({
  at_ms: SAVED_MS + at,
  folder_name: "memory",
  path: `note-${at}.md`,
  what: "changed",
  detail: null,
});
const countTo = <Item>(n: number, make: (at: number) => Item) =>
  Array.from({ length: n }, (_, at) => make(at));
// Roles of so many rows take seconds to be worked out.
const rows = () => [...document.querySelectorAll("li")];
/** What a screen reader was told. */
const said = () => [...document.querySelectorAll("[role=status]")].map((one) => one.textContent).join("");

/** Counts the rows that come and go while something is done. */
async function drawn(work: () => Promise<unknown>): Promise<{ n_new: number; n_gone: number }> {
  const before = new Set(rows());
  await work();
  const n_known = rows().filter((row) => before.has(row)).length;
  return { n_new: rows().length - n_known, n_gone: before.size - n_known };
}

/** The dialog of so many problems. */
async function listed(n: number) {
  const problems = countTo(n, problem);
  const reports = new Reports(new LibraryBackend({ problems }));
  render(ProblemsDialog, { open: true, reports, generation: 1, onShow: () => undefined });
  expect(await screen.findByText("note-0.md")).toBeInTheDocument();
  return { problems, reports, user: userEvent.setup() };
}

test("of 5,000 problems a bounded number is drawn, and the rest counted; those read again stay", async () => {
  const { reports } = await listed(N);
  expect(screen.getByText("500 of 5,000 shown")).toBeInTheDocument();
  expect(screen.getByText(/^5,000 notes\./)).toBeInTheDocument();
  expect(rows()).toHaveLength(ROWS_MAX);
  expect(document.querySelectorAll("*").length).toBeLessThan(ROWS_MAX * ROW_ELEMENTS_MAX);
  expect(await drawn(() => reports.readProblems())).toEqual({ n_new: 0, n_gone: 0 });
});

test("more problems are shown when asked, until all are, and the focus goes on with the first of them", async () => {
  const { user } = await listed(1_200);
  const more = (n: number) => screen.findByText<HTMLElement>(`Show ${n} more`);
  (await more(500)).focus();
  expect(await drawn(() => user.keyboard("{Enter}"))).toEqual({ n_new: 500, n_gone: 0 });
  expect(rows()[500]?.querySelector("button")).toHaveFocus();
  expect(said()).toBe("1,000 of 1,200 shown");
  (await more(200)).focus();
  expect(await drawn(() => user.keyboard(" "))).toEqual({ n_new: 200, n_gone: 0 });
  expect(rows()[1_000]?.querySelector("button")).toHaveFocus();
  expect(said()).toBe("1,200 of 1,200 shown");
  expect(screen.queryByText(/^Show/)).toBeNull();
});

test("a problem that is not shown is found by its words", async () => {
  const { user } = await listed(1_200);
  await user.type(screen.getByLabelText("Find in the problems"), "yaml NOTE-1199");
  expect(rows()).toHaveLength(1);
  expect(rows()[0]).toHaveTextContent("note-1199.md");
  expect(said()).toBe("1");
  await user.keyboard("9");
  expect(screen.getByText("No problem has “yaml NOTE-11999” in it.")).toBeInTheDocument();
  await user.click(screen.getByLabelText("Clear the words"));
  expect(rows()).toHaveLength(ROWS_MAX);
  expect(said()).toBe("");
});

test("few problems have no find box and nothing more to show", async () => {
  await listed(3);
  expect(screen.queryByLabelText("Find in the problems")).toBeNull();
  expect(screen.queryByText(/ shown$/)).toBeNull();
});

test("a new problem above all others draws one row", async () => {
  const { problems, reports } = await listed(N);
  problems.push({ ...problem(N), severity: "error" });
  expect(await drawn(() => reports.readProblems())).toEqual({ n_new: 1, n_gone: 1 });
  expect(rows()[0]).toHaveTextContent(`note-${N}.md`);
});

test("problems that are alike in all are drawn each", async () => {
  const twice = { problems: [problem(1), problem(1), problem(2)], onShow: () => undefined };
  const { rerender } = render(ProblemList, twice);
  expect(rows()).toHaveLength(3);
  const anew = { ...twice, problems: [problem(0), problem(1), problem(1), problem(1), problem(2)] };
  expect(await drawn(() => rerender(anew))).toEqual({ n_new: 2, n_gone: 0 });
});

test("of 5,000 events a bounded number is drawn, and one more draws one row", async () => {
  const backend = new LibraryBackend({ activity: countTo(N, event).reverse() });
  const reports = new Reports(backend);
  render(ActivityDialog, { open: true, reports, onShow: () => undefined });
  expect(await screen.findByText("note-4999.md")).toBeInTheDocument();
  expect(rows()).toHaveLength(ROWS_MAX);
  expect(document.querySelectorAll("*").length).toBeLessThan(ROWS_MAX * ROW_ELEMENTS_MAX);
  const happen = async () => {
    backend.happen(event(N));
    expect(await screen.findByText(`note-${N}.md`)).toBeInTheDocument();
  };
  expect(await drawn(happen)).toEqual({ n_new: 1, n_gone: 1 });
  for (let at = 1; at <= N; at += 1) backend.happen(event(N + at));
  expect(await screen.findByText(`note-${2 * N}.md`)).toBeInTheDocument();
  expect(rows()).toHaveLength(ROWS_MAX);
});

test("the first event of a new day draws one row", async () => {
  const activity = countTo(10, event).reverse();
  const { rerender } = render(ActivityList, { activity, nowMs: SAVED_MS, onShow: () => undefined });
  const tomorrow = SAVED_MS + 86_400_000;
  const newer = [{ ...event(N), at_ms: tomorrow }, ...activity];
  expect(await drawn(() => rerender({ activity: newer, nowMs: tomorrow }))).toEqual({ n_new: 1, n_gone: 0 });
  expect(screen.getAllByRole("list")).toHaveLength(2);
});
