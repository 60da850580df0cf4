// What a row says of the best other row that disagrees with it.
import type { Columns, Disagreement } from "../api/bindings";
import { visible } from "../shared/visible";

/** How a row disagrees with another; `rank` is that of the other. */
export type Dissent = { text: string; rank: number };

/** What is said of each kept row that disagrees with another kept one, by slot. */
export function dissents(
  disagreements: readonly Disagreement[],
  { order, n_kept }: Pick<Columns, "order" | "n_kept">,
): ReadonlyMap<number, Dissent> {
  const ranks = new Map(order.slice(0, n_kept).map((slot, at) => [slot, at + 1] as const));
  const found = new Map<number, Dissent>();
  const add = (slot: number, rank: number, said: string, other: string, isNewer: boolean) => {
    const before = found.get(slot);
    if (before !== undefined && before.rank <= rank) return;
    const newer = isNewer ? ", newer" : "";
    found.set(slot, { rank, text: `says “${visible(said)}”${newer}; row ${rank} says “${visible(other)}”` });
  };
  for (const { a, b, said_a, said_b, newer } of disagreements) {
    const [rankA, rankB] = [ranks.get(a), ranks.get(b)];
    if (rankA === undefined || rankB === undefined) continue;
    add(a, rankB, said_a, said_b, newer === "a");
    add(b, rankA, said_b, said_a, newer === "b");
  }
  return found;
}
