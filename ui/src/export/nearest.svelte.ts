// The settings of another program that come nearest to the sliders, on judged queries. The search only runs at the user's
// request.
import type { Backend } from "../api/backend";
import type { NearestSetting, QuerySetProgress, Ranking } from "../api/bindings";
import { Job, reporting, type Report } from "../shared/job.svelte";

type Asked = Pick<Backend, "chooseQueries" | "nearestSetting" | "onProgress" | "stop">;

/** A setting, and what it was found for. */
type Found = { setting: NearestSetting; wish: string };

/** Lets the user choose a query set, and tries settings on it. */
export class NearestSearch extends Job<[ranking: Ranking, target: string], Found, QuerySetProgress> {
  constructor(backend: Asked) {
    super({
      work: (report: Report<QuerySetProgress>, ranking: Ranking, target: string) =>
        reporting(
          (report) => backend.onProgress("nearest", report),
          report,
          async () => {
            if ((await backend.chooseQueries()) === null) return null;
            const setting = await backend.nearestSetting(ranking, target);
            return setting === null ? null : { setting, wish: wish(ranking, target) };
          },
        ),
      stop: () => backend.stop("nearest"),
      onFailure: "drop",
    });
  }

  /** The result for these; null if there is none. */
  foundFor(ranking: Ranking, target: string): NearestSetting | null {
    return this.data?.wish === wish(ranking, target) ? this.data.setting : null;
  }
}

function wish(ranking: Ranking, target: string): string {
  return JSON.stringify([ranking, target]);
}
