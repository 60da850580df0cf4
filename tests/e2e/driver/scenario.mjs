/** Tests that share one open window. */
import { after, before, test } from "node:test";

import { Scratch } from "./scratch.mjs";
import { KEY } from "./webdriver.mjs";
import { MemlensWindow } from "./window.mjs";

/** Asked of the sample notes throughout. */
export const QUESTION = "the internet is down at home, what should I try first";

/** Opens a window on the sample notes and whatever else was written, with everything indexed. */
export async function openSample(scratch) {
  await scratch.useSampleLibrary();
  return MemlensWindow.openIndexed(scratch);
}

/**
 * Opens a window for the tests of a file and returns what declares one: `scenario(name, act)`.
 *
 * `act` gets the window and its scratch folders. `prepare` may change the folders before the window opens; `open` opens it,
 * by default until all is indexed. `make` makes the folders, by default with the sample notes. Window and folders end with the file, whatever happens; a scenario that fails leaves a
 * picture and names it.
 */
export function inOneWindow({
  prepare = async () => {},
  open = openSample,
  make = () => Scratch.make(),
} = {}) {
  let scratch;
  let window;
  before(async () => {
    scratch = await make();
    await prepare(scratch);
    window = await open(scratch);
  });
  after(async () => {
    await window?.close();
    await scratch?.remove();
  });
  return (name, act) =>
    test(name, async (context) => {
      try {
        await act({ window, scratch });
      } catch (error) {
        const picture = await window.keepPicture(name).catch((cause) => `no picture, ${cause.message}`);
        context.diagnostic(`${name}: ${picture}`);
        // An open dialog must not take the next scenarios along.
        await window.press(KEY.escape);
        throw error;
      }
    });
}
