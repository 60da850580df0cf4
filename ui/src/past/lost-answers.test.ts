import { fireEvent, render, screen } from "@testing-library/svelte";
import { flushSync } from "svelte";
import { expect, it, vi } from "vitest";

import { FakeBackend } from "../../tests/fake-backend";
import type { LostAnswers } from "../api/bindings";
import { LostAnswersNews } from "./lost-answers.svelte";
import LostAnswersNotice from "./LostAnswersNotice.svelte";

const LOST: LostAnswers = {
  at_ms: 0,
  sentence: "This edit took home-server.md out of 4 answers.",
  edited: ["reference/home-server.md"],
  notes: [
    {
      folder: "1",
      path: "reference/home-server.md",
      name: "reference/home-server.md",
      n_answers: 4,
      questions: ["which cable", "which resolver", "wifi dead", "restart"].map((question, n) => ({
        id: String(9 - n),
        question,
        was: 1,
        is: null,
      })),
    },
  ],
};

it("is reported until it is closed or forgotten, and reported again by the next edit", () => {
  const backend = new FakeBackend();
  const news = new LostAnswersNews(backend);
  const stop = news.follow();
  expect(news.lost).toBeNull();
  expect(news.first).toBeNull();
  backend.loseAnswers(LOST);
  flushSync();
  expect(news.lost).toBe(LOST);
  expect(news.first).toBe("9");
  news.close();
  expect(news.lost).toBeNull();
  backend.loseAnswers(LOST);
  expect(news.lost).toBe(LOST);
  // Forgotten, with the questions that it names.
  backend.loseAnswers(null);
  expect(news.lost).toBeNull();
  stop();
  backend.loseAnswers(LOST);
  expect(news.lost).toBeNull();
});

it("names three questions and leads to the comparison", async () => {
  const oncompare = vi.fn();
  const onclose = vi.fn();
  render(LostAnswersNotice, { lost: LOST, oncompare, onclose });
  expect(screen.getByText(/This edit took/).textContent).toContain(
    "out of 4 answers. “which cable”, “which resolver”, “wifi dead” …",
  );
  await fireEvent.click(screen.getByRole("button", { name: "Compare" }));
  await fireEvent.click(screen.getByRole("button", { name: "Close" }));
  expect([oncompare.mock.calls.length, onclose.mock.calls.length]).toEqual([1, 1]);
});
