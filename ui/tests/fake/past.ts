/** Past questions of made-up agents: their logs, their list, a replay, and one answer then and now. */
import type {
  AutopsyChoices,
  CopiedPast,
  Fate,
  NowResult,
  PastAgent,
  PastDay,
  PastFilterArgument,
  PastPageArgument,
  PastPlace,
  PastQuestions,
  PastRow,
  Ranking,
  RecallChangeArgument,
  RecallImport,
  RecallLogs,
  ReplaySummary,
  ThenNow,
  ThenResult,
} from "../../src/api/bindings";
import { EMULATED } from "./agent-pipeline";

/** Initial state of the fake: nothing logged, logs that were not read, read, read and replayed. */
export type PastState = "none" | "unread" | "read" | "replayed";

const NAMES: Record<string, string> = { clerk: "Clerk", iris: "Iris" };
const DAY_MS = 86_400_000;

const place = (path: string, start: number, end: number, afterMs: number | null = 4_000): PastPlace => ({
  ...{ path, start_line: start, end_line: end, is_part: false, after_ms: afterMs },
});

const SERVER = "reference/home-server.md";

/** Each: days ago, time of day, agent, session, question, fates by first letter (`-`: found nothing), opened, cited. */
const ASKED: [number, string, string, string, string, string, PastPlace[], PastPlace[]][] = [
  [0, "09:41", "clerk", "9c1e", "when is the next restore test", "kkkkkk", [place(SERVER, 17, 21)], []],
  [
    0,
    "09:12",
    "clerk",
    "9c1e",
    "which port does the photo library use",
    "kkkkrf",
    [place(SERVER, 11, 15)],
    [],
  ],
  [
    0,
    "08:20",
    "iris",
    "4b07",
    "what does Signe eat before a flight",
    "kk",
    [],
    [place("people/health-and-food.md", 9, 12)],
  ],
  [1, "22:36", "clerk", "7f3a", "why is streaming stuck", "-", [], []],
  [1, "22:33", "clerk", "7f3a", "wifi dead in the studio", "kk", [], []],
  [1, "22:31", "clerk", "7f3a", "connection dead, what now", "kkfg", [], []],
  [
    1,
    "22:14",
    "clerk",
    "7f3a",
    "does the push relay work when the internet is gone",
    "frkggrn",
    [place(SERVER, 23, 27)],
    [],
  ],
  [1, "21:31", "iris", "e210", "how long to wait after restarting the router", "?", [], []],
  [
    2,
    "18:05",
    "clerk",
    "51d8",
    "who may restart services",
    "kkkkkg",
    [place(SERVER, 33, 39), place("MEMORY.md", 1, 4)],
    [],
  ],
  [9, "20:47", "iris", "d3b9", "passphrase", "k", [], [place("MEMORY.md", 12, 18)]],
];

const FATES: Record<string, Fate> = { k: "kept", r: "rose", f: "fell", g: "gone", n: "new" };

function madeRows(nowMs: number): PastRow[] {
  return ASKED.map(([daysAgo, clock, agent, session, question, letters, opened, cited], at): PastRow => {
    const [hours, minutes] = clock.split(":").map(Number);
    const fates = [...letters].flatMap((letter) => FATES[letter] ?? []);
    return {
      ...{
        id: `p${at + 1}`,
        agent,
        agent_name: NAMES[agent] ?? agent,
        session,
        question,
        opened,
        cited,
        fates,
        is_opening: false,
        has_failed: false,
        served: null,
      },
      at_ms: new Date(nowMs - daysAgo * DAY_MS).setHours(hours ?? 0, minutes ?? 0, 0, 0),
      n_returned: letters === "?" ? null : fates.filter((fate) => fate !== "new").length,
    };
  });
}

/** The engine's. */
const PAGE = 500;

function isChanged(row: PastRow): boolean {
  return row.fates?.some((fate) => fate !== "kept") === true;
}

function daysOf(rows: readonly PastRow[]): PastDay[] {
  const days: PastDay[] = [];
  let of: number | null = null;
  for (const row of rows) {
    const midnight = new Date(row.at_ms ?? 0).setHours(0, 0, 0, 0);
    if (midnight !== of)
      days.push({ at_ms: row.at_ms, n_questions: 0, n_openings: 0, n_compared: 0, n_changed: null });
    of = midnight;
    const day = days.at(-1);
    if (day === undefined) continue;
    if (row.is_opening) day.n_openings++;
    else day.n_questions++;
    if (row.fates !== null) {
      day.n_compared++;
      day.n_changed = (day.n_changed ?? 0) + (isChanged(row) ? 1 : 0);
    }
  }
  return days;
}

/** Rows by the thousand, for what must scroll. */
export function manyRows(n: number, nowMs: number): PastRow[] {
  const rows = madeRows(nowMs);
  return Array.from({ length: n }, (_, at): PastRow => {
    const row = rows[at % rows.length] as PastRow;
    return { ...row, id: `m${at + 1}`, question: `${row.question} ${at + 1}`, at_ms: nowMs - at * 1_800_000 };
  });
}

export const RECALL_LOGS: RecallLogs = {
  is_allowed: false,
  logs: [
    {
      ...{ agent: "clerk", agent_name: "Clerk", path: "~/.clerk/sessions.db", n_bytes: 48_200_000 },
      ...{ n_questions: 0, is_read: false, problem: null },
    },
    {
      ...{ agent: "iris", agent_name: "Iris", path: "~/.iris/log/2026-11.jsonl", n_bytes: 3_100_000 },
      ...{ n_questions: 0, is_read: false, problem: null },
    },
  ],
  problems: [],
  n_bytes: 51_300_000,
  keep_days: 365,
  is_alarm_on: true,
  records_calls: false,
  copies: [],
};

const SUMMARY: Omit<ReplaySummary, "at_ms"> = {
  ...{ took_ms: 3_100, by: null, n_questions: 10, n_compared: 9, n_changed: 4, n_found_nothing: 1 },
  ...{
    n_notes: 10,
    never_found: ["people/old.md", "protocols/group-rooms.md", "people/old.md"],
    n_never_found: 3,
  },
  answers_most: [
    { path: SERVER, name: `notes/${SERVER}`, n_questions: 5 },
    { path: "MEMORY.md", name: "notes/MEMORY.md", n_questions: 2 },
  ],
  notices: ["Iris has no emulated search, so Memlens's own stood in for it."],
};

/** An opening of notes without a search. */
export function madeOpening(nowMs: number): PastRow {
  const opened = [place("/home/ada/.iris/memory/topic.md", 3, 12), place(SERVER, 1, 4)];
  return {
    ...{ id: "o1", agent: "iris", agent_name: "Iris", session: "77aa", at_ms: nowMs, question: "" },
    ...{
      is_opening: true,
      has_failed: false,
      n_returned: null,
      opened,
      cited: [],
      fates: null,
      served: null,
    },
  };
}

/** Questions of an invented user's agents. */
export class PastMemory {
  #logs: RecallLogs;
  #rows: PastRow[];
  #replay: ReplaySummary | null;
  readonly #nowMs: number;
  /** Query sets with copies of past questions. */
  copies: CopiedPast[] = [];
  /** How many answers the next replay can compare. */
  nCompared = SUMMARY.n_compared;

  constructor(state: PastState, nRows: number | null, nowMs = Date.now()) {
    this.#nowMs = nowMs;
    const isRead = state === "read" || state === "replayed";
    this.#rows = isRead ? this.#made(nRows) : [];
    this.#logs =
      state === "none" ? { ...RECALL_LOGS, logs: [], problems: [], n_bytes: 0 } : isRead ? READ : RECALL_LOGS;
    this.#replay = state === "replayed" ? { ...SUMMARY, at_ms: nowMs } : null;
  }

  #made(nRows: number | null): PastRow[] {
    return nRows === null ? madeRows(this.#nowMs) : manyRows(nRows, this.#nowMs);
  }

  get #isCompared(): boolean {
    return this.#replay !== null && this.#replay.n_compared > 0;
  }

  logs(): RecallLogs {
    return { ...this.#logs, copies: this.copies };
  }

  import(): RecallImport {
    const nNew = this.#rows.length === 0 ? ASKED.length : 0;
    this.#rows = this.#made(null);
    this.#logs = { ...READ, keep_days: this.#logs.keep_days, is_alarm_on: this.#logs.is_alarm_on };
    return {
      ...{ n_logs: 2, n_new: nNew, n_updated: 0, n_openings: 0, n_judgments: 6, is_stopped: false },
      problems: ["~/.iris/log/2026-11.jsonl: line 812 is torn, and was left out"],
      notices: ["9 opened or cited notes were changed since and are not counted"],
    };
  }

  /** Adds rows, the newest first. */
  add(...rows: PastRow[]): void {
    this.#rows = [...rows, ...this.#rows];
  }

  /** Makes a search one that failed. */
  fail(id: string): void {
    this.#rows = this.#rows.map((row) => (row.id === id ? { ...row, has_failed: true } : row));
  }

  /** Forgets the oldest, as their age has it. */
  forgetOldest(n: number): void {
    this.#rows = this.#rows.slice(0, -n);
  }

  forget(): void {
    this.#rows = [];
    this.#replay = null;
    this.#logs = RECALL_LOGS;
  }

  change({ keepDays, isAlarmOn }: RecallChangeArgument): RecallLogs {
    this.#logs = {
      ...this.#logs,
      keep_days: keepDays ?? this.#logs.keep_days,
      is_alarm_on: isAlarmOn ?? this.#logs.is_alarm_on,
    };
    return this.#logs;
  }

  questions({ text, agent, only }: PastFilterArgument, { at, open }: PastPageArgument): PastQuestions {
    const rows = this.#rows.map((row) => (this.#isCompared ? row : { ...row, fates: null }));
    const isNothing = (row: PastRow) => row.n_returned === 0;
    const words = text.trim().toLowerCase();
    const textOf = ({ question, opened }: PastRow) =>
      question === "" ? opened.map(({ path }) => path).join(" ") : question;
    const isOnly = (row: PastRow): boolean =>
      ({
        all: true,
        searches: !row.is_opening,
        openings: row.is_opening,
        changed: isChanged(row),
        found_nothing: isNothing(row),
      })[only];
    const shown = rows.filter(
      (row) =>
        textOf(row).toLowerCase().includes(words) && (agent === null || row.agent === agent) && isOnly(row),
    );
    const openAt = shown.findIndex((row) => row.id === open);
    const place = Math.max(0, Math.min(at ?? openAt, shown.length - 1));
    const first = place - (place % PAGE);
    return {
      ...{ first, rows: shown.slice(first, first + PAGE), n_shown: shown.length, days: daysOf(shown) },
      open_at: openAt < 0 ? null : openAt,
      n_all: rows.length,
      n_openings: rows.filter(({ is_opening }) => is_opening).length,
      n_found_nothing: rows.filter(isNothing).length,
      // Every question of this log is dated and recent.
      lately: {
        n_days: 30,
        n_questions: rows.filter(({ is_opening }) => !is_opening).length,
        n_found_nothing: rows.filter(isNothing).length,
        n_undated_nothing: 0,
      },
      n_changed: this.#isCompared ? rows.filter(isChanged).length : null,
      agents: this.#agents(),
      replay: this.#replay,
      lost: null,
    };
  }

  wordings(text: string): string[] {
    const rows = this.#rows.filter(({ question }) => question.toLowerCase().includes(text.toLowerCase()));
    return rows.map(({ question }) => question).slice(0, 6);
  }

  choices(agent: string | null): AutopsyChoices {
    const rows = this.#rows.filter((row) => row.session !== "" && (agent === null || row.agent === agent));
    const newest = new Map(rows.toReversed().map((row) => [row.session, row]));
    const sessions = [...newest.values()].map(({ agent_name, session, at_ms }) => ({
      agent_name,
      session,
      at_ms,
    }));
    return { agents: this.#agents(), sessions: sessions.toSorted((a, b) => (b.at_ms ?? 0) - (a.at_ms ?? 0)) };
  }

  #agents(): PastAgent[] {
    return Object.entries(NAMES)
      .map(([id, name]) => {
        const rows = this.#rows.filter((row) => row.agent === id);
        const nOpenings = rows.filter(({ is_opening }) => is_opening).length;
        return { id, name, n_questions: rows.length - nOpenings, n_openings: nOpenings };
      })
      .filter((one) => one.n_questions + one.n_openings > 0);
  }

  replay(by: Ranking | null): ReplaySummary {
    this.#replay = {
      ...SUMMARY,
      ...{ n_compared: this.nCompared, at_ms: this.#nowMs, by: by === null ? null : by.pipeline },
    };
    return this.#replay;
  }

  record(isOn: boolean): RecallLogs {
    this.#logs = { ...this.#logs, records_calls: isOn };
    return this.logs();
  }

  /** A call of a connected agent arrives. */
  serve(question: string): void {
    const row: PastRow = {
      ...{ id: "s1", agent: "clerk", agent_name: "Clerk", session: "", at_ms: this.#nowMs, question },
      ...{ is_opening: false, has_failed: false, n_returned: 2, opened: [], cited: [], fates: null },
      served: { client: "clerk-code", agent: null, folder: "notes", path: "house" },
    };
    this.#rows = [row, ...this.#rows];
  }

  thenNow(id: string, by: Ranking | null): ThenNow {
    const row = this.#rows.find((one) => one.id === id);
    if (row === undefined) throw { code: "error", message: `there is no past question ${id}` };
    if (row.is_opening) throw { code: "error", message: `${id} is an opening` };
    return {
      row,
      settings: { maxResults: "6", minScore: "0.35" },
      ranking: by ?? { pipeline: "clerk@1.2", values: { "clerk.min_score": 0.35 } },
      label: by === null ? "Clerk 1.2" : "Memlens",
      emulated: by === null ? EMULATED : null,
      search: 900,
      ...answersOf(row),
      observed:
        row.opened.length === 0
          ? null
          : "After the search it opened home-server.md:23–27, so this note counts as relevant. It was at rank 1 of the logged results.",
      not_compared: id === "p8" ? "cannot be compared: no answer was logged" : null,
      asked_again: null,
      same_edit:
        id === "p7"
          ? [
              { id: "p6", question: "connection dead, what now", was: 4, is: null },
              { id: "p2", question: "which port does the photo library use", was: 5, is: 6 },
            ]
          : [],
      notices: [],
    };
  }
}

const READ: RecallLogs = {
  ...RECALL_LOGS,
  is_allowed: true,
  logs: RECALL_LOGS.logs.map((log) => ({
    ...log,
    is_read: true,
    n_questions: ASKED.filter(([, , agent]) => agent === log.agent).length,
  })),
};

const PATHS = [SERVER, "reference/notification-routes.md", "MEMORY.md", "people/signe-profile.md"];

/** Results that fit a row's fates: those of then in their order, then the new ones. */
function answersOf(row: PastRow): { then: ThenResult[]; now: NowResult[] } {
  const fates = row.fates ?? [];
  const of = (at: number) => ({
    path: PATHS[at % PATHS.length] ?? SERVER,
    text: at === 0 ? "Streaming needs the relay on port 8093." : null,
    start_line: 23 + at,
    end_line: 27 + at,
  });
  /** Current ranks: a result that rose is one up, one that fell one down, lost ones are at the end. */
  const standing = fates
    .map((fate, at) => ({ fate, at }))
    .filter(({ fate }) => fate !== "gone")
    .toSorted((a, b) => height(a) - height(b));
  const gone = fates.map((fate, at) => ({ fate, at })).filter(({ fate }) => fate === "gone");
  const now = [...standing, ...gone].map(({ fate, at }, place): NowResult => ({
    ...of(at),
    name: `notes/${of(at).path}`,
    ...{ rank: fate === "gone" ? null : place + 1, folder: fate === "gone" ? "" : "notes", fate },
    ...{
      score: fate === "gone" ? null : 0.6 - place / 20,
      moved: fate === "rose" ? 1 : fate === "fell" ? -1 : 0,
    },
    ...{ why: WHY[fate], chunk: fate === "gone" ? null : `c${at}` },
  }));
  const places = [...standing, ...gone].map(({ at }) => at);
  const then = fates.flatMap((fate, at): ThenResult[] =>
    fate === "new"
      ? []
      : [
          {
            ...{ rank: at + 1, ...of(at), score: 0.6 - at / 20, fate, now: places.indexOf(at) },
            used: at === 0 && row.opened.length > 0 ? "opened 4 s later" : "",
          },
        ],
  );
  return { then, now };
}

function height({ fate, at }: { fate: Fate; at: number }): number {
  return at + (fate === "rose" ? -1.5 : fate === "fell" ? 1.5 : 0);
}

const WHY: Record<Fate, string> = {
  kept: "same score",
  rose: "same score",
  fell: "note changed today 08:02: chunk is 2 lines longer",
  gone: "entry deleted today 07:50",
  new: "written today 07:15",
};
