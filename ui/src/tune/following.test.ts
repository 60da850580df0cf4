// An answer that follows a wish: newest wins, nothing is asked twice, what was cleared does not come back.
import { expect, test } from "vitest";
import { Following } from "./following.svelte";

/** A following whose answers are given by hand, in the order of the requests. */
function byHand() {
  const asked: { wish: number; answer: (answer: string | null) => void; fail: () => void }[] = [];
  const following = new Following<number, string>(
    (wish) =>
      new Promise((resolve, reject) => {
        asked.push({ wish, answer: resolve, fail: () => reject({ code: "error", message: "no" }) });
      }),
  );
  const rest = () => new Promise((resolve) => setTimeout(resolve, 40));
  return { asked, following, rest };
}

test("while one request is under way, wishes collapse into the newest", async () => {
  const { asked, following, rest } = byHand();
  for (const wish of [1, 2, 3]) following.want(wish);
  expect(asked.map(({ wish }) => wish)).toEqual([1]);
  asked[0]?.answer("one");
  await rest();
  expect(asked.map(({ wish }) => wish)).toEqual([1, 3]);
  // The older answer is shown meanwhile, and is known to be older.
  expect([following.answer, following.isCurrent]).toEqual(["one", false]);
  asked[1]?.answer("three");
  await rest();
  expect([following.answer, following.isCurrent]).toEqual(["three", true]);
});

test("the same wish is asked once", async () => {
  const { asked, following, rest } = byHand();
  following.want(1);
  asked[0]?.answer("one");
  await rest();
  following.want(1);
  expect(asked).toHaveLength(1);
});

test("a stopped request keeps the last answer and goes on when asked again", async () => {
  const { asked, following, rest } = byHand();
  following.want(1);
  asked[0]?.answer("one");
  await rest();
  following.want(2);
  asked[1]?.answer(null);
  await rest();
  expect([following.answer, following.isCurrent, following.isStopped]).toEqual(["one", false, true]);
  following.askAgain();
  expect(following.isStopped).toBe(false);
  asked[2]?.answer("two");
  await rest();
  expect([following.answer, following.isCurrent]).toEqual(["two", true]);
});

test("an answer that comes after all was cleared is dropped", async () => {
  const { asked, following, rest } = byHand();
  following.want(1);
  following.clear();
  asked[0]?.answer("one");
  await rest();
  expect([following.answer, following.isAsking]).toEqual([null, false]);
});

test("nor does it stand for what was asked since", async () => {
  const { asked, following, rest } = byHand();
  following.want(1);
  following.clear();
  following.want(2);
  asked[0]?.answer("one");
  await rest();
  expect(following.answer).toBeNull();
  asked[1]?.answer("two");
  await rest();
  expect(following.answer).toBe("two");
});

test("an error leaves no answer of an earlier wish behind", async () => {
  const { asked, following, rest } = byHand();
  following.want(1);
  asked[0]?.answer("one");
  await rest();
  following.want(2);
  asked[1]?.fail();
  await rest();
  expect([following.answer, following.isCurrent, following.error?.message]).toEqual([null, false, "no"]);
});

test("an error is reported until an answer comes", async () => {
  const { asked, following, rest } = byHand();
  following.want(1);
  asked[0]?.fail();
  await rest();
  expect(following.error?.message).toBe("no");
  following.askAgain();
  asked[1]?.answer("one");
  await rest();
  expect([following.error, following.answer]).toEqual([null, "one"]);
});
