import type { QueryFigure } from "../api/bindings";

/** A line of the list: a query, or how many are not listed between the gains and the losses. */
export type WinLine =
  | { kind: "query"; figure: QueryFigure; by: number }
  | { kind: "rest"; nWins: number; nTies: number; nLosses: number };

/** The queries that changed, best change first, with what is not listed between gains and losses. */
export function winLines(
  figures: readonly QueryFigure[],
  tally: { wins: number; ties: number; losses: number },
): WinLine[] {
  const lines = figures.map((figure): WinLine & { kind: "query" } => ({
    ...{ kind: "query", figure, by: figure.now - figure.pinned },
  }));
  const gains = lines.filter(({ by }) => by > 0);
  const losses = lines.filter(({ by }) => by < 0);
  const rest: WinLine = {
    kind: "rest",
    nWins: Math.max(0, tally.wins - gains.length),
    nTies: tally.ties,
    nLosses: Math.max(0, tally.losses - losses.length),
  };
  const isNothingLeft = rest.nWins + rest.nTies + rest.nLosses === 0;
  return isNothingLeft ? [...gains, ...losses] : [...gains, rest, ...losses];
}
