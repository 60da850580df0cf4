import { count } from "../shared/format";
import type { TuneProgress } from "../api/bindings";

/** How far something is: "Preparing the query set: 120 of 564". */
export function progressSaid({ what, n_done, n_all }: TuneProgress): string {
  const done = `${count(n_done)} of ${count(n_all)}`;
  switch (what) {
    case "preparing":
      return `Preparing the query set: ${done}`;
    case "sensitivity":
      return `Drawing the curves: ${done}`;
    case "tuning":
      return `Trying settings: ${done}`;
  }
}
