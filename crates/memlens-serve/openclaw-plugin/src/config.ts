// The plugin's settings, and the command that they start.

/** The settings of `plugins.entries.memlens.config`, whose form OpenClaw checks by `openclaw.plugin.json`. */
export interface Settings {
  command: string;
  library: string | undefined;
  allFolders: boolean;
  preset: string | undefined;
  savedPreset: string | undefined;
  timeoutMs: number;
}

const TIMEOUT_SECONDS = 30;

export function settingsOf(config: unknown): Settings {
  const given = isRecord(config) ? config : {};
  const text = (value: unknown) => (typeof value === "string" && value !== "" ? value : undefined);
  const seconds = typeof given.timeoutSeconds === "number" ? given.timeoutSeconds : TIMEOUT_SECONDS;
  return {
    command: text(given.command) ?? "memlens",
    library: text(given.library),
    allFolders: given.allFolders === true,
    preset: text(given.preset),
    savedPreset: text(given.savedPreset),
    timeoutMs: seconds * 1000,
  };
}

/** The arguments by which the server of one agent of OpenClaw starts. */
export function argumentsOf(
  { library, allFolders, preset, savedPreset }: Settings,
  member: string,
): string[] {
  return [
    ...(library === undefined ? [] : ["--library", library]),
    "serve",
    "--mcp",
    ...(allFolders ? [] : ["--agent", "openclaw", `--member=${member}`]),
    ...(preset === undefined ? [] : ["--preset", preset]),
    // As one word, so that a name with a hyphen at its beginning is no option.
    ...(savedPreset === undefined ? [] : [`--saved-preset=${savedPreset}`]),
  ];
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
