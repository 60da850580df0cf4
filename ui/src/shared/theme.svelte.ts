import { readStored, writeStored } from "./stored";

/** "system" follows the desktop. */
export type ThemeChoice = "system" | "light" | "dark";
export const THEME_CHOICES: readonly ThemeChoice[] = ["system", "light", "dark"];

const STORED_AS = "memlens.theme";

function isThemeChoice(value: unknown): value is ThemeChoice {
  return THEME_CHOICES.includes(value as ThemeChoice);
}

/** `?theme=dark`, in the search or in the hash of the address, wins over what was stored and is not stored. */
function themeInAddress(): ThemeChoice | null {
  for (const text of [location.search.slice(1), location.hash.slice(1).replace(/^\?/, "")]) {
    const value = new URLSearchParams(text).get("theme");
    if (isThemeChoice(value)) return value;
  }
  return null;
}

/** The window's colours: `data-theme` on the root element, absent while the system decides. */
export class Theme {
  #choice = $state<ThemeChoice>("system");

  constructor() {
    this.#choice = themeInAddress() ?? readStored(STORED_AS, isThemeChoice) ?? "system";
    this.#apply();
  }

  get choice(): ThemeChoice {
    return this.#choice;
  }

  choose(choice: ThemeChoice): void {
    this.#choice = choice;
    writeStored(STORED_AS, choice === "system" ? null : choice);
    this.#apply();
  }

  #apply(): void {
    if (this.#choice === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = this.#choice;
  }
}
