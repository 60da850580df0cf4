// Thousands of problems and events: what is drawn of them stays bounded, and what is drawn already is not drawn again.
import { fireEvent, render, screen, waitFor } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { tick } from "svelte";
import { afterEach, describe, expect, test, vi } from "vitest";
import { violations } from "../../tests/axe";
import { LibraryBackend, SAVED_MS } from "../../tests/fake/library";
import { layOut } from "../../tests/layout";
import { setupUser } from "../../tests/user";
import type { Activity, FileProblem } from "../api/bindings";
import ActivityDialog from "./ActivityDialog.svelte";
import ActivityList from "./ActivityList.svelte";
import ProblemList from "./ProblemList.svelte";
import ProblemsDialog from "./ProblemsDialog.svelte";
import { Reports } from "./reports.svelte";

layOut();
afterEach(() => void vi.useRealTimers());

/** Events, and problems. */
const [N, N_PROBLEMS] = [5_000, 50_000];
/** Events drawn at most, and elements of a row. */
const [ROWS_MAX, ROW_ELEMENTS_MAX] = [500, 15];
/** Problems drawn at most: those in sight, and some beyond. */
const PROBLEM_ROWS_MAX = 60;
const DAY_MS = 86_400_000;

/** As the order of problems has it, by path. */
const pathOf = (at: number) => `note-${String(at).padStart(5, "0")}.md`;
const problem = (at: number): FileProblem => ({
  folder: "notes",
  folder_name: "memory",
  path: pathOf(at),
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
// Queries by role take seconds with so many rows.
const rows = () => [...document.querySelectorAll("li")];
/** Lets the window draw what changed, and what that changes. */
async function settled() {
  for (let n = 0; n < 3; n += 1) await tick();
}

/** Counts the rows that come and go while something is done. */
async function drawn(work: () => Promise<unknown>): Promise<{ n_new: number; n_gone: number }> {
  const before = new Set(rows());
  await work();
  const n_known = rows().filter((row) => before.has(row)).length;
  return { n_new: rows().length - n_known, n_gone: before.size - n_known };
}

describe("the dialog of problems", () => {
  /** The dialog with `n` problems. */
  async function listed(n: number, made = problem) {
    const problems = countTo(n, made);
    const reports = new Reports(new LibraryBackend({ problems }));
    await reports.readProblems();
    const shown: FileProblem[] = [];
    const props = { reports, generation: 1, onShow: (one: FileProblem) => void shown.push(one) };
    const { rerender } = render(ProblemsDialog, { open: true, ...props });
    expect(await screen.findByText(pathOf(0))).toBeInTheDocument();
    const read = async () => {
      await reports.readProblems();
      await settled();
    };
    return { problems, read, shown, rerender, user: setupUser() };
  }

  const rowOf = (at: number) => {
    const row = rows().find((one) => one.textContent.includes(pathOf(at)));
    if (row === undefined) throw new Error(`${pathOf(at)} is not drawn`);
    return row;
  };
  const buttons = (at: number) => [...rowOf(at).querySelectorAll("button")];
  const isDrawn = (at: number) => rows().some((row) => row.textContent.includes(pathOf(at)));
  const scroller = () => document.querySelector<HTMLElement>("[role=dialog] > .body") as HTMLElement;
  const allPx = () => Number.parseFloat(scroller().querySelector("ul")?.style.height ?? "");
  const startPx = (row: HTMLElement) => Number.parseFloat(row.style.transform.slice("translateY(".length));
  /** How far below the upper border of what is in sight. */
  const inSightPx = (at: number) => startPx(rowOf(at)) - scroller().scrollTop;
  /** As by the wheel. */
  async function scrollTo(px: number) {
    scroller().scrollTop = px;
    await fireEvent.scroll(scroller());
  }
  const findBox = () => screen.getByLabelText("Find in the problems");
  const nFound = () => document.querySelector("[role=search] [role=status]")?.textContent;

  test("draws only what is in sight of 50,000, as one list that scrolls to the last", async () => {
    await listed(N_PROBLEMS);
    expect(screen.getByText(/^50,000 notes\./)).toBeInTheDocument();
    expect(rows().length).toBeLessThan(PROBLEM_ROWS_MAX);
    expect(allPx()).toBeGreaterThan(20 * N_PROBLEMS);
    await scrollTo(allPx() - scroller().clientHeight);
    const last = rowOf(N_PROBLEMS - 1);
    expect(rows().at(-1)).toBe(last);
    expect(rows().length).toBeLessThan(PROBLEM_ROWS_MAX);
    expect(isDrawn(0)).toBe(false);
    expect(last).toHaveAttribute("aria-posinset", "50000");
    expect(last).toHaveAttribute("aria-setsize", "50000");
    expect(await violations(document.body)).toEqual([]);
  });

  test("looks at a problem out of sight when the list is another, and not when it scrolls", async () => {
    let nLooks = 0;
    await listed(N_PROBLEMS, (at) => ({
      ...problem(at),
      get message() {
        if (at > 1_000) nLooks += 1;
        return "not valid YAML";
      },
    }));
    // The dialog reads the problems again when it opens.
    await new Promise((resolve) => setTimeout(resolve));
    await settled();
    expect(nLooks).toBeGreaterThan(0);
    nLooks = 0;
    for (let px = 0; px < 10_000; px += 500) await scrollTo(px);
    expect(isDrawn(190)).toBe(true);
    expect(nLooks).toBe(0);
  });

  test("measures rows, so that a long message does not lie over the next row", async () => {
    const px = (row: HTMLElement) => (row.textContent.includes("Long ago") ? 130 : 40);
    vi.spyOn(HTMLElement.prototype, "offsetHeight", "get").mockImplementation(function (this: HTMLElement) {
      return this.matches("li") ? px(this) : 600;
    });
    await listed(100, (at) => ({ ...problem(at), message: at % 2 === 0 ? "long ago" : "short" }));
    expect([0, 1, 2, 3].map((at) => startPx(rowOf(at)))).toEqual([0, 130, 170, 300]);
  });

  test("has a find box where it is long, and Tab goes from it to the first row", async () => {
    const { user } = await listed(11);
    await user.click(findBox());
    await user.tab();
    expect(buttons(0)[0]).toHaveFocus();
  });

  test("has no find box where all are in sight", async () => {
    await listed(10);
    expect(screen.queryByLabelText("Find in the problems")).toBeNull();
  });

  test("is walked by Tab through the buttons of the rows, and by keys along their first or second", async () => {
    const { user, shown } = await listed(N_PROBLEMS);
    buttons(0)[0]?.focus();
    await user.tab();
    expect(buttons(0)[1]).toHaveFocus();
    await user.tab();
    expect(buttons(1)[0]).toHaveFocus();
    await user.tab({ shift: true });
    expect(buttons(0)[1]).toHaveFocus();
    await user.keyboard("{ArrowDown}{ArrowDown}{ArrowUp}{ArrowDown}");
    expect(buttons(2)[1]).toHaveFocus();
    await user.keyboard("{PageDown}");
    expect(document.activeElement?.closest("li")?.ariaPosInSet ?? "").not.toBe("3");
    await user.keyboard("{End}");
    expect(buttons(N_PROBLEMS - 1)[1]).toHaveFocus();
    expect(inSightPx(N_PROBLEMS - 1)).toBeLessThan(scroller().clientHeight);
    await user.keyboard("{ArrowDown}");
    expect(buttons(N_PROBLEMS - 1)[1]).toHaveFocus();
    await user.keyboard("{Home}{ArrowUp}");
    expect(buttons(0)[1]).toHaveFocus();
    await waitFor(() => expect(scroller().scrollTop).toBe(0));
    await user.tab({ shift: true });
    await user.keyboard("{Enter}");
    expect(shown.map(({ path }) => path)).toEqual([pathOf(0)]);
  });

  test("keeps the focus on a row that scrolls out of sight and back, and Tab goes on from there", async () => {
    const { user } = await listed(N_PROBLEMS);
    const [, open] = buttons(3);
    open?.focus();
    await scrollTo(allPx() / 2);
    expect(open).toHaveFocus();
    expect(isDrawn(25_010)).toBe(true);
    expect(isDrawn(9)).toBe(false);
    await user.tab();
    expect(buttons(4)[0]).toHaveFocus();
    await scrollTo(0);
    expect(buttons(4)[0]).toHaveFocus();
    await user.click(findBox());
    await scrollTo(allPx() / 2);
    expect(isDrawn(4)).toBe(false);
  });

  test("draws one row more for a new problem above all others", async () => {
    const { problems, read } = await listed(N_PROBLEMS);
    problems.push({ ...problem(N_PROBLEMS), severity: "error" });
    const { n_new, n_gone } = await drawn(read);
    expect(n_new).toBe(1);
    // As many as it pushes out of sight: it is not measured when the others move.
    expect(n_gone).toBeLessThan(4);
    expect(rows()[0]).toHaveTextContent(pathOf(N_PROBLEMS));
  });

  test("keeps what is read in its place, and the focus, when problems come and go above", async () => {
    const { problems, read } = await listed(N_PROBLEMS);
    await scrollTo(allPx() / 2);
    const [, open] = buttons(25_020);
    open?.focus();
    const before = inSightPx(25_015);
    expect(inSightPx(25_010)).toBeGreaterThan(0);
    problems.push(...countTo(1_000, (at) => ({ ...problem(N_PROBLEMS + at), severity: "error" as const })));
    expect(await drawn(read)).toEqual({ n_new: 0, n_gone: 0 });
    expect(inSightPx(25_015)).toBe(before);
    expect(rowOf(25_015)).toHaveAttribute("aria-posinset", "26016");
    expect(open).toHaveFocus();
    // The first visible ones are among them.
    problems.splice(0, 25_012);
    await read();
    expect(inSightPx(25_015)).toBe(before);
    expect(open).toHaveFocus();
  });

  test("puts the focus on the next row when its own is gone", async () => {
    const { problems, read } = await listed(N_PROBLEMS);
    buttons(7)[1]?.focus();
    problems.splice(7, 1);
    await read();
    await waitFor(() => expect(buttons(8)[1]).toHaveFocus());
  });

  test("draws no row again that is read again", async () => {
    const { read } = await listed(N_PROBLEMS);
    expect(await drawn(read)).toEqual({ n_new: 0, n_gone: 0 });
  });

  test("finds a problem by its words, shows how many, and lists what is found from its first row", async () => {
    const { user } = await listed(N_PROBLEMS);
    await scrollTo(allPx() / 2);
    await user.type(findBox(), "yaml NOTE-2");
    await waitFor(() => expect(nFound()).toBe("10,000"));
    expect(isDrawn(20_000)).toBe(true);
    expect(scroller().scrollTop).toBe(0);
    await user.clear(findBox());
    await user.type(findBox(), "yaml NOTE-4999");
    await waitFor(() => expect(nFound()).toBe("10"));
    expect(rows().map((row) => row.getAttribute("aria-setsize"))).toEqual(countTo(10, () => "10"));
    await user.keyboard("99");
    expect(await screen.findByText("No problem has “yaml NOTE-499999” in it.")).toBeInTheDocument();
    expect(nFound()).toBe("0");
    await user.click(screen.getByLabelText("Clear the words"));
    expect(isDrawn(0)).toBe(true);
    expect(nFound()).toBe("");
  });

  test("opened again has its words still, and stands at the first row", async () => {
    const { user, rerender } = await listed(N_PROBLEMS);
    await user.type(findBox(), "note-4");
    await waitFor(() => expect(nFound()).toBe("10,000"));
    await scrollTo(allPx() / 2);
    await rerender({ open: false });
    await waitFor(() => expect(rows()).toEqual([]));
    await rerender({ open: true });
    await waitFor(() => expect(findBox()).toHaveValue("note-4"));
    expect(nFound()).toBe("10,000");
    expect(isDrawn(40_000)).toBe(true);
    expect(scroller().scrollTop).toBe(0);
  });

  test("says in sight, wherever the list is scrolled to, why the editor does not open", async () => {
    const backend = new LibraryBackend({ problems: countTo(N, problem) });
    backend.failing.openInEditor = { code: "error", message: "no editor is set" };
    const props = { reports: new Reports(backend), generation: 1, onShow: () => undefined };
    render(ProblemsDialog, { open: true, ...props });
    await screen.findByText(pathOf(0));
    await userEvent.click(buttons(2)[1] as HTMLElement);
    const said = await screen.findByText("No editor is set.");
    expect(scroller()).not.toContainElement(said);
  });
});

test("problems that are alike in all are drawn each", async () => {
  const twice = { problems: [problem(1), problem(1), problem(2)], onShow: () => undefined };
  const { rerender } = render(ProblemList, twice);
  expect(rows()).toHaveLength(3);
  const reread = { ...twice, problems: [problem(0), problem(1), problem(1), problem(1), problem(2)] };
  expect(await drawn(() => rerender(reread))).toEqual({ n_new: 2, n_gone: 0 });
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

test("the first event of a new day draws one row, and at midnight the day before is called so", async () => {
  vi.useFakeTimers({ now: SAVED_MS, toFake: ["Date", "setTimeout", "clearTimeout"] });
  const activity = countTo(10, event).reverse();
  const props = { activity, onShow: () => undefined };
  const { rerender, unmount } = render(ActivityList, props);
  const days = () => [...document.querySelectorAll(".day")].map((one) => one.textContent);
  expect(days()).toEqual(["Today"]);
  const pass = async () => {
    vi.advanceTimersByTime(DAY_MS);
    await tick();
  };
  expect(await drawn(pass)).toEqual({ n_new: 0, n_gone: 0 });
  expect(days()).toEqual(["Yesterday"]);
  const newer = [{ ...event(N), at_ms: SAVED_MS + DAY_MS }, ...activity];
  expect(await drawn(() => rerender({ ...props, activity: newer }))).toEqual({ n_new: 1, n_gone: 0 });
  expect(days()).toEqual(["Today", "Yesterday"]);
  unmount();
  await tick();
  expect(vi.getTimerCount()).toBe(0);
});
