// The plugin's settings, and the command that they start.

/** The settings of `plugins.entries.memlens.config`, whose form OpenClaw checks by `openclaw.plugin.json`. */
export interface Settings {
  command: string;
  library: string | undefined;
  allFolders: boolean;
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
    timeoutMs: seconds * 1000,
  };
}

/** The arguments by which the server starts. */
export function argumentsOf(settings: Settings): string[] {
  return [
    ...(settings.library === undefined ? [] : ["--library", settings.library]),
    "serve",
    "--mcp",
    ...(settings.allFolders ? [] : ["--agent", "openclaw"]),
  ];
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
