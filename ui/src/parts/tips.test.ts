// Tooltips: shown after a rest of the pointer or by the keyboard, in place of the system's.
import { render, screen } from "@testing-library/svelte";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import Tips from "./Tips.svelte";

beforeEach(() => vi.useFakeTimers({ shouldAdvanceTime: true }));
afterEach(() => {
  vi.useRealTimers();
  document.body.replaceChildren();
});

function open(html: string) {
  const page = document.createElement("main");
  page.innerHTML = html;
  document.body.append(page);
  render(Tips);
  return userEvent.setup({ advanceTimers: vi.advanceTimersByTime });
}

const tip = () => document.querySelector(".tip")?.textContent ?? null;

describe("a tooltip", () => {
  test("is shown once the pointer rests, and the system has none to show meanwhile", async () => {
    const user = open(`<button title="All parameters">Reset</button><p>text</p>`);
    const button = screen.getByRole("button", { name: "Reset" });
    await user.hover(button);
    expect(tip()).toBeNull();
    expect(button).not.toHaveAttribute("title");
    expect(button).toHaveAccessibleDescription("All parameters");
    await vi.advanceTimersByTimeAsync(500);
    expect(tip()).toBe("All parameters");
    await user.hover(screen.getByText("text"));
    expect(tip()).toBeNull();
    expect(button).toHaveAttribute("title", "All parameters");
    expect(button).not.toHaveAttribute("aria-description");
  });

  test("is that of the innermost element, and follows a text that changes", async () => {
    const user = open(
      `<div title="the row">row <b title="the mark">mark</b> <i data-exact="0.478123">0.478</i></div>`,
    );
    const row = screen.getByText(/^row/);
    await user.hover(row);
    await vi.advanceTimersByTimeAsync(500);
    expect(tip()).toBe("the row");
    await user.hover(screen.getByText("mark"));
    await vi.advanceTimersByTimeAsync(1);
    expect(tip()).toBe("the mark");
    expect(row).toHaveAttribute("title", "the row");
    await user.hover(screen.getByText("0.478"));
    await vi.advanceTimersByTimeAsync(1);
    expect(tip()).toBe("0.478123");
    await user.hover(row);
    row.title = "another row";
    await user.pointer({ target: row, coords: { x: 3, y: 3 } });
    await vi.advanceTimersByTimeAsync(500);
    expect(tip()).toBe("another row");
    await user.unhover(row);
    expect(row).toHaveAttribute("title", "another row");
  });

  test("is hidden by a key, a press and scrolling, and shown to the keyboard", async () => {
    const user = open(`<button title="the first">one</button><button title="the second">two</button>`);
    const [one] = screen.getAllByRole("button");
    for (const act of [
      () => user.keyboard("{Escape}"),
      () => user.pointer({ keys: "[MouseLeft>]", target: one as HTMLElement }),
      () => Promise.resolve(document.dispatchEvent(new Event("scroll"))),
    ]) {
      await user.hover(one as HTMLElement);
      await vi.advanceTimersByTimeAsync(500);
      expect(tip()).toBe("the first");
      await act();
      await vi.advanceTimersByTimeAsync(1);
      expect(tip()).toBeNull();
      await user.pointer("[/MouseLeft]");
      await user.unhover(one as HTMLElement);
      await vi.advanceTimersByTimeAsync(1000);
    }
    await user.tab();
    await user.tab();
    expect(tip()).toBe(document.activeElement?.getAttribute("title"));
  });
});
