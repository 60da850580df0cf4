import type { Params, Value } from "../api/bindings";
import { OWN, type Pipeline, type Values } from "./pipeline";
import { differingIds, parameterOf, refusalOf, withChoiceFor, withValue } from "./rules";

/** Steps that can be undone; older ones are forgotten. */
const STEPS_MAX = 200;

/** Something to say beside the parameter that was touched. */
export type ParameterNotice =
  | { kind: "refused"; id: string; text: string }
  /** Another parameter had to change with it. */
  | { kind: "switched"; id: string; text: string };

/**
 * The parameters of one pipeline as they are, with undo.
 *
 * A drag previews many values and commits once, so that a release is one step. What is refused by a rule that
 * joins parameters changes nothing and is said in `notice`.
 */
export class ParameterHistory<V extends Values = Values> {
  readonly pipeline: Pipeline<V>;
  #start: V;
  #current: V;
  /** Where the step that is under way began. */
  #committed: V;
  #past = $state.raw<V[]>([]);
  #future = $state.raw<V[]>([]);
  #notice = $state.raw<ParameterNotice | null>(null);
  #isLooking = $state(false);
  readonly #changed = $derived.by(() => differingIds(this.#current, this.pipeline.defaults));

  constructor(pipeline: Pipeline<V>) {
    this.pipeline = pipeline;
    this.#start = $state.raw(pipeline.defaults);
    this.#current = $state.raw(pipeline.defaults);
    this.#committed = $state.raw(pipeline.defaults);
  }

  /** Memlens's own parameters. */
  static own(): ParameterHistory<Params> {
    return new ParameterHistory(OWN);
  }

  /** The values before the first step. */
  get start(): V {
    return this.#start;
  }

  /** What is ranked by now, during a drag too. */
  get current(): V {
    return this.#current;
  }

  /** What was ranked by when the last step ended; equals `current` outside a drag. */
  get committed(): V {
    return this.#committed;
  }

  /** The parameters that differ from their default, in the table's order. */
  get changed(): string[] {
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
  preview(id: string, value: Value): boolean {
    this.lookAway();
    const before = this.#current;
    const switched = withChoiceFor(this.pipeline, before, id);
    const next = withValue(switched, id, value);
    const refusal = refusalOf(next);
    if (refusal !== null) {
      this.#notice = { kind: "refused", id, text: refusal };
      return false;
    }
    this.#current = next;
    const [other] = differingIds(before, switched);
    if (other !== undefined) {
      const { label } = parameterOf(this.pipeline, other);
      const text = `${label} switched from ${String(before[other])} to ${String(switched[other])}, which uses this.`;
      this.#notice = { kind: "switched", id, text };
    } else if (this.#notice !== null && !(this.#notice.kind === "switched" && this.#notice.id === id)) {
      this.#notice = null;
    }
    return true;
  }

  /** Ranks by values that are only looked at: no step, and whatever else is done begins without them. During a drag nothing. */
  look(values: V): void {
    if (!this.#isLooking && this.#current !== this.#committed) return;
    this.#isLooking = true;
    this.#current = values;
  }

  /** Ranks by the values as they are set again. */
  lookAway(): void {
    if (!this.#isLooking) return;
    this.#isLooking = false;
    this.#current = this.#committed;
  }

  /** Whether `current` is only looked at. */
  get isLooking(): boolean {
    return this.#isLooking;
  }

  /** Ends the step. Nothing is recorded when nothing changed. */
  commit(): void {
    if (this.#isLooking) return;
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
  set(id: string, value: Value): boolean {
    const isTaken = this.preview(id, value);
    if (isTaken) this.commit();
    return isTaken;
  }

  reset(id: string): void {
    // A default beside a weight of 0 can be refused like any other value.
    this.set(id, parameterOf(this.pipeline, id).default);
  }

  /** Replaces all values as one step: a preset, or the defaults. */
  replace(values: V): void {
    this.lookAway();
    this.commit();
    this.#current = values;
    this.#notice = null;
    this.commit();
  }

  /** Begins with these values: there is no step before them. */
  begin(values: V): void {
    this.#past = [];
    this.#future = [];
    this.#start = values;
    this.#show(values);
  }

  resetAll(): void {
    this.replace(this.pipeline.defaults);
  }

  undo(): void {
    this.lookAway();
    this.commit();
    const before = this.#past.at(-1);
    if (before === undefined) return;
    this.#past = this.#past.slice(0, -1);
    this.#future = [this.#committed, ...this.#future];
    this.#show(before);
  }

  redo(): void {
    this.lookAway();
    const after = this.#future[0];
    if (after === undefined) return;
    this.#future = this.#future.slice(1);
    this.#past = [...this.#past, this.#committed];
    this.#show(after);
  }

  dismissNotice(): void {
    this.#notice = null;
  }

  #show(values: V): void {
    this.#current = values;
    this.#committed = values;
    this.#notice = null;
  }
}
