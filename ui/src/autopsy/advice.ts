// Advice about a lost fact, without repetition.
import type { Autopsy } from "../api/bindings";

/** Returns the advice without the parts that have a button: the smallest change, and the question that works. */
export function adviceBeside({ advice, fix, works }: Pick<Autopsy, "advice" | "fix" | "works">): string[] {
  return advice.filter((one) => {
    const saysFix = fix !== null && one.startsWith(`Set ${fix.label} from `);
    const saysQuestion = works !== null && one.startsWith(`Ask “${works.question}”`);
    return !saysFix && !saysQuestion;
  });
}
