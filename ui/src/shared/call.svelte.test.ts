// Requests of controllers: the newest run wins, errors are mapped once, nothing of an old run comes back.
import { flushSync } from "svelte";
import { expect, test, vi } from "vitest";
import { Actions, Call, type OnFailure } from "./call.svelte";

const REFUSED = { code: "io", message: "no disk" };

/** A call whose requests are answered by hand, in any order. */
function byHand(onFailure?: OnFailure) {
  const asked: { wish: number; answer: (answer: string) => void; fail: (error: unknown) => void }[] = [];
  const call = new Call(
    (wish: number) =>
      new Promise<string>((answer, fail) => {
        asked.push({ wish, answer, fail });
      }),
    onFailure,
  );
  return { asked, call };
}

test("a call holds its answer and runs until then", async () => {
  const { asked, call } = byHand();
  expect([call.data, call.isRunning, call.error]).toEqual([null, false, null]);
  const running = call.run(1);
  expect([call.data, call.isRunning]).toEqual([null, true]);
  asked[0]?.answer("one");
  expect(await running).toBe(true);
  expect([call.data, call.isRunning, call.error]).toEqual(["one", false, null]);
});

test("a superseded answer is dropped, also when it comes last, and the newest run alone ends the running", async () => {
  const { asked, call } = byHand();
  const [first, second, third] = [call.run(1), call.run(2), call.run(3)];
  asked[0]?.answer("one");
  expect(await first).toBe(false);
  expect([call.data, call.isRunning]).toEqual([null, true]);
  asked[2]?.answer("three");
  expect(await third).toBe(true);
  asked[1]?.answer("two");
  expect(await second).toBe(false);
  expect([call.data, call.isRunning]).toEqual(["three", false]);
});

test("a superseded error is dropped", async () => {
  const { asked, call } = byHand();
  const [first, second] = [call.run(1), call.run(2)];
  asked[1]?.answer("two");
  await second;
  asked[0]?.fail(REFUSED);
  expect(await first).toBe(false);
  expect([call.data, call.error]).toEqual(["two", null]);
});

test("an error stays until an answer comes, and keeps the data of before", async () => {
  const { asked, call } = byHand();
  const first = call.run(1);
  asked[0]?.answer("one");
  await first;
  const second = call.run(2);
  asked[1]?.fail(REFUSED);
  expect(await second).toBe(false);
  expect([call.data, call.error, call.isRunning]).toEqual(["one", REFUSED, false]);
  const third = call.run(3);
  expect(call.error).toEqual(REFUSED);
  asked[2]?.answer("three");
  await third;
  expect([call.data, call.error]).toEqual(["three", null]);
});

test("where old data would mislead beside an error, it goes", async () => {
  const { asked, call } = byHand("drop");
  const first = call.run(1);
  asked[0]?.answer("one");
  await first;
  const second = call.run(2);
  expect(call.data).toBe("one");
  asked[1]?.fail(REFUSED);
  await second;
  expect([call.data, call.error]).toEqual([null, REFUSED]);
});

test("whatever a request is rejected with becomes an error with a message", async () => {
  const { asked, call } = byHand();
  const first = call.run(1);
  asked[0]?.fail("refused by the shell");
  await first;
  expect(call.error).toEqual({ code: "unexpected", message: "refused by the shell" });
  const failing = new Call((): Promise<string> => {
    throw new Error("at once");
  });
  expect(await failing.run()).toBe(false);
  expect([failing.error?.message, failing.isRunning]).toEqual(["at once", false]);
});

test("after a drop or a reset no answer comes back", async () => {
  const { asked, call } = byHand();
  const first = call.run(1);
  asked[0]?.answer("one");
  await first;
  const second = call.run(2);
  call.drop();
  expect([call.data, call.isRunning]).toEqual(["one", false]);
  asked[1]?.answer("two");
  expect(await second).toBe(false);
  expect(call.data).toBe("one");
  const third = call.run(3);
  call.reset();
  asked[2]?.fail(REFUSED);
  await third;
  expect([call.data, call.isRunning, call.error]).toEqual([null, false, null]);
});

test("an effect that runs a call is not run again by it, and its end does not end the call", async () => {
  const { asked, call } = byHand();
  const unmount = $effect.root(() => {
    $effect(() => void call.run(1));
  });
  flushSync();
  expect(asked).toHaveLength(1);
  unmount();
  expect(call.isRunning).toBe(true);
  asked[0]?.answer("one");
  await vi.waitFor(() => expect(call.isRunning).toBe(false));
  flushSync();
  expect([asked.length, call.data]).toEqual([1, "one"]);
});

test("actions all take effect and run until the last of them ends", async () => {
  const actions = new Actions();
  const ends: { answer: () => void; fail: (error: unknown) => void }[] = [];
  const act = () => actions.run(() => new Promise<void>((answer, fail) => ends.push({ answer, fail })));
  const [first, second] = [act(), act()];
  ends[0]?.answer();
  expect(await first).toBe(true);
  expect(actions.isRunning).toBe(true);
  ends[1]?.fail(REFUSED);
  expect(await second).toBe(false);
  expect([actions.isRunning, actions.error]).toEqual([false, REFUSED]);
});

test("an action that succeeds clears the error of the one before", async () => {
  const actions = new Actions();
  expect(await actions.run(() => Promise.reject(new Error("no")))).toBe(false);
  expect(actions.error?.message).toBe("no");
  expect(await actions.run(() => Promise.resolve())).toBe(true);
  expect(actions.error).toBeNull();
});

test("an action that succeeds leaves the error of one that failed meanwhile", async () => {
  const actions = new Actions();
  let end: () => void = () => undefined;
  const slow = actions.run(() => new Promise<void>((resolve) => (end = resolve)));
  expect(await actions.run(() => Promise.reject(new Error("no")))).toBe(false);
  end();
  expect(await slow).toBe(true);
  expect(actions.error?.message).toBe("no");
});
