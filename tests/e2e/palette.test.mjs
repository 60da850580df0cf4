/** The command palette: opened by keys, it goes to a view, a preset and a note, and back. */
import assert from "node:assert/strict";

import { inOneWindow } from "./driver/scenario.mjs";
import { KEY } from "./driver/webdriver.mjs";

const scenario = inOneWindow();

const isOpen = () => document.querySelector("[role='dialog'].palette") !== null;
const isClosed = () => document.querySelector("[role='dialog']") === null;

/** Opens the palette, types, and waits until the line that Enter takes says so. */
async function seek(window, typed, line) {
  await window.press("p", [KEY.control, KEY.shift]);
  await window.until(
    "the palette has the keyboard",
    () =>
      document.activeElement?.closest(".palette")?.querySelector("[role='combobox']") ===
      document.activeElement,
  );
  await window.press(typed);
  await window.until(
    `“${typed}” finds “${line}”`,
    (wanted) => {
      const id = document.activeElement?.getAttribute("aria-activedescendant");
      const active = typeof id === "string" ? document.getElementById(id) : null;
      return active?.getAttribute("aria-selected") === "true" && active.innerText.includes(wanted);
    },
    line,
  );
}

async function choose(window, typed, line) {
  await seek(window, typed, line);
  await window.press(KEY.enter);
  await window.until("the palette is closed", isClosed);
}

scenario("it goes to a view, and a key goes to another", async ({ window }) => {
  await window.run(() => {
    window.violated = [];
    document.addEventListener("securitypolicyviolation", (event) =>
      window.violated.push(event.violatedDirective),
    );
  });
  await choose(window, "past que", "Past questions");
  await window.until(
    "the view is shown",
    () => document.querySelector("nav [aria-current='page']")?.textContent === "Past questions",
  );
  await window.press("6", [KEY.control]);
  await window.until(
    "the key shows a view",
    () => document.querySelector("nav [aria-current='page']")?.textContent === "Export",
  );
  assert.deepEqual(await window.run(() => window.violated), []);
});

scenario("it opens a note by some letters of its name", async ({ window }) => {
  await choose(window, "homeserver", "home-server.md");
  await window.until("the note is open", () =>
    document.querySelector("article h2")?.textContent.includes("home-server.md"),
  );
});

scenario("it chooses a preset, by Ctrl K twice", async ({ window }) => {
  await window.show("Search");
  await window.drag("min_score", 0.9);
  await window.until("it is changed", () =>
    document.querySelector("button[aria-label^='Preset:']")?.ariaLabel.includes("changed"),
  );
  await window.press("kk", [KEY.control]);
  await window.until("the palette is open", isOpen);
  await window.press("default");
  await window.until("the preset is found", () => {
    const active = document.querySelector(".palette [role='option'][aria-selected='true']");
    return (
      active?.innerText.includes("Default") &&
      document.querySelector(".palette [role='combobox']").value === "default"
    );
  });
  await window.press(KEY.enter);
  await window.until("the preset is in use", () => {
    const label = document.querySelector("button[aria-label^='Preset:']")?.ariaLabel;
    return label === "Preset: Default";
  });
});

scenario("Escape gives the focus back", async ({ window }) => {
  await window.show("Memory");
  await window.click("input[type='search']");
  await seek(window, "zoom", "Zoom in");
  await window.press(KEY.escape);
  await window.until("the palette is closed", isClosed);
  await window.until("the box has the focus", () => document.activeElement?.matches("input[type='search']"));
});
