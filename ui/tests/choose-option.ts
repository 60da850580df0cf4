// Choosing an entry of a list (`parts/SelectBox.svelte`) as a user does.
import { waitFor, within } from "@testing-library/svelte";
import type { UserEvent } from "@testing-library/user-event";

/** Opens the list at a control and chooses the entry of this name. */
export async function chooseOption(
  user: UserEvent,
  control: HTMLElement,
  name: string | RegExp,
): Promise<void> {
  await user.click(optionOf(await openList(user, control), name));
}

/** Opens the list at a control. Without a layout it stays hidden, and nothing in it has a name. */
export async function openList(user: UserEvent, control: HTMLElement): Promise<HTMLElement> {
  await user.click(control);
  return waitFor(() => {
    const list = document.getElementById(control.getAttribute("aria-controls") ?? "");
    if (list === null) throw new Error("the list is not open");
    return list;
  });
}

/** The entry of this name. */
export function optionOf(list: HTMLElement, name: string | RegExp): HTMLElement {
  const option = within(list).getByText(name).closest("[role='option']");
  if (!(option instanceof HTMLElement)) throw new Error(`no entry ${String(name)}`);
  return option;
}
