// What is found in the notes of watched agents while they are indexed, each with the place that shows it.
//
// Every figure is counted by the function that its place counts with, so that both are equal.
import type {
  AgentsView,
  FolderState,
  FolderTree,
  ForeignNotes,
  LoadedFile,
  PastQuestions,
} from "../api/bindings";
import { foreignText } from "../library/other-model.svelte";
import { cutOf, leftOut } from "../agents/load-line";
import { firstUnsearched, nNotes, nUnsearched } from "../memory/tree-rows";
import { count, counted } from "../shared/format";
import { sentence } from "../shared/sentence";

/** Where a finding is shown. */
export type FindingPlace =
  | { kind: "line"; folder: string; path: string; line: number }
  | { kind: "unsearched"; agent: string; folder: string; path: string }
  | { kind: "agents" }
  | { kind: "found-nothing" }
  | { kind: "contradictions" }
  | { kind: "embedding" };

export type Finding = { id: string; text: string; place: FindingPlace };

/** Notes that an agent does not load whole when a session begins; one finding a note, of the limit that leaves out most. */
export function loadFindings(files: readonly LoadedFile[], folders: readonly FolderState[]): Finding[] {
  const cuts = new Map<string, LoadedFile>();
  for (const { folder, note } of files) {
    const cut = folder === null || note === null ? null : cutOf(files, folder, note);
    // A limit over several files names no place in a note.
    if (cut !== null && cut.cut_at_line !== null) cuts.set(`${folder}\n${note}`, cut);
  }
  const all = [...cuts.values()];
  return all.map((cut) => {
    const folder = folders.find(({ id }) => id === cut.folder);
    const isAlone = all.filter(({ agent, note }) => agent === cut.agent && note === cut.note).length === 1;
    const name = isAlone || folder === undefined ? (cut.note ?? cut.name) : `${cut.note} in ${folder.name}`;
    const verb = cut.left_out === 1 ? "is" : "are";
    const how =
      cut.digest.length > 0
        ? `given to ${cut.agent_name} only as a digest or not at all`
        : `never loaded by ${cut.agent_name}`;
    return {
      id: `load ${cut.folder} ${cut.note}`,
      text: `${leftOut(cut)} of ${name} ${verb} ${how} when a session begins`,
      place: {
        kind: "line",
        folder: cut.folder ?? "",
        path: cut.note ?? "",
        line: cut.cut_at_line ?? 1,
      },
    };
  });
}

/**
 * For each agent, how many of its notes its own search never finds. Files of instructions are outside of every search and are
 * loaded when a session begins, so they alone are no finding.
 */
export function searchFindings(trees: readonly FolderTree[], files: readonly LoadedFile[]): Finding[] {
  const agents = new Map(
    trees.flatMap(({ folder: { agent } }) => (agent === null ? [] : [[agent.id, agent]])),
  );
  return [...agents.values()].flatMap(({ id, name }) => {
    const own = trees.filter(({ folder }) => folder.agent?.id === id);
    const n = nUnsearched(own);
    const loaded = new Set(
      files.flatMap(({ agent, folder, note }) =>
        agent === id && note !== null ? [`${folder}\n${note}`] : [],
      ),
    );
    const isLoaded = (folder: string, path: string) => loaded.has(`${folder}\n${path}`);
    const nLoaded = nUnsearched(own, isLoaded);
    // What is neither searched nor loaded is what the agent cannot know.
    const first = firstUnsearched(own, (folder, path) => !isLoaded(folder, path));
    if (first === null) return [];
    const found = `${count(n)} of ${counted(nNotes(own), "note")} ${n === 1 ? "is" : "are"} never searched by ${name}`;
    const also =
      nLoaded === 0
        ? ""
        : `; ${count(nLoaded)} of them ${nLoaded === 1 ? "is" : "are"} loaded when a session begins`;
    return [{ id: `search ${id}`, text: found + also, place: { kind: "unsearched", agent: id, ...first } }];
  });
}

/**
 * Files that a watched agent would load and that are missing, and settings that turn loading off. Several missing files are one
 * finding; its place lists them.
 */
export function agentFindings(view: AgentsView | null): Finding[] {
  const watched = view?.agents.filter(({ folders }) => folders.some(({ is_watched }) => is_watched)) ?? [];
  return watched.flatMap(({ id, name, missing, switches }) => {
    const gone =
      missing.length < 2
        ? missing
        : [`${counted(missing.length, "file")} that ${name} loads when a session begins are missing`];
    return [...gone, ...switches].map((said) => ({
      id: `agent ${id} ${said}`,
      text: sentence(said).replace(/\.$/, ""),
      place: { kind: "agents" as const },
    }));
  });
}

/**
 * How many past questions of the last days found nothing, by the dates in the logs. Where older ones or questions without a
 * date did too, their number is named as well, because the list that the finding leads to holds them all.
 */
export function pastFindings({
  lately,
  n_found_nothing,
  n_all,
  n_openings,
}: Pick<PastQuestions, "lately" | "n_found_nothing" | "n_all" | "n_openings">): Finding[] {
  if (n_found_nothing === 0) return [];
  const { n_days, n_questions, n_undated_nothing } = lately;
  const days = `the last ${count(n_days)} days`;
  const all = `${count(n_found_nothing)} of ${count(n_all - n_openings)}`;
  const undated =
    n_undated_nothing === 0
      ? ""
      : n_undated_nothing === n_found_nothing
        ? "; the logs do not date them"
        : `; ${count(n_undated_nothing)} of them ${n_undated_nothing === 1 ? "has" : "have"} no date`;
  const isLate = lately.n_found_nothing > 0;
  const text = isLate
    ? `${count(lately.n_found_nothing)} of ${counted(n_questions, "past question")} of ${days} found nothing` +
      (lately.n_found_nothing === n_found_nothing ? "" : `, ${all} in all${undated}`)
    : `${all} past questions found nothing` + (undated === "" ? `, none of them in ${days}` : undated);
  return [{ id: "past", text, place: { kind: "found-nothing" } }];
}

/** Notes in languages that the embedding model does not know. */
export function foreignFindings(foreign: ForeignNotes | null): Finding[] {
  return foreign === null
    ? []
    : [{ id: "foreign", text: foreignText(foreign), place: { kind: "embedding" } }];
}

/** Sure contradictions. */
export function contradictionFindings(n_sure: number): Finding[] {
  if (n_sure === 0) return [];
  const text = `${counted(n_sure, "contradiction")} in your notes`;
  return [{ id: "contradictions", text, place: { kind: "contradictions" } }];
}
