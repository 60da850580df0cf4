// The metrics by the names that the user reads, and how their figures are written.
import { change, score, signedCount } from "../shared/format";
import type { Metric } from "../api/bindings";

export const METRICS: Readonly<Record<Metric, { label: string; sentence: string }>> = {
  "ndcg@10": {
    label: "nDCG@10",
    sentence: "How much of the answer is among the first 10, best places first.",
  },
  "mrr@10": { label: "MRR@10", sentence: "1 over the rank of the first relevant result; 0 below rank 10." },
  "recall@1": {
    label: "Recall@1",
    sentence: "The share of the answer's places that the first result shows.",
  },
  "recall@5": { label: "Recall@5", sentence: "The share of the answer's places among the first 5 results." },
  "recall@10": {
    label: "Recall@10",
    sentence: "The share of the answer's places among the first 10 results.",
  },
  "hit@1": { label: "Hit@1", sentence: "Whether the first result is relevant." },
  "hit@5": { label: "Hit@5", sentence: "Whether any of the first 5 results is relevant." },
  "hit@10": { label: "Hit@10", sentence: "Whether any of the first 10 results is relevant." },
  precision: { label: "Precision", sentence: "The share of the returned results that are relevant." },
  hit_file: {
    label: "Note found",
    sentence: "Whether any result is of a note that holds the answer.",
  },
  "hit_file@1": {
    label: "Note found@1",
    sentence: "Whether the first result is of a note that holds the answer.",
  },
  "hit_file@5": {
    label: "Note found@5",
    sentence: "Whether any of the first 5 results is of such a note.",
  },
};

export const METRIC_IDS = Object.keys(METRICS) as Metric[];

export function isMetric(value: unknown): value is Metric {
  return typeof value === "string" && Object.hasOwn(METRICS, value);
}

/** Whether each query either has it or not, so that it is shown as a count. */
export function isCounted(metric: Metric): boolean {
  return metric.startsWith("hit");
}

/** More queries are shown as a share: 17168/50000 is no figure to read. */
const COUNTED_MAX = 999;

/** The mean of a metric over `n` queries: 0.578, or 43/57 where it is counted; a dash where it is undefined. */
export function figure(metric: Metric, mean: number | null, n: number): string {
  if (mean === null) return "–";
  return isCounted(metric) && n <= COUNTED_MAX ? `${Math.round(mean * n)}/${n}` : score(mean);
}

/** Which way a figure went; what rounds to nothing went nowhere. */
export type Way = "up" | "down" | "same";

export function wayOf(by: number): Way {
  if (Math.abs(by) < 0.0005) return "same";
  return by > 0 ? "up" : "down";
}

/** By how much a mean over `n` queries changed; what is counted changes by whole queries. */
export function changeOf(metric: Metric, now: number, pinned: number, n: number): number {
  if (!isCounted(metric)) return now - pinned;
  return n === 0 ? 0 : (Math.round(now * n) - Math.round(pinned * n)) / n;
}

/** A change with its sign, as a count where the metric is counted. */
export function changed(metric: Metric, by: number, n: number): string {
  return isCounted(metric) && n <= COUNTED_MAX ? signedCount(Math.round(by * n)) : change(by);
}

/** A 95 % interval: "−0.006 to +0.150". */
export function interval({ low, high }: { low: number; high: number }): string {
  return `${change(low)} to ${change(high)}`;
}
