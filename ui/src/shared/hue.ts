import type { StageId } from "../api/bindings";
import { lookOf } from "./looks";

/** The class that gives a stage its hue; the neutral one of cuts for a stage that is not known. */
export function hueOf(stage: StageId): string {
  return lookOf(stage)?.hue ?? "cut";
}
