import type { DriftKind } from "../api/bindings";

const KINDS: Record<DriftKind, string> = {
  opposition: "Opposite words",
  negation: "A negation on one side",
  number: "Another number",
  time: "Another time or duration",
  date: "Another date",
  name: "Another name",
  unit: "Another unit",
  roles: "Exchanged roles",
};

/** How two notes contradict each other, in a few words. */
export function kindLabel(kind: DriftKind): string {
  return KINDS[kind];
}
