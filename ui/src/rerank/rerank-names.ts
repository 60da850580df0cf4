// What those who rerank are called on screen.
import type { RerankSettings } from "../api/bindings";
import type { Asked } from "./rerank-asking.svelte";

/** Who is asked, as a sentence continues after "asking": a host, a model, the hook. */
export function askedName(by: Asked["by"], settings: RerankSettings | null): string {
  switch (by) {
    case "late":
      return "late interaction";
    case "model":
      return settings?.model?.name ?? "the local model";
    case "http":
      return settings?.http?.host ?? "the provider";
    case "hook":
      return "the hook";
  }
}
