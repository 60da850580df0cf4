// The settings of another program that come nearest to the sliders, on judged queries. The search only runs at the user's
// request.
import type { Backend } from "../api/backend";
import type { NearestSetting, QuerySetInfo, QuerySetProgress, Ranking } from "../api/bindings";
import { Job, reporting, type Report } from "../shared/job.svelte";

type Asked = Pick<Backend, "nearestSetting" | "onProgress" | "stop">;

/** A setting, and what it was found for. */
type Found = { setting: NearestSetting; wish: string };

/** Tries settings on a query set. */
export class NearestSearch extends Job<
  [set: QuerySetInfo, ranking: Ranking, target: string],
  Found,
  QuerySetProgress
> {
  constructor(backend: Asked) {
    super({
      work: (report: Report<QuerySetProgress>, set: QuerySetInfo, ranking: Ranking, target: string) =>
        reporting(
          (report) => backend.onProgress("nearest", report),
          report,
          async () => {
            const setting = await backend.nearestSetting(set.id, ranking, target);
            return setting === null ? null : { setting, wish: wish(set, ranking, target) };
          },
        ),
      stop: () => backend.stop("nearest"),
      onFailure: "drop",
    });
  }

  /** The result for these, of the set as it is; null if there is none. */
  foundFor(set: QuerySetInfo | null, ranking: Ranking, target: string): NearestSetting | null {
    return set !== null && this.data?.wish === wish(set, ranking, target) ? this.data.setting : null;
  }
}

function wish({ id, hash }: QuerySetInfo, ranking: Ranking, target: string): string {
  return JSON.stringify([id, hash, ranking, target]);
}
