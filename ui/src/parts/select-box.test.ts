// A list of entries at a control, as a user and a screen reader meet it.
import { render, screen, waitFor } from "@testing-library/svelte";
import { expect, test } from "vitest";
import { chooseOption, openList, optionOf } from "../../tests/choose-option";
import { setupUser } from "../../tests/user";
import SelectBox from "./SelectBox.svelte";

const OPTIONS = [
  { value: "", label: "all agents" },
  { value: "a", label: "Iris", group: "Agents" },
  { value: "b", label: "Otto", group: "Agents", isDisabled: true },
];

function open(value = "") {
  const chosen: string[] = [];
  const props = { label: "Agent", value, options: OPTIONS, onchoose: (one: string) => chosen.push(one) };
  render(SelectBox, props);
  return { chosen, user: setupUser(), box: screen.getByRole("combobox", { name: "Agent" }) };
}

const isClosed = () => expect(screen.queryByRole("listbox", { hidden: true })).toBeNull();

test.each([
  ["Iris", ["a"]],
  // What is chosen already is no choice.
  ["all agents", []],
])("%s is chosen by the pointer", async (name, wanted) => {
  const { chosen, user, box } = open();
  expect(box).toHaveTextContent("all agents");
  await chooseOption(user, box, name);
  expect(chosen).toEqual(wanted);
});

test("an entry is chosen by keys, and Escape leaves the list", async () => {
  const { chosen, user, box } = open("a");
  expect(box).toHaveTextContent("Iris");
  const list = await openList(user, box);
  expect(list.querySelector("[role='group']")).toHaveTextContent("Agents");
  expect(optionOf(list, "Otto")).toHaveAttribute("data-disabled");
  await user.keyboard("{Escape}");
  await waitFor(isClosed);
  await user.keyboard("{Enter}{Home}{Enter}");
  expect(chosen).toEqual([""]);
});
