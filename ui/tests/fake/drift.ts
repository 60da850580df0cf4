// Contradictions of a made-up library.
import type { Drifted, DriftReport, DriftSide, OppositionPair } from "../../src/api/bindings";

export function side(path: string, words: readonly string[], part: Partial<DriftSide> = {}): DriftSide {
  const parts = words.map((text) => ({
    text: text.replaceAll("*", ""),
    is_marked: text.startsWith("*"),
  }));
  return {
    folder: "notes",
    path,
    line: 3,
    end_line: 3,
    before: "",
    text: parts.map(({ text }) => text).join(""),
    parts,
    after: "",
    date: null,
    agent: "helper",
    n_same: 0,
    has_more_same: false,
    ...part,
  };
}

const PORT: Drifted = {
  id: "port",
  resolved_id: "port, newer b",
  a: side("reference/home-server.md", ["The push relay listens on port ", "*8093*", "."], {
    line: 12,
    date: "2026-11-02",
    before: "Everything runs as containers.",
    n_same: 2,
  }),
  b: side("clerk/relay.md", ["The push relay listens on port ", "*8443*", "."], {
    folder: "logs",
    line: 4,
    date: "2026-11-20",
    agent: "clerk",
    after: "It was moved behind the proxy.",
  }),
  kind: "number",
  words: ["8093", "8443"],
  score: 1,
  sure: true,
  second_opinion: null,
  scopes: null,
  newer: "b",
};

const DEPLOYS: Drifted = {
  id: "walnuts",
  resolved_id: null,
  a: side("people/signe-profile.md", ["Signe ", "*likes*", " walnuts."]),
  b: side("people/health-and-food.md", ["Signe ", "*does not*", " ", "*like*", " walnuts."]),
  kind: "opposition",
  words: ["likes", "does not", "like"],
  score: 1,
  sure: true,
  second_opinion: null,
  scopes: null,
  newer: null,
};

const MAY: Drifted = {
  ...PORT,
  id: "restart",
  resolved_id: null,
  a: side("reference/home-server.md", ["The relay restarts at ", "*2:15*", "."]),
  b: side("reference/home-server.md", ["The relay restarts at ", "*3:15*", " on Sundays."], { line: 9 }),
  kind: "time",
  sure: false,
  scopes: null,
  newer: null,
};

const CHANGED: Drifted = {
  ...PORT,
  id: "logs",
  resolved_id: "logs, newer b",
  a: side("protocols/logs.md", ["Logs are kept for ", "*35 days*", "."]),
  b: side("protocols/logs-new.md", ["Logs are kept for ", "*90 days*", " now, not ", "*35 days*", "."]),
  kind: "time",
  scopes: null,
  newer: "b",
};

/** Two contradictions, one that may be one, and one changed fact. */
export const DRIFT: DriftReport = {
  contradictions: [PORT, DEPLOYS, MAY],
  changed: [CHANGED],
  dismissed: [],
  resolved: [],
  clusters: 2,
  corroborated_count: 5,
  compared: {
    n_observations: 412,
    n_sentences: 633,
    left_out: [
      { why: "too short to state much", n: 120 },
      { why: "not in English", n: 14 },
    ],
    n_pairs: 51,
    apart: [{ why: "with nothing that opposes", n: 47 }],
    n_pairs_skipped: 0,
  },
  second_opinions: null,
  elapsed_ms: 41.2,
};

/** A pair of opposite words that is in use. */
export function pairOf(words: string[], opposite: string[], isOwn: boolean): OppositionPair {
  return { id: `${words[0]} | ${opposite[0]}`, words, opposite, is_own: isOwn, is_on: true };
}
