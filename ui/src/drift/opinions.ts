import type { SecondOpinion } from "../api/bindings";
import { visible } from "../shared/visible";

/** What a model says of a pair, in words. */
export function opinionSaid({ contradiction, model, is_cut }: SecondOpinion): string {
  const cut = is_cut ? ", of the beginning of long sentences" : "";
  return `second opinion: ${contradiction.toFixed(2)} contradicts (${visible(model)}${cut})`;
}
