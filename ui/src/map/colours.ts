// The colours of the map's points, from the style of the window.
import type { Group, Palette } from "./groups";
import type { Colours, Rgb } from "./marks";

/** What is drawn where the style cannot be read. */
const UNKNOWN = { group: [128, 128, 128], background: [255, 255, 255], ink: [0, 0, 0] } as const;
const RGB = /^rgba?\((\d+)[ ,]+(\d+)[ ,]+(\d+)/;

/** The name of the style's variable for a group. */
export function variableOf(palette: Palette, { hue }: Pick<Group, "hue">): string {
  if (hue === null) return "--map-none";
  return palette === "age" ? `--age-${hue}` : `--map-${hue}`;
}

/** Reads the colours as they are in the present theme. `host` is any element of the page. */
export function coloursOf(host: HTMLElement, palette: Palette, groups: readonly Group[]): Colours {
  const probe = document.createElement("span");
  probe.hidden = true;
  host.append(probe);
  const read = (variable: string, otherwise: Rgb): Rgb => {
    probe.style.color = `var(${variable})`;
    return rgbOf(getComputedStyle(probe).color) ?? otherwise;
  };
  const colours = {
    groups: groups.map((group) => read(variableOf(palette, group), UNKNOWN.group)),
    background: read("--panel", UNKNOWN.background),
    ink: read("--ink", UNKNOWN.ink),
  };
  probe.remove();
  return colours;
}

function rgbOf(text: string): Rgb | null {
  const [, red, green, blue] = RGB.exec(text) ?? [];
  return red === undefined ? null : [Number(red), Number(green), Number(blue)];
}

/** Calls the listener when the window becomes light or dark, until the returned function is called. */
export function onTheme(listener: () => void): () => void {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const chosen = new MutationObserver(listener);
  chosen.observe(document.documentElement, { attributeFilter: ["data-theme"] });
  system.addEventListener("change", listener);
  return () => {
    chosen.disconnect();
    system.removeEventListener("change", listener);
  };
}
