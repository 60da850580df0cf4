import { untrack } from "svelte";
import type { LibraryState, Value } from "./api/bindings";
import { agentsOf } from "./agents/folder-agents";
import type { ParameterHistory } from "./parameters/parameter-history.svelte";
import type { Pipeline, Values } from "./parameters/pipeline";
import type { Pipelines } from "./parameters/pipelines.svelte";
import { acceptsValue, refusalOf } from "./parameters/rules";
import type { PresetController } from "./presets/preset-controller.svelte";
import type { SearchController } from "./search/search-controller.svelte";
import type { Pin, Scope } from "./search/shown-answer";
import { readStored, writeStored } from "./shared/stored";

export type ViewId = "search" | "tune" | "compare" | "past" | "memory" | "export" | "settings";
export const VIEWS: readonly ViewId[] = ["search", "tune", "compare", "past", "memory", "export", "settings"];

type Fields = Record<string, unknown>;

type Held = {
  search: SearchController;
  pipelines: Pipelines;
  presets: PresetController;
  view: () => ViewId;
  show: (view: ViewId) => void;
};

/**
 * What the window continues with when it is opened again: sliders, preset, pins, scope and view, for each library.
 *
 * Of values only what differs from the defaults is kept, so that a parameter that is new or gone changes nothing else.
 * Each part is taken up by itself: what is damaged, or of a folder that is gone, is as good as never kept.
 */
export class Session {
  readonly #held: Held;
  /** Storage key of this library; null until it is restored, so that an opening window overwrites nothing. */
  #key = $state<string | null>(null);

  constructor(held: Held) {
    this.#held = held;
  }

  /** Restores the state of a library. Agents' pipelines and presets must have been read. */
  takeUp(library: LibraryState): void {
    const key = `memlens.session ${library.data_dir}`;
    const kept = readStored(key, isFields) ?? {};
    const { pipelines, presets, search } = this.#held;
    const [values, pins] = [fieldsOf(kept.values), fieldsOf(kept.pins)];
    for (const history of pipelines.all) {
      // A slider that was moved already keeps its value.
      if (!history.canUndo) history.begin(valuesFrom(history, values[history.pipeline.id]));
      const pin = pinFrom(history, pins[history.pipeline.id]);
      if (pin !== null) search.pinFor(history.pipeline, pin);
    }
    if (typeof kept.preset === "string") presets.goOnFrom(kept.preset);
    // What the user did not choose is chosen again once the agent's memory is ready.
    if (typeof kept.pipeline === "string" && kept.isChosen !== false) pipelines.choose(kept.pipeline);
    search.scopeTo(scopeFrom(kept.scope, library));
    const view = VIEWS.find((one) => one === kept.view);
    if (view !== undefined) this.#held.show(view);
    this.#key = key;
  }

  /** Stores changes until the returned function is called. A drag is stored when it ends. */
  follow(): () => void {
    return $effect.root(() => {
      $effect(() => {
        const { pipelines, presets, search } = this.#held;
        const kept = {
          values: Object.fromEntries(
            pipelines.all.map(({ pipeline, committed }) => [pipeline.id, changedFrom(pipeline, committed)]),
          ),
          pipeline: pipelines.chosen.pipeline.id,
          isChosen: pipelines.isUsers,
          preset: presets.chosen.name,
          pins: Object.fromEntries(
            pipelines.all.flatMap(({ pipeline }) => {
              const pin = search.pinOf(pipeline);
              return pin === null
                ? []
                : [[pipeline.id, { name: pin.name, values: changedFrom(pipeline, pin.params) }]];
            }),
          ),
          scope: search.scope,
          view: this.#held.view(),
        };
        const key = this.#key;
        if (key !== null) untrack(() => writeStored(key, kept));
      });
    });
  }
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : {};
}

function changedFrom({ defaults }: Pipeline, values: Values): Values {
  return Object.fromEntries(Object.entries(values).filter(([id, value]) => value !== defaults[id]));
}

/** The defaults with every stored value that the pipeline's table accepts. */
function valuesFrom({ pipeline }: ParameterHistory, kept: unknown): Values {
  const fields = fieldsOf(kept);
  const taken = pipeline.parameters.flatMap((parameter): [string, Value][] => {
    const value = fields[parameter.id];
    return acceptsValue(parameter, value) ? [[parameter.id, value]] : [];
  });
  const values = { ...pipeline.defaults, ...Object.fromEntries(taken) };
  // Equal values are one object, by which everybody knows the defaults.
  return taken.length > 0 && refusalOf(values) === null ? values : pipeline.defaults;
}

function pinFrom(history: ParameterHistory, kept: unknown): Pin | null {
  const { name, values } = fieldsOf(kept);
  return typeof name === "string" && isFields(values) ? { name, params: valuesFrom(history, values) } : null;
}

/** Null for what is not watched any more; labels are as they are now. */
function scopeFrom(kept: unknown, { folders }: LibraryState): Scope {
  const { kind, folder, path, agent, label } = fieldsOf(kept);
  if (kind === "agent") {
    const found = agentsOf(folders).find(({ id }) => id === agent);
    return found === undefined ? null : { kind, agent: found.id, label: found.name };
  }
  const found = folders.find(({ id }) => id === folder);
  if (kind !== "folder" || found === undefined || typeof path !== "string") return null;
  return {
    kind,
    folder: found.id,
    path,
    label: path !== "" && typeof label === "string" ? label : found.name,
  };
}
