import type { FolderState, Row } from "../../src/api/bindings";

/** A chunk of the made-up library, with what a query is compared with. */
export type FakeChunk = Pick<
  Row,
  "chunk" | "folder" | "folder_name" | "path" | "start_line" | "end_line" | "source" | "heading" | "tokens"
> & { text: string; words: string[] };

/** Words that carry no meaning weigh less, as in the engine. */
export const STOP_WORDS = new Set(
  "a an and are as at be but by do for how i in is it my no not of on or our should so that the then this to was what when where which who why with".split(
    " ",
  ),
);

const FILES: { folder: string; path: string; source: string; heading: string }[] = [
  { folder: "notes", path: "observations.jsonl", source: "runner", heading: "" },
  {
    folder: "notes",
    path: "reference/home-server.md",
    source: "reference",
    heading: "Home server › When it is down",
  },
  {
    folder: "notes",
    path: "reference/notification-routes.md",
    source: "reference",
    heading: "Routes › Night",
  },
  { folder: "notes", path: "protocols/stuck-task-playbook.md", source: "protocols", heading: "Stuck tasks" },
  {
    folder: "notes",
    path: "people/hanneke-van-den-berg-and-the-allotment-committee-2024-2026.md",
    source: "people",
    heading: "Hanneke › How she wants to be told",
  },
  { folder: "notes", path: "MEMORY.md", source: "agent", heading: "Standing facts" },
  { folder: "agents", path: "clerk/2026-10-03.md", source: "clerk", heading: "Evening" },
  {
    folder: "agents",
    path: "smith/2026-11-02-the-long-day-on-which-everything-that-could-be-restarted-was-restarted.md",
    source: "smith",
    heading: "Outage",
  },
  { folder: "agents", path: "scholar/reading-list.md", source: "scholar", heading: "Reading › Autumn" },
  { folder: "agents", path: "日本語/覚え書き.md", source: "helper", heading: "覚え書き" },
];

const SENTENCES = [
  "When the internet is gone look first at the light on the converter in the meter cupboard.",
  "If it is red then the line is at fault and only the provider can help; the customer number is in the document archive.",
  "If it is green but no page loads then restart the router and wait four minutes.",
  "If names still do not resolve, the filter on the small server is down, and the emergency setting is a public resolver on the second tab of the router's page.",
  "First look whether it is ours: the light on the converter must be green and steady.",
  "Outage at home: check the status lamp of the fibre box before anything else.",
  "The nightly load must be finished by 05:45 because the dashboards are read at six.",
  "Hanneke wants bad news by phone and good news by letter, never the other way round.",
  "The box draws 19 watts idle and the small battery lasts forty minutes at that.",
  "Written for the day when I have to rebuild it and remember nothing.",
  "A task that has not reported for two hours is stuck: read its last line, then stop it, then start it again.",
  "The committee meets on the first Tuesday; minutes go out within a week.",
  "Never page between 23:00 and 07:00 unless water is involved.",
  "The backup runs at two, the check of the backup at four, the letter about the check at five.",
  "Coffee beans come from the shop near the station, one kilo, not ground.",
  "The spare key is with the neighbour on the left, who is home in the mornings.",
  "To renew the certificate, log in to the small server and run the renewal by hand, then look at the date.",
  "The heating talks to the gateway over its own wireless network and does not need the internet.",
  "メーターボックスの変換器のランプが赤なら回線の故障です。",
  "إذا كان الضوء أحمر فالخط معطل ولا ينفع إلا الاتصال بالمزود.",
  "She prefers trains to planes below eight hours, and a window seat in both.",
  "The printer only wakes when it is asked twice; the second request may be empty.",
  "Invoices go to the archive under the year in which they were paid, not written.",
  "What we tried first: another cable, another port, another device, in that order 🙂.",
];

export const FOLDERS: FolderState[] = [
  {
    id: "notes",
    path: "/home/robin/notes",
    name: "notes",
    agent: null,
    n_files: 6,
    n_chunks: 0,
    status: "watching",
    why: null,
  },
  {
    id: "agents",
    path: "/home/robin/.agents/memory",
    name: "agents",
    agent: null,
    n_files: 4,
    n_chunks: 0,
    status: "watching",
    why: null,
  },
];

/** Numbers in [0, 1) that are the same on every run. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 4294967296;
  };
}

export function wordsOf(text: string): string[] {
  return (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).map((word) => word.replace(/(ing|ed|s)$/u, ""));
}

/** A library of `n` chunks; the same `n` gives the same chunks. */
export function makeChunks(n: number): FakeChunk[] {
  const random = randomFrom(57);
  const nextLine = new Map<string, number>();
  return Array.from({ length: n }, (_, at) => {
    const file = FILES[Math.floor(random() * FILES.length)] ?? FILES[0];
    if (file === undefined) throw new Error("there are files");
    const nSentences = 1 + Math.floor(random() * 4);
    const from = at < SENTENCES.length ? at : Math.floor(random() * SENTENCES.length);
    const text = Array.from(
      { length: nSentences },
      (_, i) => SENTENCES[(from + i * (1 + (at % 3))) % SENTENCES.length],
    ).join(" ");
    const start = (nextLine.get(file.path) ?? 0) + 1;
    const end = file.path.endsWith(".jsonl") ? start : start + nSentences + Math.floor(random() * 4);
    nextLine.set(file.path, end + 1);
    const folder = FOLDERS.find(({ id }) => id === file.folder);
    return {
      chunk: `chunk-${at}`,
      folder: file.folder,
      folder_name: folder?.name ?? file.folder,
      path: file.path,
      start_line: start,
      end_line: end,
      source: file.source,
      heading: file.heading,
      tokens: Math.ceil(text.length / 4),
      text,
      words: wordsOf(`${file.path} ${text}`),
    };
  });
}
