/** Waiting for a condition, never for a time. */
import { setTimeout as pause } from "node:timers/promises";

/** Long enough for a slow and busy machine; a test that holds never waits for it. */
const WITHIN_MS = 180_000;
const POLL_EVERY_MS = 25;

/**
 * Asks again and again until the answer is truthy, and returns it.
 *
 * Rejects after `withinMs`, naming what was waited for and what was answered last.
 */
export async function until(what, ask, withinMs = WITHIN_MS) {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const answer = await ask();
    if (answer) return answer;
    if (performance.now() > deadline)
      throw new Error(`not within ${withinMs} ms: ${what} (last: ${JSON.stringify(answer)})`);
    await pause(POLL_EVERY_MS);
  }
}
