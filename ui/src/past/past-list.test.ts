import { expect, test, vi } from "vitest";
import { PastMemory } from "../../tests/fake/past";
import type { LostAnswers, PastFilterArgument, PastPageArgument, PastQuestions } from "../api/bindings";
import { PastList } from "./past-list.svelte";

const N = 1_800;

function made(nRows: number = N) {
  const past = new PastMemory("read", nRows);
  const asked: (number | null)[] = [];
  const pastQuestions = vi.fn(
    (filter: PastFilterArgument, page: PastPageArgument): Promise<PastQuestions> => {
      asked.push(page.at);
      return Promise.resolve(past.questions(filter, page));
    },
  );
  let notify: (lost: LostAnswers | null) => void = () => undefined;
  const onLost = (listener: typeof notify) => {
    notify = listener;
    return () => void (notify = () => undefined);
  };
  const list = new PastList({ pastQuestions, onLost });
  return { list, asked, pastQuestions, past, notify: (lost: LostAnswers | null) => notify(lost) };
}

/** All that was wished is read; the loop waits for frames between. */
async function settled(): Promise<void> {
  for (let n = 0; n < 6; n++) await new Promise((resolve) => setTimeout(resolve, 20));
}

test("pages are read as they come into sight, each once", async () => {
  const { list, asked } = made();
  list.refresh();
  await settled();
  expect([list.n, list.openId, list.openAt]).toEqual([N, "m1", 0]);
  expect(list.rowAt(499)?.id).toBe("m500");
  expect(list.rowAt(500)).toBeNull();
  list.show(490, 510);
  await settled();
  expect(list.rowAt(510)?.id).toBe("m511");
  // What was scrolled past while a page was read is not read.
  list.show(1_790, 1_799);
  list.show(1_010, 1_020);
  list.show(0, 20);
  await settled();
  list.show(505, 515);
  await settled();
  expect(asked).toEqual([0, 510, 1_790]);
  expect(list.rowAt(1_799)?.id).toBe("m1800");
});

test("what is opened at first is a search, not an opening of notes", async () => {
  const { list, past, pastQuestions } = made(3);
  pastQuestions.mockImplementation((filter, page) => {
    const all = past.questions(filter, page);
    const rows = all.rows.map((row, at) => ({ ...row, is_opening: at === 0 }));
    return Promise.resolve({ ...all, rows });
  });
  list.refresh();
  await settled();
  expect([list.openId, list.openAt, list.openRow?.id]).toEqual(["m2", 1, "m2"]);
});

test("a row that is not read yet is opened once it is", async () => {
  const { list } = made();
  list.refresh();
  await settled();
  list.openPlace(1_799);
  expect(list.openId).toBe("m1");
  await settled();
  expect([list.openId, list.openAt, list.openRow?.id]).toEqual(["m1800", 1_799, "m1800"]);
});

test("a question is opened among all with its page, wherever it stands", async () => {
  const { list } = made();
  list.narrow({ agent: "iris" });
  await settled();
  list.openAmongAll("m1234");
  await settled();
  expect([list.n, list.openId, list.openAt]).toEqual([N, "m1234", 1_233]);
  expect(list.openRow?.id).toBe("m1234");
  // Another question of a page that is not loaded, at the current scroll position.
  list.open("m9");
  await settled();
  expect([list.openAt, list.rowAt(8)?.id, list.rowAt(1_233)?.id]).toEqual([8, "m9", "m1234"]);
});

test("what is read again is what is in sight, and the opened question keeps its row", async () => {
  const { list, asked } = made();
  list.refresh();
  await settled();
  list.show(1_200, 1_220);
  await settled();
  list.refresh();
  await settled();
  expect(asked).toEqual([0, 1_200, 1_200]);
  expect([list.openId, list.openAt, list.openRow?.id]).toEqual(["m1", 0, "m1"]);
  expect(list.rowAt(0)).toBeNull();
  expect(list.rowAt(1_200)?.id).toBe("m1201");
});

test("rows that came or went in between leave no page of before", async () => {
  const { list, pastQuestions } = made();
  list.refresh();
  await settled();
  pastQuestions.mockImplementation((filter, page) =>
    Promise.resolve(new PastMemory("read", N + 1).questions(filter, page)),
  );
  list.show(600, 620);
  await settled();
  expect(list.n).toBe(N + 1);
  expect(list.rowAt(0)).toBeNull();
});

test("a filter that leaves the opened question out opens the first that is left", async () => {
  const { list } = made();
  list.refresh();
  await settled();
  list.narrow({ agent: "iris" });
  await settled();
  expect([list.openId, list.openAt]).toEqual(["m3", 0]);
  list.narrow({ only: "changed" });
  await settled();
  expect([list.n, list.openId, list.openRow]).toEqual([0, null, null]);
});

test("rows in sight are those of the list while other words are typed", async () => {
  const { list, pastQuestions } = made();
  list.refresh();
  await settled();
  list.find("relay");
  list.show(600, 620);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(pastQuestions.mock.calls.at(-1)?.[0].text).toBe("");
  await new Promise((resolve) => setTimeout(resolve, 250));
  await settled();
  expect(pastQuestions.mock.calls.at(-1)?.[0].text).toBe("relay");
  expect(list.n).toBe(180);
});

test("a page that cannot be read is reported, and read when asked again", async () => {
  const { list, pastQuestions } = made();
  list.refresh();
  await settled();
  pastQuestions.mockRejectedValueOnce({ code: "error", message: "the disk is gone" });
  list.show(600, 620);
  await settled();
  expect(list.error?.message).toBe("the disk is gone");
  list.refresh();
  await settled();
  expect(list.error).toBeNull();
  expect(list.rowAt(610)?.id).toBe("m611");
});

test("what the engine forgets is listed no longer, and another one is opened for it", async () => {
  const { list, past, pastQuestions, notify } = made(12);
  const stop = list.follow();
  list.refresh();
  await settled();
  list.open("m12");
  past.forgetOldest(2);
  notify({ at_ms: 0, sentence: "", edited: [], notes: [] });
  expect(pastQuestions).toHaveBeenCalledTimes(1);
  notify(null);
  await settled();
  expect([list.n, list.rowAt(9)?.id, list.rowAt(10)]).toEqual([10, "m10", null]);
  expect([list.openId, list.openRow?.id]).toEqual(["m1", "m1"]);
  stop();
  past.forgetOldest(10);
  notify(null);
  await settled();
  expect(list.n).toBe(10);
});

/** The list of iris, with a question of another agent opened. */
async function hidden(nRows = 12) {
  const one = made(nRows);
  one.list.follow();
  one.list.narrow({ agent: "iris" });
  await settled();
  one.list.open("m11");
  await settled();
  one.list.refresh();
  await settled();
  return one;
}

test("an opened question that the filter leaves out stays opened until the engine forgets it", async () => {
  const { list, past, notify } = await hidden();
  expect([list.openId, list.openAt]).toEqual(["m11", null]);
  past.forgetOldest(1);
  notify(null);
  await settled();
  expect([list.openId, list.openAt]).toEqual(["m11", null]);
  past.forgetOldest(1);
  notify(null);
  await settled();
  expect([list.openId, list.openAt, list.openRow?.id]).toEqual(["m3", 0, "m3"]);
});

test("an opened question that the filter leaves out is not looked for where others only come into sight", async () => {
  const { list, asked } = await hidden(N);
  const nAsked = asked.length;
  list.show(510, 520);
  await settled();
  expect(asked.slice(nAsked)).toEqual([510]);
  expect(list.rowAt(510)).not.toBeNull();
});

test("an opened question stays opened while it is unknown whether the engine forgot it", async () => {
  const { list, past, pastQuestions, notify } = await hidden();
  past.forgetOldest(2);
  let isFailing = true;
  pastQuestions.mockImplementation((filter, page) =>
    isFailing && filter.agent === null
      ? Promise.reject(new Error("the disk is gone"))
      : Promise.resolve(past.questions(filter, page)),
  );
  notify(null);
  await settled();
  expect([list.openId, list.openAt, list.n, list.error]).toEqual(["m11", null, 3, null]);
  isFailing = false;
  notify(null);
  await settled();
  expect(list.openId).toBe("m3");
});

test("a question that is opened while the engine is asked for one it forgot stays opened", async () => {
  const { list, past, pastQuestions, notify } = await hidden();
  past.forgetOldest(2);
  const second = list.rowAt(1)?.id ?? "";
  pastQuestions.mockImplementation((filter, page) => {
    if (filter.agent === null) list.open(second);
    return Promise.resolve(past.questions(filter, page));
  });
  notify(null);
  await settled();
  expect([list.openId, list.openAt]).toEqual([second, 1]);
});
