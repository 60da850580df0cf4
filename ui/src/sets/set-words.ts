import { count, counted } from "../shared/format";
import type { Origin, QuerySetInfo } from "../api/bindings";

export const ORIGINS: Readonly<Record<Origin, { label: string; sentence: string }>> = {
  given: {
    label: "given by you",
    sentence: "What you marked in Search with + and −, and places you typed here.",
  },
  imported: { label: "imported", sentence: "What came from a file." },
  observed: { label: "observed", sentence: "What an agent opened or cited after it asked." },
};

/** What a set holds: "57 queries, 72 gold ranges, 3 not judged, 40 nonsense". */
export function holdsSaid({ n_queries, n_gold, n_unjudged, n_nonsense }: QuerySetInfo): string {
  return [
    counted(n_queries, "query", "queries"),
    counted(n_gold, "gold range"),
    ...(n_unjudged > 0 ? [`${count(n_unjudged)} not judged`] : []),
    ...(n_nonsense > 0 ? [`${count(n_nonsense)} nonsense`] : []),
  ].join(", ");
}
