// The map as the user meets it: its legend, its filters, the keyboard, the lasso, its table, and the way to a note and back.
import { fireEvent, render, screen, waitFor, within } from "@testing-library/svelte";
import { beforeEach, expect, test, vi } from "vitest";
import { violations } from "../../tests/axe";
import { chooseOption } from "../../tests/choose-option";
import { FakeBackend } from "../../tests/fake-backend";
import { layOut } from "../../tests/layout";
import { setupUser } from "../../tests/user";
import App from "../App.svelte";
import { Workspace, workspaceContext } from "../workspace.svelte";
import { addressOf, placeOf } from "../overview/address";

layOut();
/** Heights that no test of another view needs. */
const CHART_PX = { width: 800, height: 400 };
let drawn: ImageData | null = null;

beforeEach(() => {
  history.replaceState(null, "", "#");
  localStorage.clear();
  localStorage.setItem("memlens.timeline", JSON.stringify({ isOpen: false }));
  drawn = null;
  vi.spyOn(HTMLElement.prototype, "clientHeight", "get").mockReturnValue(CHART_PX.height);
  HTMLElement.prototype.setPointerCapture = () => {};
  HTMLCanvasElement.prototype.getContext = ((kind: string) =>
    kind === "2d"
      ? {
          createImageData: (width: number, height: number) => ({
            ...{ width, height },
            data: new Uint8ClampedArray(4 * width * height),
          }),
          putImageData: (image: ImageData) => (drawn = image),
        }
      : null) as unknown as typeof HTMLCanvasElement.prototype.getContext;
});

async function open(prepare: (backend: FakeBackend) => void = () => {}) {
  const backend = new FakeBackend();
  prepare(backend);
  const workspace = new Workspace(backend);
  workspace.show("memory");
  const user = setupUser();
  const { container } = render(App, { context: workspaceContext(workspace) });
  await user.click(await screen.findByRole("button", { name: "Map" }));
  await screen.findByRole("article", { name: "Map" });
  return { backend, workspace, user, container };
}

const chart = () => screen.findByRole("application", { name: /^Map of / });
const legend = () => screen.findByRole("list", { name: "Legend" });
const entry = async (name: RegExp) => within(await legend()).getByRole("button", { name });

test("the map draws its points, has a name and a legend, and is in the address", async () => {
  const { container } = await open();
  expect(await chart()).toHaveAccessibleName("Map of 15 chunks of 5 notes, coloured by sub-folder of notes");
  expect(await chart()).toHaveAccessibleDescription(/plus and minus zoom/);
  await waitFor(() => expect(screen.getByRole("application")).toHaveAttribute("data-drawn", "15"));
  expect(await entry(/notes/)).toHaveTextContent("6");
  expect(await entry(/^people/)).toHaveTextContent("3");
  expect(screen.getByRole("heading", { name: "Sub-folder of notes" })).toBeVisible();
  expect(screen.getByText("“notes” stands for the notes directly in it.")).toBeVisible();
  expect(location.hash).toBe("#memory=map");
  // More than the background is in the picture.
  expect(new Set(new Uint32Array(drawn?.data.buffer ?? new ArrayBuffer(0))).size).toBeGreaterThan(1);
  expect(await violations(container)).toEqual([]);
});

test("a group of the legend is shown alone, and back shows all again", async () => {
  const { user } = await open();
  await chooseOption(
    user,
    await screen.findByRole("combobox", { name: "Colour by" }),
    "Found by past questions",
  );
  await user.click(await entry(/^Opened/));
  await waitFor(() => expect(location.hash).toBe("#memory=map&colour=found&only=opened"));
  const n = Number(/\d+/.exec((await entry(/^Opened/)).textContent ?? "")?.[0]);
  await waitFor(() => expect(screen.getByRole("application")).toHaveAttribute("data-drawn", String(n)));
  expect(n).toBeLessThan(15);
  history.back();
  await waitFor(() => expect(screen.getByRole("application")).toHaveAttribute("data-drawn", "15"));
});

test("filters narrow the map and keep it", async () => {
  const { user } = await open();
  await user.click(await screen.findByRole("checkbox", { name: "Has a problem" }));
  await waitFor(() => expect(screen.getByRole("application")).toHaveAttribute("data-drawn", "3"));
  expect(location.hash).toBe("#memory=map&problem=1");
  expect(screen.getByText("3 of 15 chunks of 1 note")).toBeVisible();
  await user.click(screen.getByRole("button", { name: "List" }));
  await waitFor(() => expect(location.hash).toBe("#memory=list&problem=1"));
});

test("the layout by neighbours is computed, shown, and the other one can be shown again", async () => {
  let settle: () => void = () => {};
  const { backend, user } = await open((backend) => {
    backend.layoutGate = new Promise((resolve) => (settle = resolve));
  });
  await screen.findByText("Arranging the map by neighbours…");
  expect(screen.getByText(/^Left–right and up–down .* 30 % of all differences/)).toBeVisible();
  expect(screen.getByRole("button", { name: "Neighbours" })).toBeDisabled();
  backend.progress({ job: "layout", progress: { step: "rounds", n_done: 20, n_all: 200 } });
  await screen.findByText("Arranging points…");
  expect(screen.getByText("20 of 200")).toBeVisible();
  settle();
  await screen.findByText(/Points close together say similar things/);
  expect(screen.getByRole("button", { name: "Neighbours" })).toHaveAttribute("aria-pressed", "true");
  await user.click(screen.getByRole("button", { name: "Principal components" }));
  await screen.findByText(/^Left–right and up–down/);
  expect(location.hash).toBe("#memory=map&layout=components");
});

test("a layout that was stopped is started again only by the user", async () => {
  const { backend, user } = await open((backend) => (backend.layoutGate = new Promise(() => {})));
  await user.click(await screen.findByRole("button", { name: "Stop" }));
  await screen.findByText("The map is not arranged by neighbours yet.");
  expect(backend.nCalls("layOut")).toBe(1);
  backend.layoutGate = null;
  await user.click(screen.getByRole("button", { name: "Arrange now" }));
  await screen.findByText(/Points close together say similar things/);
});

/** Lets the pointer touch the chart at places of it, from press to release. */
async function drag(
  on: HTMLElement,
  places: readonly [x: number, y: number][],
  held: Partial<PointerEventInit> = {},
) {
  const at = ([clientX, clientY]: readonly [number, number]) => ({
    clientX,
    clientY,
    button: 0,
    pointerId: 1,
    ...held,
  });
  const [first, last] = [places[0], places.at(-1)];
  if (first === undefined || last === undefined) return;
  await fireEvent.pointerDown(on, at(first));
  for (const place of places.slice(1)) await fireEvent.pointerMove(on, at(place));
  await fireEvent.pointerUp(on, at(last));
}

test("the keyboard zooms, names the note in the middle and opens it; back leads to the map", async () => {
  const { user, workspace } = await open();
  (await chart()).focus();
  await user.keyboard("+");
  expect(workspace.chunkMap.view).not.toBe("first");
  await screen.findByText("Home server, no date, reference/");
  await user.keyboard("{ArrowRight}");
  await screen.findByText(/^schuppen.md, no date/);
  await user.keyboard("0");
  expect(workspace.chunkMap.view).toBe("all");
  await user.keyboard("+{Enter}");
  await waitFor(() =>
    expect(location.hash).toMatch(/^#memory=note&folder=notes&path=reference%2Fhome-server.md&line=11/),
  );
  history.back();
  await chart();
  expect(location.hash).toBe("#memory=map");
});

test("the pointer names a note with its date and first words, and a click opens it", async () => {
  const { backend, container } = await open();
  const on = await chart();
  // The first note is at the left: its middle chunk is half way down.
  await fireEvent.pointerMove(on, { clientX: 330, clientY: 200, pointerId: 1 });
  const tip = await waitFor(() => {
    const found = container.querySelector(".tip");
    expect(found).not.toBeNull();
    return found as HTMLElement;
  });
  expect(tip).toHaveTextContent("Signe");
  expect(tip).toHaveTextContent("2026-02-03 · people/");
  await waitFor(() => expect(backend.nCalls("document")).toBe(1));
  await drag(on, [[330, 200]]);
  await waitFor(() => expect(location.hash).toMatch(/^#memory=note.*signe-profile.md&line=11$/));
});

test("a lasso lists its notes, which stay listed after one was opened, until it is cleared", async () => {
  const { user, container } = await open();
  const on = await chart();
  const corners: [number, number][] = [
    [300, 10],
    [380, 10],
    [380, 390],
    [300, 390],
  ];
  await drag(on, corners, { shiftKey: true });
  const notes = await screen.findByRole("list", { name: "Notes in the lasso" });
  expect(
    within(notes)
      .getAllByRole("button")
      .map((one) => one.textContent),
  ).toEqual([expect.stringContaining("Signe"), expect.stringContaining("group-rooms.md")]);
  expect(screen.getByText("2 notes, 6 chunks")).toBeVisible();
  expect(await violations(container)).toEqual([]);
  await user.click(within(notes).getByRole("button", { name: /Signe/ }));
  await waitFor(() => expect(location.hash).toMatch(/^#memory=note/));
  history.back();
  await screen.findByRole("list", { name: "Notes in the lasso" });
  await user.click(screen.getByRole("button", { name: "Clear the lasso" }));
  expect(screen.queryByRole("list", { name: "Notes in the lasso" })).toBeNull();
});

test("dragging without the lasso moves the map", async () => {
  const { workspace } = await open();
  await drag(await chart(), [
    [400, 200],
    [430, 200],
    [480, 200],
  ]);
  expect(workspace.chunkMap.view).not.toBe("first");
  expect(workspace.chunkMap.chosen).toBeNull();
});

test("chunks far from the others are outside of the first picture, are counted, and are shown with all", async () => {
  const { user, workspace } = await open((backend) => {
    const x = Array.from({ length: 24 }, (_, at) => (at === 23 ? 50 : at / 30));
    const many = { x, y: x.map((_, at) => (at % 5) / 10), chunk: x.map((_, at) => at), total: x.length };
    const of = { line: x.map(() => 1), note: x.map(() => 0), cluster: x.map(() => null) };
    backend.mapChange = { ...many, ...of };
  });
  expect(await screen.findByText(/^1 chunk is outside of the picture/)).toBeVisible();
  await user.click(screen.getByRole("button", { name: "Show all" }));
  expect(workspace.chunkMap.view).toBe("all");
  expect(screen.queryByText(/outside of the picture/)).toBeNull();
  (await chart()).focus();
  await user.keyboard("-");
  expect(screen.queryByText(/outside of the picture/)).toBeNull();
});

test("the table has every note and is remembered", async () => {
  const { user, container } = await open();
  await user.click(await screen.findByRole("button", { name: "Table" }));
  const table = within(screen.getByRole("region", { name: "Map as a table" }));
  expect(table.getAllByRole("row")).toHaveLength(6);
  expect(table.getByRole("columnheader", { name: "Sub-folder of notes" })).toBeVisible();
  expect(await violations(container)).toEqual([]);
  expect(localStorage.getItem("memlens.map")).toContain('"isTable":true');
  await user.click(table.getByRole("button", { name: "Open Home server" }));
  await waitFor(() => expect(location.hash).toMatch(/home-server.md&line=1$/));
});

test("without any way to draw, the map says so and its table is offered", async () => {
  HTMLCanvasElement.prototype.getContext = () => null;
  const { user } = await open();
  expect(await screen.findByRole("alert")).toHaveTextContent("The map cannot be drawn");
  await user.click(screen.getByRole("button", { name: "Table" }));
  expect(screen.getByRole("region", { name: "Map as a table" })).toBeVisible();
});

test("an error names its cause and the map can be read again", async () => {
  const { backend, user } = await open((backend) => {
    backend.failing.map = { code: "index", message: "cannot read the vectors: the list is damaged" };
  });
  expect(await screen.findByRole("alert")).toHaveTextContent("Cannot read the vectors: the list is damaged");
  backend.failing = {};
  await user.click(screen.getByRole("button", { name: "Try again" }));
  await chart();
});

test.each([
  [{ total: 0 }, "nothing here", /No chunk has a vector yet/],
  [{}, "nothing here", /No chunk with these filters/],
])("a map without points says why (%#)", async (change, text, words) => {
  const { workspace } = await open((backend) => (backend.mapChange = change));
  workspace.overview.change({ text });
  expect(await screen.findByText(words)).toBeVisible();
});

test("what colours mean is said where they say nothing", async () => {
  const { user } = await open((backend) => {
    backend.mapChange = { is_compared: false, found_unknown: "no past question was imported" };
  });
  const colour = await screen.findByRole("combobox", { name: "Colour by" });
  await chooseOption(user, colour, "Said more than once");
  await screen.findByText(/not compared with each other yet/);
  await chooseOption(user, colour, "Found by past questions");
  await screen.findByText("No past question was imported.");
});

test("the address keeps filters, colour, layout and group, and what is not known in it is left out", () => {
  const hash = "#memory=map&agent=iris&text=walnut&colour=age&layout=components&only=week";
  const place = placeOf(hash);
  expect(place.kind === "map" && place.look).toEqual({ colour: "age", layout: "components", only: "week" });
  if (place.kind !== "map") throw new Error("it is a map");
  expect(`#${addressOf(place)}`).toBe(hash);
  const odd = placeOf("#memory=map&colour=purple&layout=round");
  expect(odd.kind === "map" && odd.look).toEqual({ colour: "folder", layout: null, only: null });
});
