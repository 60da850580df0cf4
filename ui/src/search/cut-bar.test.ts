// The band between the kept and the dropped rows: what it counts adds up with the stages.
import { render, screen } from "@testing-library/svelte";
import { expect, test } from "vitest";
import { makeChunks } from "../../tests/fake/notes";
import { rank, retrieve } from "../../tests/fake/ranking";
import { DEFAULTS } from "../api/parameters";
import { count } from "../shared/format";
import CutBar from "./CutBar.svelte";

test("a row that no list holds is not counted as dropped", () => {
  const set = retrieve("the internet is down at home", makeChunks(300), DEFAULTS);
  const columns = rank(set, { ...DEFAULTS, vector_depth: 20, bm25_depth: 20, min_score: 0.25 });
  render(CutBar, { columns, budgetTokens: null, filter: null, onfilter: () => undefined });
  const fusion = columns.stages.find(({ id }) => id === "fusion");
  const nUnlisted = columns.dropped_by.filter((stage) => stage === "fusion").length;
  expect(nUnlisted).toBeGreaterThan(0);
  expect(screen.getByText(`${count((fusion?.n_out ?? 0) - columns.n_kept)} dropped`)).toBeInTheDocument();
  expect(screen.getByRole("button", { name: `${count(nUnlisted)} more in no list` })).toBeInTheDocument();
  expect(screen.queryByRole("button", { name: /fusion/ })).toBeNull();
});
