/**
 * The one place where numbers are rounded. What is stored or sent is never rounded.
 *
 * Minus signs are true ones (U+2212), so that they are as wide as a plus.
 */
import type { Parameter, Progress, Value } from "../api/bindings";

const MINUS = "−";
const COUNT = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
/** A value that is 1 to so many decimals is 1 but for the noise of floating point. */
const DECIMALS_MAX = 6;

/** A number with so many decimals. */
export function fixed(value: number, decimals: number): string {
  const size = Math.abs(value);
  let text = size.toFixed(decimals);
  // A value that is not 1 must not look like it: 0.9998, not 1.000.
  if (Number(text) === 1 && Number(size.toFixed(DECIMALS_MAX)) !== 1) {
    for (let more = decimals + 1; Number(text) === 1; more++) text = size.toFixed(more);
  }
  const isNegative = value < 0 && Number(text) !== 0;
  return isNegative ? MINUS + text : text;
}

/** A score or a cosine: three decimals. */
export function score(value: number): string {
  return fixed(value, 3);
}

/** A score that does not look like 0 unless it is: a full-text search gives some that are all but. */
export function smallScore(value: number): string {
  return value > 0 && value < 0.0005 ? "<0.001" : score(value);
}

/** A BM25 score: two decimals. */
export function bm25(value: number): string {
  return fixed(value, 2);
}

/** A weight that a score is multiplied by, 0 or more: ×1.25. One that is 1 but for a day's decay reads ×1.00. */
export function weight(value: number): string {
  return `×${value.toFixed(2)}`;
}

/** A value in a formula line: four decimals. */
export function formulaValue(value: number): string {
  return fixed(value, 4);
}

/** A change of a score: three decimals, always with its sign. */
export function change(value: number): string {
  const text = fixed(value, 3);
  return text.startsWith(MINUS) ? text : `+${text}`;
}

/** A change where there is little room: two decimals, always with its sign. */
export function shortChange(value: number): string {
  const text = fixed(value, 2);
  return text.startsWith(MINUS) ? text : `+${text}`;
}

/** A change of a count, with its sign where there is one: "+3", "0". */
export function signedCount(value: number): string {
  return value > 0 ? `+${count(value)}` : count(value);
}

/** A number with all its digits, for a hover. */
export function unrounded(value: number): string {
  return String(value).replace("-", MINUS);
}

/** A whole number with its thousands set apart: 10,000. */
export function count(value: number): string {
  return COUNT.format(value).replace("-", MINUS);
}

/** A count with its noun: "1 file", "2 files". */
export function counted(value: number, one: string, many: string = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

/** A time given in microseconds: µs below 1 ms, one decimal below 10 ms, whole below 1 s, one decimal above. */
export function duration(micros: number): string {
  const ms = micros / 1_000;
  if (ms < 1) return `${Math.round(micros)} µs`;
  if (ms < 10) return `${ms.toFixed(1)} ms`;
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  return `${(ms / 1_000).toFixed(1)} s`;
}

/** An amount of US dollars, to the cent, below a cent to two digits: $2.00, $0.0012. */
export function dollars(value: number): string {
  const text = value !== 0 && value < 0.01 ? String(Number(value.toPrecision(2))) : value.toFixed(2);
  return `$${text}`;
}

/** A share in `[0, 1]` as whole percent; 100 only where nothing is left. */
export function wholePercent(share: number): number {
  // 100 * 0.29 is 28.999999999999996.
  return Math.floor(Number((100 * share).toFixed(DECIMALS_MAX)));
}

/** A share in `[0, 1]` in words: 21 %. */
export function percent(share: number): string {
  return `${wholePercent(share)} %`;
}

/** How far indexing is. What is counted are the files of this round, not those of the library. */
export function indexedOf({ n_done, n_total }: Pick<Progress, "n_done" | "n_total">): string {
  return `${count(n_done)} of ${counted(n_total, "new or changed file")} indexed so far`;
}

/** How long something takes, no finer than it is known. */
export function lasting(seconds: number): string {
  if (seconds < 90) return `about ${Math.max(1, Math.round(seconds))} s`;
  if (seconds < 5_400) return `about ${Math.round(seconds / 60)} min`;
  return `about ${(seconds / 3_600).toFixed(1)} h`;
}

/** How long something will still take. */
export function timeLeft(seconds: number): string {
  return `${lasting(seconds)} left`;
}

/** A size on disk, in units of 1000. */
export function bytes(value: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let size = value;
  let unit = 0;
  while (size >= 999.5 && unit < units.length - 1) {
    size /= 1_000;
    unit++;
  }
  return `${unit === 0 || size >= 10 ? Math.round(size) : size.toFixed(1)} ${units[unit]}`;
}

/** The lines of a chunk behind its path: ":25", ":23–27". */
export function lines(start: number, end: number): string {
  return start === end ? `:${start}` : `:${start}–${end}`;
}

/** A parameter's value as its field shows it: as many decimals as its step has, "off" where it is off. */
export function parameterValue(parameter: Parameter, value: Value): string {
  if (value === null) return "off";
  if (typeof value === "boolean") return value ? "on" : "off";
  if (typeof value === "string") return value;
  if (parameter.kind.kind !== "number") return String(value);
  if (parameter.kind.off === value) return "off";
  const decimals = parameter.kind.integer ? 0 : decimalsOf(parameter.kind.step);
  // A value between two steps (Shift, or typed) shows all that was set.
  const text =
    String(value).length > value.toFixed(decimals).length ? String(value) : value.toFixed(decimals);
  return text.replace("-", MINUS);
}

/** How far a parameter's number is changed, with its sign: "+20"; empty without a distance. */
export function parameterChange(parameter: Parameter, from: Value, to: Value): string {
  if (parameter.kind.kind !== "number" || typeof from !== "number" || typeof to !== "number") return "";
  if (parameter.kind.off === from || parameter.kind.off === to) return "";
  const change = Number((to - from).toFixed(DECIMALS_MAX));
  const text = parameterValue({ ...parameter, kind: { ...parameter.kind, off: null } }, change);
  return change > 0 ? `+${text}` : text;
}

/** How many decimals a step has: 0.05 has 2. */
export function decimalsOf(step: number): number {
  const text = String(step);
  const point = text.indexOf(".");
  return point < 0 ? 0 : text.length - point - 1;
}
