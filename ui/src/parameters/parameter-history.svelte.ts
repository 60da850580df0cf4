import type { Params } from "../api/bindings";
import type { ParamId } from "../api/parameters";
import { DEFAULTS } from "../api/parameters";
import { differingIds, parameterOf, refusalOf, withChoiceFor, withValue, type ParamValue } from "./rules";

/** Steps that can be undone; older ones are forgotten. */
const STEPS_MAX = 200;

/** Something to say beside the parameter that was touched. */
export type ParameterNotice =
  | { kind: "refused"; id: ParamId; text: string }
  /** Another parameter had to change with it. */
  | { kind: "switched"; id: ParamId; text: string };

/**
 * The parameters as they stand, with undo.
 *
 * A drag previews many values and commits once, so that a release is one step. What is refused by a rule that
 * joins parameters changes nothing and is said in `notice`.
 */
export class ParameterHistory {
  #current = $state.raw<Params>(DEFAULTS);
  /** Where the step that is under way began. */
  #committed = $state.raw<Params>(DEFAULTS);
  #past = $state.raw<Params[]>([]);
  #future = $state.raw<Params[]>([]);
  #notice = $state.raw<ParameterNotice | null>(null);
  readonly #changed = $derived(differingIds(this.#current, DEFAULTS));

  /** What is ranked by now, during a drag too. */
  get current(): Params {
    return this.#current;
  }

  /** What was ranked by when the last step ended; equals `current` outside a drag. */
  get committed(): Params {
    return this.#committed;
  }

  /** The parameters that differ from their default, in the table's order. */
  get changed(): ParamId[] {
    return this.#changed;
  }

  get notice(): ParameterNotice | null {
    return this.#notice;
  }

  get canUndo(): boolean {
    return this.#past.length > 0;
  }

  get canRedo(): boolean {
    return this.#future.length > 0;
  }

  /** Shows a value without ending the step. False when a rule refuses it. */
  preview(id: ParamId, value: ParamValue): boolean {
    const before = this.#current;
    const switched = withChoiceFor(before, id);
    const next = withValue(switched, id, value);
    const refusal = refusalOf(next);
    if (refusal !== null) {
      this.#notice = { kind: "refused", id, text: refusal };
      return false;
    }
    this.#current = next;
    const [other] = differingIds(before, switched);
    if (other !== undefined) {
      const { label } = parameterOf(other);
      const text = `${label} switched from ${String(before[other])} to ${String(switched[other])}, which uses this.`;
      this.#notice = { kind: "switched", id, text };
    } else if (this.#notice !== null && !(this.#notice.kind === "switched" && this.#notice.id === id)) {
      this.#notice = null;
    }
    return true;
  }

  /** Ends the step. Nothing is recorded when nothing changed. */
  commit(): void {
    if (differingIds(this.#committed, this.#current).length === 0) {
      // Equal values are one object again, by which everybody knows that nothing is being dragged.
      this.#current = this.#committed;
      return;
    }
    this.#past = [...this.#past, this.#committed].slice(-STEPS_MAX);
    this.#future = [];
    this.#committed = this.#current;
  }

  /** Sets one value as a step of its own. False when a rule refuses it. */
  set(id: ParamId, value: ParamValue): boolean {
    const isTaken = this.preview(id, value);
    if (isTaken) this.commit();
    return isTaken;
  }

  reset(id: ParamId): void {
    // A default beside a weight of 0 can be refused like any other value.
    this.set(id, DEFAULTS[id]);
  }

  /** Replaces all values as one step: a preset, or the defaults. */
  replace(params: Params): void {
    this.commit();
    this.#current = params;
    this.#notice = null;
    this.commit();
  }

  resetAll(): void {
    this.replace(DEFAULTS);
  }

  undo(): void {
    this.commit();
    const before = this.#past.at(-1);
    if (before === undefined) return;
    this.#past = this.#past.slice(0, -1);
    this.#future = [this.#committed, ...this.#future];
    this.#show(before);
  }

  redo(): void {
    const after = this.#future[0];
    if (after === undefined) return;
    this.#future = this.#future.slice(1);
    this.#past = [...this.#past, this.#committed];
    this.#show(after);
  }

  dismissNotice(): void {
    this.#notice = null;
  }

  #show(params: Params): void {
    this.#current = params;
    this.#committed = params;
    this.#notice = null;
  }
}
