import type {
  CardId,
  NotePage,
  NoteQuery,
  NoteRow,
  NoteTags,
  Overview,
  OverviewCard,
  Timeline,
} from "../../src/api/bindings";

/** Rows that the engine sends at once. */
const PAGE_ROWS = 200;

const row = (path: string, over: Partial<NoteRow> = {}): NoteRow => ({
  folder: "notes",
  folder_name: "notes",
  path,
  title: path.replace(/^.*\//, ""),
  agent: null,
  agent_name: null,
  date: null,
  date_from: null,
  is_date_odd: false,
  modified_ms: 1_760_000_000_000,
  first_seen_ms: 1_760_000_000_000,
  changed_ms: null,
  news: null,
  n_bytes: 900,
  n_words: 120,
  n_chunks: 2,
  loaded: null,
  searched: null,
  n_found: null,
  n_opened: null,
  tags: [],
  language: "English",
  n_problems: 0,
  problem: null,
  ...over,
});

/** The notes of the list. */
export const NOTE_ROWS: readonly NoteRow[] = [
  row("people/signe-profile.md", { title: "Signe", n_bytes: 4_200, date: "2026-02-03", date_from: "note" }),
  row("protocols/group-rooms.md", { n_bytes: 2_100, date: "2024-01-09", date_from: "path" }),
  row("reference/home-server.md", { title: "Home server", n_bytes: 12_000, tags: ["house"] }),
  row("broken.jsonl", { n_problems: 1, problem: "line 2: it is not JSON", language: null }),
  row("schuppen.md", { language: "German" }),
];

const isOnCard: Partial<Record<CardId, (row: NoteRow) => boolean>> = {
  largest: ({ n_bytes }) => n_bytes !== null,
  oldest: ({ date }) => date !== null,
  problems: ({ n_problems }) => n_problems > 0,
};

function chosen({ card, language, has_problem, tag, from, to, no_day, text = "" }: NoteQuery): NoteRow[] {
  return NOTE_ROWS.filter(
    (row) =>
      ((card ?? null) === null || (isOnCard[card as CardId]?.(row) ?? false)) &&
      ((language ?? null) === null || row.language === language) &&
      (has_problem !== true || row.n_problems > 0) &&
      ((tag ?? null) === null || row.tags.includes(tag ?? "")) &&
      ((from ?? null) === null || (row.date ?? "") >= (from ?? "")) &&
      ((to ?? null) === null || (row.date !== null && row.date <= (to ?? ""))) &&
      (no_day !== "undated" || row.date === null) &&
      no_day !== "implausible" &&
      `${row.title} ${row.path}`.toLowerCase().includes(text.toLowerCase()),
  );
}

export function pageOf(query: NoteQuery, first: number): NotePage {
  const rows = chosen(query);
  return {
    first,
    rows: rows.slice(first, first + PAGE_ROWS),
    n: rows.length,
    n_all: NOTE_ROWS.length,
    n_unread: 0,
  };
}

export function tagsOf(query: NoteQuery, find: string): NoteTags {
  const counts = new Map<string, number>();
  for (const { tags } of chosen({ ...query, tag: null }))
    for (const tag of tags)
      if (tag.toLowerCase().includes(find.toLowerCase())) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  return { tags: [...counts].map(([tag, n]) => ({ tag, n })), n: counts.size, n_unread: 0 };
}

export function timelineOf(query: NoteQuery): Timeline {
  const rows = chosen({ ...query, from: null, to: null, no_day: null });
  const dates = rows.flatMap(({ date }) => (date === null ? [] : [date]));
  return {
    days: dates.toSorted().map((date) => ({ date, folder: "notes", n_notes: 1, n_observations: 4 })),
    n_notes: rows.length,
    n_undated: rows.length - dates.length,
    n_odd: 0,
    n_observations: 4 * rows.length,
    n_observations_undated: 4 * (rows.length - dates.length),
    n_observations_odd: 0,
  };
}

const card = (id: CardId, title: string, over: Partial<OverviewCard> = {}): OverviewCard => {
  const rows = chosen({ card: id });
  return {
    id,
    title,
    n: rows.length,
    n_listed: rows.length,
    unit: rows.length === 1 ? "note" : "notes",
    basis: "By a rule.",
    first: rows
      .slice(0, 3)
      .map(({ folder, path, title }) => ({ folder, path, line: null, title, detail: "a detail" })),
    ...over,
  };
};

const unknown = (basis: string) => ({ n: null, n_listed: 0, basis, first: [] });

/** What the cards say; `nSaidAgain` and `nContradictions` are null before a comparison. */
export function overviewOf(nSaidAgain: number | null, nContradictions: number | null): Overview {
  const compared = (n: number | null) =>
    n === null ? unknown("Not compared yet.") : { n, n_listed: Math.min(n, 500), first: [] };
  return {
    n_notes: NOTE_ROWS.length,
    n_not_read: 0,
    n_unread: 0,
    since_ms: null,
    cards: [
      card("new", "New and changed since your last visit", unknown("This is the first visit.")),
      card("never_found", "Found by no imported past question", unknown("No past question was imported.")),
      card("largest", "Largest"),
      card("oldest", "Oldest"),
      card("said_again", "Said more than once", { ...compared(nSaidAgain), unit: "statements" }),
      card("contradictions", "Contradictions", { ...compared(nContradictions), unit: "pairs" }),
      card("problems", "Files with problems"),
      card("languages", "Languages", {
        n: 2,
        n_listed: 2,
        unit: "languages",
        first: [
          { folder: "", path: "", line: null, title: "English", detail: "3 notes" },
          { folder: "", path: "", line: null, title: "German", detail: "1 note" },
        ],
      }),
    ],
    languages: [
      { language: "English", n: 3 },
      { language: "German", n: 1 },
    ],
  };
}
