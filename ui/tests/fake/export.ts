/** Settings of an invented program, the clerk, and its config. */
import type { AgentConfig, Export, NearestSetting, Ranking, TargetInfo } from "../../src/api/bindings";

export const TARGETS: TargetInfo[] = [
  {
    id: "clerk@1.2",
    label: "Clerk 1.2",
    file: "clerk.json",
    config: "~/.clerk/clerk.json",
    is_of_config: true,
  },
  { id: "call@1", label: "Call 1", file: null, config: null, is_of_config: false },
];

/** `present`: `minScore` in its current config. */
export function exported(ranking: Ranking, target: string, agent: string | null, present: number): Export {
  const least = Number(ranking.values["min_score"] ?? ranking.values["clerk.min_score"] ?? 0.2);
  const key = agent === null ? "minScore" : `${agent}.minScore`;
  return {
    id: 1,
    target,
    rows: [
      {
        ...{ parameter: "max_results", label: "Max results", value: 10 },
        ...{ key: "maxResults", told: "10", fit: "exact", why: null },
      },
      {
        ...{ parameter: "min_score", label: "Min score", value: least },
        ...{ key, told: String(least), fit: "approximate", why: "its scores stand on another scale" },
      },
      {
        ...{ parameter: "fusion", label: "Method", value: "calibrated" },
        ...{ key: null, told: null, fit: "not_expressible", why: "the clerk adds scores" },
      },
    ],
    text:
      target === "call@1" ? `call -n 10 --min-score ${String(least)}\n` : `{"${key}": ${String(least)}}\n`,
    problem: null,
    model:
      "this library uses the embedding model all-MiniLM-L6-v2-q8@57d50a19; where Clerk uses another, its scores and thresholds differ",
    change:
      target === "call@1"
        ? null
        : {
            path: "~/.clerk/clerk.json",
            diff:
              least === present
                ? ""
                : `@@ -1,3 +1,3 @@\n {\n-  ${key}: ${String(present)},\n+  ${key}: ${String(least)},\n }\n`,
            is_same: least === present,
            notes: ["iris has settings of its own, which stay as they are"],
            refused: null,
            watched: null,
            agents: ["iris"],
            before: { pipeline: target, values: { "clerk.min_score": present } },
            after: { pipeline: target, values: { "clerk.min_score": least } },
          },
  };
}

export const CONFIG: AgentConfig = {
  path: "~/.clerk/clerk.json",
  label: "Clerk 1.2",
  version: "1.2.3",
  ranking: {
    pipeline: "clerk@1.2",
    values: {
      "clerk.near_weight": 0.7,
      "clerk.spread_on": false,
      "clerk.min_score": 0.45,
      "clerk.max_results": 6,
    },
  },
  settings: [
    {
      ...{
        agent: null,
        key: "minScore",
        value: "0.45",
        effect: "sets",
        parameter: "clerk.min_score",
        why: null,
      },
    },
    {
      ...{ agent: null, key: "rerank", value: "true", effect: "without_effect", parameter: null },
      why: "no version that was checked reads it",
    },
  ],
  agents: ["iris"],
  problems: [],
  voids: [],
};

export const NEAREST: NearestSetting = {
  notices: [],
  ranking: { ...CONFIG.ranking, values: { ...CONFIG.ranking.values, "clerk.min_score": 0.05 } },
  label: "Clerk 1.2",
  changed: ["clerk.min_score 0.05"],
  full: 0.848,
  mapped: 0.533,
  found: 0.612,
  n_queries: 57,
  n_tried: 41,
};
