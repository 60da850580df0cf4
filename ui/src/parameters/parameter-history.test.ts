// One step per release, undo and redo, refusals and switched methods.
import { describe, expect, it } from "vitest";
import { DEFAULTS } from "../api/parameters";
import { ParameterHistory } from "./parameter-history.svelte";

describe("ParameterHistory", () => {
  it("makes one step of a whole drag", () => {
    const history = ParameterHistory.own();
    for (const value of [0.5, 0.4, 0.3]) history.preview("vector_weight", value);
    expect(history.current.vector_weight).toBe(0.3);
    expect(history.committed.vector_weight).toBe(DEFAULTS.vector_weight);
    history.commit();
    expect(history.committed.vector_weight).toBe(0.3);
    history.undo();
    expect(history.current).toEqual(DEFAULTS);
    expect(history.canUndo).toBe(false);
  });

  it("makes no step of what is only looked at, whatever comes next", () => {
    const history = ParameterHistory.own();
    history.set("max_results", 5);
    const other = { ...history.committed, min_score: 0.3 };
    history.look(other);
    expect([history.isLooking, history.current, history.committed.min_score]).toEqual([
      true,
      other,
      DEFAULTS.min_score,
    ]);
    history.undo();
    expect(history.current).toEqual(DEFAULTS);
    expect(history.isLooking).toBe(false);
    history.redo();
    history.look(other);
    history.set("fusion_k", 20);
    expect(history.current).toMatchObject({ max_results: 5, fusion_k: 20, min_score: DEFAULTS.min_score });
    history.look(other);
    history.lookAway();
    expect(history.current).toBe(history.committed);
    // A drag is not disturbed.
    history.preview("max_results", 7);
    history.look(other);
    expect(history.current.max_results).toBe(7);
  });

  it("records nothing when a drag ends where it began", () => {
    const history = ParameterHistory.own();
    history.preview("max_results", 5);
    history.preview("max_results", DEFAULTS.max_results);
    history.commit();
    expect(history.canUndo).toBe(false);
  });

  it("redoes what was undone until something else is set", () => {
    const history = ParameterHistory.own();
    history.set("max_results", 5);
    history.set("min_score", 0.3);
    history.undo();
    history.undo();
    expect(history.current).toEqual(DEFAULTS);
    history.redo();
    expect(history.current.max_results).toBe(5);
    expect(history.current.min_score).toBe(DEFAULTS.min_score);
    history.redo();
    expect(history.current.min_score).toBe(0.3);
    expect(history.canRedo).toBe(false);
    history.undo();
    history.set("max_results", 7);
    expect(history.canRedo).toBe(false);
  });

  it("counts an unfinished drag as a step when it is undone", () => {
    const history = ParameterHistory.own();
    history.preview("max_results", 5);
    history.undo();
    expect(history.current.max_results).toBe(DEFAULTS.max_results);
    history.redo();
    expect(history.current.max_results).toBe(5);
  });

  it("refuses two weights of 0 at whichever is set last, and changes nothing", () => {
    for (const [first, last] of [
      ["vector_weight", "text_weight"],
      ["text_weight", "vector_weight"],
    ] as const) {
      const history = ParameterHistory.own();
      expect(history.set(first, 0)).toBe(true);
      const before = history.current;
      expect(history.set(last, 0)).toBe(false);
      expect(history.current).toBe(before);
      expect(history.notice).toMatchObject({ kind: "refused", id: last });
      expect(history.notice?.text).toContain("cannot both be 0");
      history.preview(last, 0.1);
      expect(history.notice).toBeNull();
    }
  });

  it("switches the fusion method for a parameter that the present one does not use, says so, and undoes both at once", () => {
    const history = ParameterHistory.own();
    for (const k of [50, 40, 30]) history.preview("fusion_k", k);
    expect(history.current).toMatchObject({ fusion: "rrf", fusion_k: 30 });
    expect(history.notice).toMatchObject({ kind: "switched", id: "fusion_k" });
    expect(history.notice?.text).toContain("calibrated");
    history.commit();
    expect(history.notice).toMatchObject({ kind: "switched" });
    history.undo();
    expect(history.current).toEqual(DEFAULTS);
    expect(history.notice).toBeNull();
  });

  it("switches how observations are compared as a drag of the other's limit asks, says so, and takes both back at once", () => {
    const history = ParameterHistory.own();
    history.set("word_overlap", 0.7);
    expect(history.current).toEqual({ ...DEFAULTS, agreement_measure: "words", word_overlap: 0.7 });
    expect(history.notice).toEqual({
      kind: "switched",
      id: "word_overlap",
      text: "Same by switched from simhash to words, which uses this.",
    });
    history.set("simhash_distance", 5);
    expect(history.current.agreement_measure).toBe("simhash");
    history.undo();
    expect(history.current.agreement_measure).toBe("words");
    history.undo();
    expect(history.current).toEqual(DEFAULTS);
  });

  it("does not switch for a parameter that every method uses", () => {
    const history = ParameterHistory.own();
    history.set("vector_weight", 0.2);
    expect(history.current.fusion).toBe("calibrated");
    expect(history.notice).toBeNull();
  });

  it("returns what differs from the defaults, and resets one or all", () => {
    const history = ParameterHistory.own();
    history.set("min_score", 0.3);
    history.set("vector_depth", 20);
    expect(history.changed).toEqual(["vector_depth", "min_score"]);
    history.reset("min_score");
    expect(history.changed).toEqual(["vector_depth"]);
    history.resetAll();
    expect(history.changed).toEqual([]);
    history.undo();
    expect(history.changed).toEqual(["vector_depth"]);
  });
});

it("a drag that ends where it began is over", () => {
  const history = ParameterHistory.own();
  const { min_score } = history.current;
  history.preview("min_score", 0.9);
  history.preview("min_score", min_score);
  expect(history.current).not.toBe(history.committed);
  history.commit();
  expect(history.current).toBe(history.committed);
  expect(history.canUndo).toBe(false);
});
