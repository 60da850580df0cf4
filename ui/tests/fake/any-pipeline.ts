/** Ranking by whichever pipeline is named. */
import type { Columns, Journey, Params, Ranking } from "../../src/api/bindings";
import { OWN, ownParams } from "../../src/parameters/pipeline";
import { clerkJourney, rankClerk } from "./agent-pipeline";
import { journeyOf, rank, type FakeSet } from "./ranking";

export function rankBy(set: FakeSet, ranking: Ranking): Columns {
  const own = ownParams(ranking);
  return own === null ? rankClerk(set, ranking) : rank(set, own);
}

export function journeyBy(set: FakeSet, ranking: Ranking, slot: number): Journey {
  const own = ownParams(ranking);
  return own === null ? clerkJourney(set, ranking, slot) : journeyOf(set, own, slot);
}

/** Memlens's own pipeline by these parameters. */
export function own(params: Params): Ranking {
  return { pipeline: OWN.id, values: params };
}
