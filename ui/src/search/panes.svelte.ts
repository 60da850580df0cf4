import { readStored, writeStored } from "../shared/stored";

/** The panes of Search whose edge can be dragged: the rail, the journey beside the table, and the journey below it. */
export type PaneId = "rail" | "side" | "foot";

/** How small a pane may get, in px, and how much of the view at most. */
export const PANES: Record<PaneId, { least: number; share: number }> = {
  rail: { least: 208, share: 0.3 },
  side: { least: 240, share: 0.4 },
  foot: { least: 120, share: 0.6 },
};

const KEY = "memlens.panes";

type Sizes = Partial<Record<PaneId, number>>;

/** How large the user made the panes; kept on this machine. */
export class Panes {
  #sizes = $state.raw<Sizes>(readStored(KEY, isSizes) ?? {});

  /** In px; null while the pane has its own size. */
  sizeOf(pane: PaneId): number | null {
    return this.#sizes[pane] ?? null;
  }

  /** Null puts the pane's own size back. */
  resize(pane: PaneId, px: number | null): void {
    const sizes = Object.entries({ ...this.#sizes, [pane]: px }).filter(([, size]) => size !== null);
    this.#sizes = Object.fromEntries(sizes);
    writeStored(KEY, Object.keys(this.#sizes).length === 0 ? null : this.#sizes);
  }
}

function isSizes(value: unknown): value is Sizes {
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).every(
    ([pane, px]) => pane in PANES && typeof px === "number" && Number.isFinite(px) && px > 0,
  );
}
