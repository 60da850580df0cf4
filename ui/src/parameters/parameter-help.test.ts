import { expect, test } from "vitest";
import { DEFAULTS } from "../api/parameters";
import { OWN } from "./pipeline";
import { helpText, parameterHelp, stageHelp } from "./parameter-help";
import { parameterOf } from "./rules";

const helpFor = (id: string, values = {}) =>
  parameterHelp(OWN, { ...DEFAULTS, ...values }, parameterOf(OWN, id));

test("names a control, its default with the unit, and when it runs", () => {
  const help = helpFor("max_results");
  expect([help.name, help.standard]).toEqual(["Max results", "10 rows"]);
  expect(helpText(help)).toMatch(/ Live\. Default 10 rows\.$/);
  expect(helpFor("vector_unit").text).toMatch(/ Asks the index again on release\.$/);
});

test("says which choice a parameter needs, and nothing while it has it", () => {
  expect(helpFor("fusion_k").text).toMatch(
    / No effect while Method is calibrated; a change switches Method to rrf\.$/,
  );
  expect(helpFor("fusion_k", { fusion: "rrf" }).text).not.toContain("No effect");
});

test("says what the stage's switch makes of a parameter", () => {
  expect(helpFor("corroboration_gain").text).toMatch(/ No effect while Corroboration is off\.$/);
  expect(helpFor("corroboration_gain", { corroboration_on: true }).text).not.toContain("No effect");
  expect(helpFor("half_life_days").text).toMatch(/ Decay is off; another value switches it on\.$/);
  expect(helpFor("half_life_days", { decay_on: false }).text).toMatch(/ No effect while Decay is off\.$/);
});

test("says that a change of a reranker's parameter chooses a reranker, unless the stage is switched off", () => {
  const { label } = parameterOf(OWN, "rerank");
  expect(helpFor("rerank_max_docs").text).toContain(
    ` No effect while ${label} is off; a change switches ${label} to late.`,
  );
  expect(helpFor("rerank_max_docs", { rerank_on: false }).text).toMatch(/ No effect while Rerank is off\.$/);
  expect(helpFor("rerank_max_docs", { rerank: "late" }).text).not.toContain("No effect");
});

test("lists the changed values of a stage that is off", () => {
  const stage = OWN.stages.find(({ id }) => id === "corroboration");
  if (stage === undefined) throw new Error("no corroboration");
  expect(stageHelp(OWN, DEFAULTS, stage).text).toBe(stage.sentence);
  expect(stageHelp(OWN, { ...DEFAULTS, near_duplicates: "collapse" }, stage).text).toBe(
    `${stage.sentence} Near-duplicates collapse: no effect while this stage is off.`,
  );
});
