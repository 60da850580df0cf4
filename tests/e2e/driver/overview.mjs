/** The overview of Memory, and the list and the map of all notes behind it. */

/** Closes a note and a list, so that the cards are shown. */
export async function showCards(window) {
  await window.show("Memory");
  await window.until("the cards are shown", () => {
    const buttons = Array.from(document.querySelectorAll("article .ph button"));
    const back = buttons.find((button) => button.textContent.trim().startsWith("\u2039"));
    back?.click();
    return back === undefined && document.querySelector(".cards .card") !== null;
  });
}

/** Shows the cards and the chart of the timeline; some notes must have a date. */
export async function showOverview(window) {
  await showCards(window);
  await window.until("the timeline is drawn", () => {
    document
      .querySelector("section[aria-label='Timeline'] button[aria-expanded='false']:not([aria-haspopup])")
      ?.click();
    document.querySelector("section[aria-label='Timeline'] button[aria-pressed='true']")?.click();
    return document.querySelector("svg[role='slider']") !== null;
  });
}

/** Lists all notes, with the tags to choose from and the filter of problems. */
export async function showFilteredList(window) {
  await showOverview(window);
  await window.click("button", "All notes");
  await window.until(
    "notes are listed",
    () => document.querySelector("[role='listbox'] [role='option'] b") !== null,
  );
  await window.click("button[aria-expanded]", "Tags ▾");
  await window.until(
    "tags are read",
    () => document.querySelector(".tags p, .tags button[aria-pressed]") !== null,
  );
  await window.click("label", "Has a problem");
}

/** Draws the map of all chunks, below a folded timeline. */
export async function showMap(window) {
  await showCards(window);
  await window.run(() =>
    document
      .querySelector("section[aria-label='Timeline'] button[aria-expanded='true']:not([aria-haspopup])")
      ?.click(),
  );
  await window.click("article .ph button", "Map");
  await window.until("points are drawn", () => {
    const points = document.querySelector("article [role='application']");
    return Number(points?.dataset.drawn ?? 0) > 0;
  });
}
