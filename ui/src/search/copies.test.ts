// Copies of a row's text: listed in its journey, newest first, each a way to its note.
import { render, screen, within } from "@testing-library/svelte";
import { expect, it, vi } from "vitest";
import { setupUser } from "../../tests/user";
import type { Row } from "../api/bindings";
import Copies from "./Copies.svelte";

const copy = (chunk: string, path: string): Row => ({
  ...{ chunk, folder: "1", folder_name: "notes", path, start_line: 1, end_line: 3 },
  ...{ source: "notes", heading: "", tokens: 20, cosine: 0.5, bm25: null, matched: [] },
});

it("lists the copies in their order and opens the one that is clicked", async () => {
  const copies = [copy("2", "key (conflicted copy 2026-09-18).md"), copy("3", "archive/key.md")];
  const onopen = vi.fn();
  render(Copies, { copies, onopen });
  const user = setupUser();
  await user.click(screen.getByText("2 copies of this text, newest first"));
  const buttons = within(screen.getByRole("list")).getAllByRole("button");
  expect(buttons.map((button) => button.textContent)).toEqual([
    expect.stringContaining("key (conflicted copy 2026-09-18).md"),
    expect.stringContaining("archive/key.md"),
  ]);
  await user.click(buttons[1] as HTMLElement);
  expect(onopen).toHaveBeenCalledWith(copies[1]);
});
