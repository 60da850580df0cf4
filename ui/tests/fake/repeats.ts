// What is said more than once in a made-up library.
import type {
  AgreementStep,
  ClusterMember,
  ClusterReport,
  OpenedCluster,
  Params,
  Said,
} from "../../src/api/bindings";

const steps = (ns: readonly number[]): AgreementStep[] => ns.map((n, limit) => ({ limit, n }));

const said = (path: string, line: number, text: string, source: string, distance: number): Said => ({
  folder: "notes",
  path,
  line,
  end_line: line,
  text,
  source,
  distance,
  measure: "simhash",
});

/** Two statements that occur more than once. */
export const CLUSTERS: ClusterReport = {
  clusters: [
    {
      canonical: said("reference/home-server.md", 12, "The push relay listens on 8093.", "helper", 0),
      members: [
        said("people/signe-profile.md", 9, "the push relay listens on 8093", "iris", 0),
        said("protocols/group-rooms.md", 4, "The push relay still listens on 8093.", "otto", 3),
      ],
      n_members: 2,
      n_sources: 3,
      sources: ["helper", "iris", "otto"],
      first_date: "2026-01-05",
      last_date: "2026-03-09",
      n_undated: 1,
    },
    {
      canonical: said("people/health-and-food.md", 7, "Signe does not eat walnuts at all.", "helper", 0),
      members: [said("people/signe-profile.md", 21, "Signe does not eat walnuts, at all", "helper", 0)],
      n_members: 1,
      n_sources: 1,
      sources: ["helper"],
      first_date: null,
      last_date: null,
      n_undated: 2,
    },
  ],
  n_clusters: 2,
  corroborated_count: 5,
  n_observations: 412,
  n_boilerplate: 38,
  elapsed_ms: 31.4,
  by_bits: steps([4, 4, 4, 5, 5, 6, 6, 9]),
  by_words: Array.from({ length: 51 }, (_, at) => ({ limit: (100 - at) / 100, n: at < 20 ? 4 : 5 })),
};

function member(said: Said, part: Partial<ClusterMember> = {}): ClusterMember {
  return {
    said,
    date: "2026-03-09",
    bits: said.distance,
    overlap: said.distance === 0 ? 1 : 0.857,
    parts: [{ text: said.text, is_marked: false }],
    missing: [],
    ...part,
  };
}

/** The cluster of a statement: at a limit below 3 bits, the one that is 3 bits apart is alone. */
export function openedOf(report: ClusterReport, params: Params, text: string): OpenedCluster | null {
  const found = report.clusters.find((cluster) =>
    [cluster.canonical, ...cluster.members].some((one) => one.text === text),
  );
  if (found === undefined) return null;
  const isNear = ({ distance }: Said) => distance <= params.simhash_distance;
  const members = found.members.filter(isNear).map((one) =>
    one.distance === 0
      ? member(one, { date: null })
      : member(one, {
          parts: [
            { text: "The push relay ", is_marked: false },
            { text: "still", is_marked: true },
            { text: " listens on 8093.", is_marked: false },
          ],
          missing: ["port"],
        }),
  );
  return {
    canonical: member(found.canonical),
    members,
    n_members: members.length,
    n_sources: members.length + 1,
    by_bits: steps([2, 2, 2, 3, 3, 3, 3, 3]),
    by_words: Array.from({ length: 51 }, (_, at) => ({ limit: (100 - at) / 100, n: at < 15 ? 2 : 3 })),
  };
}
