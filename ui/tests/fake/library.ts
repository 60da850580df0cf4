// A made-up library for the views that show files: real Markdown, overlapping chunks, problems, events, hard cases.
import type {
  Activity,
  DocumentChunk,
  ErrorInfo,
  FileProblem,
  FolderState,
  FolderTree,
  LibraryState,
  Params,
  Preset,
  TreeEntry,
} from "../../src/api/bindings";
import { orderedTree } from "../../src/api/trees";
import { DEFAULTS } from "../../src/api/parameters";
import { FakeBackend, type FakeOptions } from "../fake-backend";

/** A file of the library; without a text it is the same few lines about its name. */
export type LibraryFile = {
  folder: string;
  path: string;
  text?: string;
  state?: TreeEntry["state"];
  not_searched?: TreeEntry["not_searched"];
  agent?: string;
  tags?: string[];
};

export type LibraryOptions = FakeOptions & {
  files?: LibraryFile[];
  folders?: FolderState[];
  problems?: FileProblem[];
  activity?: Activity[];
  state?: Partial<LibraryState>;
  preset?: Preset | null;
};

/** When the made-up files were saved last. */
export const SAVED_MS = Date.UTC(2026, 10, 20, 13, 3);

export const HOME_SERVER = `---
agent: helper
date: 2026-11-02
tags: [home, network]
---
# House network and the small server

Written for the day when I have to rebuild it from nothing, possibly at night, possibly by phone with Bram as the hands.

## Layout

The fibre comes in at the meter cupboard. Behind the converter sits the router (192.168.20.1), then a switch with eight ports, numbered from the left. Port 1 router, port 2 small server, port 3 printer, port 4 the studio upstairs, port 5 the access point in the hall, 6 to 8 free. The server is a fanless box called "wadlopen" at 192.168.20.5 with 32 gigabytes of memory, one 1 TB system disk and two 8 TB disks as a mirror.

Guests get the network "Eider", which reaches the internet only. The heat pump, the doorbell and the scale sit on VLAN 30 and must never see the mirror. The museum laptop is treated like a guest.

## Services

Everything runs as containers from one compose file in /srv/stack, which is a git repository, with secrets coming from the password store at start and never in the file. The photo library listens on 2342, the document archive on 8010, the push relay on 8093, the read-only mirror of the collection database on 5433.

\`\`\`sh
cd /srv/stack
# mirror first, wait until it is in sync
mount /srv/mirror && zpool status -x
docker compose up -d database
docker compose up -d
\`\`\`

Restart order after a power cut: mirror first, wait until it is in sync, then the database, then the rest. If the archive starts before the mirror is mounted it creates an empty folder and happily indexes nothing. This has happened twice.

## When the internet is gone

First look whether it is ours: the light on the converter must be green and steady. Red means the line, and then only the provider helps, customer number in the document archive under "fibre". Green but no pages: restart the router, wait four minutes, not two. Still nothing: look whether names resolve, since the filter that runs on the server answers all name requests and takes the whole house with it when the server is down.

- The phone can act as a bridge for the server through the cable in the drawer with the red tape.
- The push relay then still works, but the nightly copy must be stopped or it eats the allowance in one night.
- تذكّر: كلمة المرور في المظروف المختوم لدى كاتب العدل.

### Names that I always forget

Snapshots are called \`auto-YYYY-MM-DD\`, the storage box is u314-sub3, <b>not</b> sub2 <script>alert(1)</script>.

## Power and heat

The box draws 19 watts idle and the small battery holds it for about fifty minutes. Below twenty percent it shuts down by itself, photo library first. In the summer of the heat wave the cupboard reached 43 degrees and the disks throttled.

## Accounts, updates, and who may do what

Updates of the operating system are applied on the third Sunday of the month, after the restore test has passed and not before. Containers are pinned to a digest and I raise them one at a time with a day between. The photo library has broken its own database twice in an update, so that one gets an extra snapshot which is kept for a month.

Accounts: signe (administrator, hardware key), helper (me, may restart services and read logs, may not change the firewall nor delete snapshots), bram (may log in from his house only, for emergencies, tested at Christmas). No passwords over the network.
`;

export const OBSERVATIONS = `{"id":"o1","agent":"runner","date":"2026-10-03","text":"When the internet is gone look first at the light on the converter in the meter cupboard. If it is red then the line is at fault and only the provider can help."}
{"id":"o2","agent":"helper","date":"2026-10-04","weight":2,"text":"The nightly copy must be finished by 05:45 because the dashboards are read at six."}
{"id":"o3","agent":"clerk","text":"broken
{"agent":"scholar","content":"日本語のメモ：ルーターを再起動したら四分待つこと。"}

{"agent":"smith","note":"no text here"}
{"id":"o7","agent":"runner","text":"Restart the router and wait two minutes."}
`;

const FOLDERS: FolderState[] = [
  {
    id: "notes",
    path: "/home/robin/agents/memory",
    name: "memory",
    agent: null,
    n_files: 12,
    n_chunks: 0,
    status: "watching",
    why: null,
  },
  {
    id: "logs",
    path: "/mnt/nas/agents/logs",
    name: "logs",
    agent: null,
    n_files: 4,
    n_chunks: 0,
    status: "polling",
    why: "checked every 30 s because others may change it unseen: it lies on nfs4",
  },
  {
    id: "old",
    path: "/media/stick/old-agent",
    name: "old-agent",
    agent: null,
    n_files: 2,
    n_chunks: 0,
    status: "missing",
    why: "the folder is not there; its notes stay searchable until it is removed",
  },
];

const FILES: LibraryFile[] = [
  { folder: "notes", path: "MEMORY.md", agent: "agent" },
  { folder: "notes", path: "people/health-and-food.md" },
  { folder: "notes", path: "people/signe-profile.md" },
  { folder: "notes", path: "protocols/audience-calibration.md" },
  { folder: "notes", path: "protocols/evidence-ladder.md" },
  { folder: "notes", path: "protocols/stuck-task-playbook.md" },
  { folder: "notes", path: "protocols/drafts/half-a-thought.md", text: "" },
  { folder: "notes", path: "protocols/scan.md", state: "problem" },
  {
    folder: "notes",
    path: "reference/home-server.md",
    text: HOME_SERVER,
    agent: "helper",
    tags: ["home", "network"],
  },
  { folder: "notes", path: "reference/notification-routes.md" },
  { folder: "notes", path: "reference/travel-playbook.md" },
  { folder: "notes", path: "queries.jsonl", state: "problem", text: '{"query":"x","gold":[]}\n' },
  { folder: "logs", path: "2026/10/observations.jsonl", text: OBSERVATIONS },
  {
    folder: "logs",
    path: "2026/11/smith-2026-11-02-the-long-day-on-which-everything-that-could-be-restarted-was-restarted-twice.md",
  },
  { folder: "logs", path: "日本語/覚え書き.md" },
  { folder: "logs", path: "ملاحظات/كيف نعيد تشغيل الخادم.md" },
  { folder: "old", path: "notes.txt", text: "Plain text, one line.\n\nAnd another one.\n" },
];

const PROBLEMS: FileProblem[] = [
  {
    folder: "logs",
    folder_name: "logs",
    path: "2026/10/observations.jsonl",
    line: 6,
    message: "no text or content in this record, so it is left out",
    severity: "note",
  },
  {
    folder: "logs",
    folder_name: "logs",
    path: "2026/10/observations.jsonl",
    line: 3,
    message: "not JSON: a string is not ended (column 38); the other lines were read",
    severity: "error",
  },
  {
    folder: "notes",
    folder_name: "memory",
    path: "protocols/scan.md",
    line: null,
    message: "cannot read protocols/scan.md: permission denied",
    severity: "error",
  },
  {
    folder: "notes",
    folder_name: "memory",
    path: "people/signe-profile.md",
    line: 1,
    message: "not UTF-8, read as Windows-1252",
    severity: "note",
  },
];

const ACTIVITY: Activity[] = [
  {
    at_ms: SAVED_MS,
    folder_name: "memory",
    path: "reference/home-server.md",
    what: "changed",
    detail: "2 of 7 chunks embedded, 5 unchanged",
  },
  {
    at_ms: SAVED_MS - 61_000,
    folder_name: "memory",
    path: "protocols/scan.md",
    what: "skipped",
    detail: "permission denied",
  },
  {
    at_ms: SAVED_MS - 3_600_000,
    folder_name: "memory",
    path: "people/signe-profile.md",
    what: "added",
    detail: "7 chunks",
  },
  {
    at_ms: SAVED_MS - 3_700_000,
    folder_name: "logs",
    path: "2026/11/smith-2026-11-02-the-long-day-on-which-everything-that-could-be-restarted-was-restarted-twice.md",
    what: "renamed",
    detail: "from 2026/11/untitled.md",
  },
  {
    at_ms: SAVED_MS - 90_000_000,
    folder_name: "memory",
    path: "people/old.md",
    what: "deleted",
    detail: null,
  },
  {
    at_ms: SAVED_MS - 260_000_000,
    folder_name: "logs",
    path: "2026/10/observations.jsonl",
    what: "changed",
    detail: "1 of 4 chunks embedded",
  },
];

/** Cuts a text as the engine does: whole lines, packed greedily, the next chunk repeating the last lines of the one before. */
export function packed(text: string, id: string, chunkChars = 1_000, overlapChars = 260): DocumentChunk[] {
  const lines = text.replace(/\n$/, "").split("\n");
  const chunks: DocumentChunk[] = [];
  const headings: string[] = [];
  for (const line of lines) headings.push(/^#+\s+(.*)/.exec(line)?.[1] ?? headings.at(-1) ?? "");
  let from = 0;
  while (from < lines.length && text !== "") {
    let to = from;
    let chars = 0;
    while (to < lines.length && (to === from || chars + (lines[to] ?? "").length <= chunkChars))
      chars += (lines[to++] ?? "").length;
    chunks.push({
      chunk: `${id}#${chunks.length}`,
      start_line: from + 1,
      end_line: to,
      tokens: Math.ceil(chars / 4.2),
      heading: headings[to - 1] ?? "",
    });
    if (to >= lines.length) break;
    let next = to;
    let kept = 0;
    while (next > from + 1 && kept + (lines[next - 1] ?? "").length <= overlapChars)
      kept += (lines[--next] ?? "").length;
    from = next;
  }
  return chunks;
}

/** The fake engine with files whose text can be read. */
export class LibraryBackend extends FakeBackend {
  readonly #files: LibraryFile[];
  readonly #folders: FolderState[];
  readonly #problems: FileProblem[];
  readonly #activity: Activity[];
  readonly #preset: Preset | null;
  #saved: Params = DEFAULTS;
  /** Rejects a call to `document` of this path. */
  unreadable = new Map<string, ErrorInfo>();
  /** Rejects a call to `addFolder` of this path. */
  refused = new Map<string, ErrorInfo>();

  constructor(options: LibraryOptions = {}) {
    super(options);
    this.#files = (options.files ?? FILES).map((file) => ({ ...file }));
    this.#problems = options.problems ?? PROBLEMS;
    this.#activity = options.activity ?? ACTIVITY;
    this.#preset =
      options.preset === undefined
        ? {
            name: "memlens.json",
            params: { ...DEFAULTS, fusion: "rrf", fusion_k: 20, chunk_chars: 2_000 },
            notes: ["“rerank_model” is not known to this version and was left out"],
            is_built_in: false,
          }
        : options.preset;
    const folders = options.folders ?? FOLDERS;
    this.#folders = (options.hasFolders ?? true) ? folders : [];
    this.changeState({
      folders: this.#folders.map((folder) => ({ ...folder, n_chunks: this.#chunksIn(folder.id) })),
      n_files: this.#folders.reduce((n, folder) => n + folder.n_files, 0),
      n_chunks: this.#folders.reduce((n, folder) => n + this.#chunksIn(folder.id), 0),
      n_problems: this.#folders.length === 0 ? 0 : this.#problems.length,
      ...options.state,
    });
  }

  override tree(): Promise<FolderTree[]> {
    return this.#call("tree", [], async () =>
      (await super.state()).folders.map((folder) => {
        const isEvergreen = this.#evergreen.has(`${folder.id}\n`);
        const entries = marked(
          entriesOf(this.#files.filter((file) => file.folder === folder.id)),
          (path) => this.#evergreen.has(`${folder.id}\n${path}`),
          isEvergreen,
        );
        return orderedTree({ folder, is_evergreen: isEvergreen, stamp: JSON.stringify(entries), entries });
      }),
    );
  }

  readonly #evergreen = new Set<string>();

  override async setEvergreen(folder: string, path: string, isEvergreen: boolean): Promise<FolderTree[]> {
    await super.setEvergreen(folder, path, isEvergreen);
    if (isEvergreen) this.#evergreen.add(`${folder}\n${path}`);
    else this.#evergreen.delete(`${folder}\n${path}`);
    return this.tree();
  }

  override document(folder: string, path: string): ReturnType<FakeBackend["document"]> {
    return this.#call("document", [folder, path], () => {
      const refusal = this.unreadable.get(path);
      if (refusal !== undefined) throw refusal;
      const file = this.#files.find((one) => one.folder === folder && one.path === path);
      if (file === undefined)
        throw { code: "missing", message: `cannot open ${path}: no such file` } satisfies ErrorInfo;
      const text = textOf(file);
      return Promise.resolve({
        folder,
        folder_name: this.#folders.find((one) => one.id === folder)?.name ?? folder,
        path,
        text,
        n_lines: text === "" ? 0 : text.replace(/\n$/, "").split("\n").length,
        chunks: chunksOf(file),
        agent: file.agent ?? null,
        date: "2026-11-02",
        tags: file.tags ?? [],
        modified_ms: SAVED_MS,
        encoding: "UTF-8",
        problems: this.#problems.filter((problem) => problem.folder === folder && problem.path === path),
      });
    });
  }

  override addFolder(path: string): Promise<LibraryState> {
    const refusal = this.refused.get(path);
    if (refusal !== undefined) {
      this.calls.push({ name: "addFolder", args: [path] });
      return Promise.reject(refusal);
    }
    return super.addFolder(path);
  }

  override problems(): Promise<FileProblem[]> {
    return this.#call("problems", [], () => Promise.resolve(this.#problems));
  }

  override activity(): Promise<Activity[]> {
    return this.#call("activity", [], () => Promise.resolve(this.#activity));
  }

  override exportSave(params: Params): Promise<string | null> {
    this.#saved = params;
    return super.exportSave(params);
  }

  override presetRead(path: string): Promise<Preset> {
    return this.#call("presetRead", [path], () =>
      Promise.resolve({ name: path, params: this.#saved, notes: [], is_built_in: false }),
    );
  }

  override presetOpen(): Promise<Preset | null> {
    return this.#call("presetOpen", [], () => Promise.resolve(this.#preset));
  }

  /** Changes the text of a file and notifies the window, as the watcher would. */
  save(folder: string, path: string, text: string): void {
    const file = this.#files.find((one) => one.folder === folder && one.path === path);
    if (file !== undefined) file.text = text;
    this.happen({
      at_ms: SAVED_MS + 1,
      folder_name: this.#folders.find((one) => one.id === folder)?.name ?? folder,
      path,
      what: "changed",
      detail: null,
    });
  }

  /** Deletes a file and notifies the window. */
  delete(folder: string, path: string): void {
    const at = this.#files.findIndex((one) => one.folder === folder && one.path === path);
    if (at >= 0) this.#files.splice(at, 1);
    this.happen({
      at_ms: SAVED_MS + 1,
      folder_name: this.#folders.find((one) => one.id === folder)?.name ?? folder,
      path,
      what: "deleted",
      detail: null,
    });
  }

  #chunksIn(folder: string): number {
    return this.#files
      .filter((file) => file.folder === folder)
      .reduce((n, file) => n + chunksOf(file).length, 0);
  }

  async #call<T>(name: keyof FakeBackend, args: unknown[], make: () => Promise<T>): Promise<T> {
    this.calls.push({ name: name as (typeof this.calls)[number]["name"], args });
    const failure = this.failing[name as keyof typeof this.failing];
    if (failure !== undefined) throw failure;
    return make();
  }
}

function textOf(file: LibraryFile): string {
  const title = file.path.slice(file.path.lastIndexOf("/") + 1);
  return (
    file.text ??
    `# ${title}\n\nThis note is about ${title}.\n\n## More\n\nAnd a second thought on it, which is a little longer than the first.\n`
  );
}

const CHUNKS = new WeakMap<LibraryFile, { text: string; chunks: DocumentChunk[] }>();

function chunksOf(file: LibraryFile): DocumentChunk[] {
  if (file.state === "problem") return [];
  const text = textOf(file);
  const known = CHUNKS.get(file);
  if (known?.text === text) return known.chunks;
  const chunks = packed(text, `${file.folder}/${file.path}`);
  CHUNKS.set(file, { text, chunks });
  return chunks;
}

/** Marks entries as evergreen, with their contents. */
function marked(entries: TreeEntry[], isMarked: (path: string) => boolean, isAbove: boolean): TreeEntry[] {
  return entries.map((entry) => {
    const is_evergreen = isAbove || isMarked(entry.path);
    return { ...entry, is_evergreen, children: marked(entry.children, isMarked, is_evergreen) };
  });
}

function entriesOf(files: LibraryFile[]): TreeEntry[] {
  const roots: TreeEntry[] = [];
  const folders = new Map<string, TreeEntry>();
  for (const file of files) {
    const names = file.path.split("/");
    const n_chunks = chunksOf(file).length;
    let level = roots;
    for (let depth = 1; depth < names.length; depth += 1) {
      const path = names.slice(0, depth).join("/");
      let entry = folders.get(path);
      if (entry === undefined) {
        entry = {
          name: names[depth - 1] ?? "",
          path,
          is_folder: true,
          n_chunks: 0,
          state: "indexed",
          is_evergreen: false,
          children: [],
        };
        folders.set(path, entry);
        level.push(entry);
      }
      entry.n_chunks += n_chunks;
      level = entry.children;
    }
    level.push({
      name: names.at(-1) ?? "",
      path: file.path,
      is_folder: false,
      is_evergreen: false,
      n_chunks,
      state: file.state ?? "indexed",
      ...(file.not_searched === undefined ? {} : { not_searched: file.not_searched }),
      children: [],
    });
  }
  return roots;
}
