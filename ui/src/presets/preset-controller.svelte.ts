import type { Backend } from "../api/backend";
import type { ErrorInfo, Params, Preset } from "../api/bindings";
import { DEFAULTS } from "../api/parameters";
import type { ParameterHistory } from "../parameters/parameter-history.svelte";
import type { Pipelines } from "../parameters/pipelines.svelte";
import { differingIds } from "../parameters/rules";
import { Actions } from "../shared/call.svelte";

/** The parameters that need not be saved. */
export const DEFAULT_PRESET: Preset = { name: "Default", params: DEFAULTS, notes: [], is_built_in: true };

/** The named parameters that were saved or opened, and which of them is in use. */
export class PresetController {
  /** Whether the dialog asks for the name under which the parameters are saved. */
  isNaming = $state(false);
  readonly #backend: Backend;
  readonly #parameters: ParameterHistory<Params>;
  readonly #pipelines: Pipelines;
  readonly #actions = new Actions();
  #saved = $state.raw<Preset[]>([]);
  /** The preset that was chosen last; the user may have changed parameters since. */
  #chosen = $state.raw<Preset>(DEFAULT_PRESET);
  #notes = $state.raw<string[]>([]);

  constructor(backend: Backend, parameters: ParameterHistory<Params>, pipelines: Pipelines) {
    this.#backend = backend;
    this.#parameters = parameters;
    this.#pipelines = pipelines;
  }

  get saved(): Preset[] {
    return this.#saved;
  }

  get chosen(): Preset {
    return this.#chosen;
  }

  /** Name of the preset that has the current parameters, however they came about; otherwise of the one that they were changed from. */
  get name(): string {
    return this.nameOf(this.#parameters.current) ?? this.#chosen.name;
  }

  /** True if no preset has the current parameters. */
  get isChanged(): boolean {
    return this.nameOf(this.#parameters.current) === null;
  }

  /** What was not understood or adjusted when the chosen preset was read. */
  get notes(): string[] {
    return this.#notes;
  }

  get error(): ErrorInfo | null {
    return this.#actions.error;
  }

  /** Applies a preset. From an agent's pipeline, the previous preset is restored with the user's changes. */
  choose(preset: Preset): void {
    const isComingBack = this.#pipelines.agent !== null && preset === this.#chosen;
    this.#pipelines.chooseOwn();
    if (isComingBack) return;
    this.#parameters.replace(preset.params);
    this.#chosen = preset;
    this.#notes = preset.notes;
    this.#actions.dismissError();
  }

  /** Treats a preset as the one chosen last, without changing the parameters. */
  goOnFrom(name: string): void {
    this.#chosen = this.#saved.find((preset) => preset.name === name) ?? DEFAULT_PRESET;
  }

  async refresh(): Promise<void> {
    await this.#actions.run(async () => {
      this.#saved = await this.#backend.presets();
    });
  }

  /** Saves the current parameters; a preset of that name is replaced. False if it could not be saved. */
  async save(name: string): Promise<boolean> {
    const params = this.#parameters.current;
    return this.#actions.run(async () => {
      this.#saved = await this.#backend.presetSave(name, params);
      this.#chosen = this.#saved.find((preset) => preset.name === name) ?? {
        name,
        params,
        notes: [],
        is_built_in: false,
      };
      this.#notes = [];
    });
  }

  async remove(name: string): Promise<void> {
    await this.#actions.run(async () => {
      this.#saved = await this.#backend.presetDelete(name);
      if (this.#chosen.name === name) this.#chosen = DEFAULT_PRESET;
    });
  }

  /** Lets the user choose a file and applies it. */
  async openFile(): Promise<void> {
    await this.#actions.run(async () => {
      const preset = await this.#backend.presetOpen();
      if (preset !== null) this.choose(preset);
    });
  }

  dismiss(): void {
    this.#notes = [];
    this.#actions.dismissError();
  }

  /** The name of the preset that has exactly these parameters; null when none has. */
  nameOf(params: Params): string | null {
    const alike = [this.#chosen, DEFAULT_PRESET, ...this.#saved].find(
      (preset) => differingIds(preset.params, params).length === 0,
    );
    return alike?.name ?? null;
  }
}
