import { describe, expect, it } from "vitest";
import { DEFAULTS, STAGES } from "../api/parameters";
import { OWN } from "./pipeline";
import { isStageOn, starterOf, withStage } from "./stage-switch";

const CASES = STAGES.map((stage) => [stage.id, stage] as const);

describe("the one switch of a stage", () => {
  it.each(CASES)("switches %s on by one step, and off again, whatever it stood at", (_, stage) => {
    const on = withStage(OWN, DEFAULTS, stage, true);
    expect(isStageOn(OWN, on, stage)).toBe(true);
    const off = withStage(OWN, on, stage, false);
    expect(isStageOn(OWN, off, stage)).toBe(false);
    expect(withStage(OWN, off, stage, true)).toEqual(on);
  });

  it.each(CASES)("is off for %s while the parameter that it needs is", (_, stage) => {
    const starter = starterOf(OWN, stage.id);
    const isOn = stage.switch === null || DEFAULTS[stage.switch as keyof typeof DEFAULTS] === true;
    expect(isStageOn(OWN, DEFAULTS, stage)).toBe(
      isOn && (starter === null || DEFAULTS[starter.id as keyof typeof DEFAULTS] !== starter.off),
    );
    if (starter !== null)
      expect(isStageOn(OWN, { ...DEFAULTS, [starter.id]: starter.off }, stage)).toBe(false);
  });

  it("keeps what a stage stood at while it is off", () => {
    const decay = STAGES.find(({ id }) => id === "decay");
    if (decay === undefined) throw new Error("no decay");
    const off = withStage(OWN, { ...DEFAULTS, half_life_days: 90 }, decay, false);
    expect(withStage(OWN, off, decay, true).half_life_days).toBe(90);
  });

  it("says by default what acts: both lists, fusion, repeats, threshold and limit", () => {
    expect(STAGES.filter((stage) => isStageOn(OWN, DEFAULTS, stage)).map(({ id }) => id)).toEqual([
      ...["vector", "bm25", "fusion", "repeats", "threshold", "limit"],
    ]);
  });
});
