import { createSubscriber } from "svelte/reactivity";

/** Polling interval of the clock: a machine that slept past midnight did not count the time asleep. */
const LOOK_MS = 60_000;

/** Today, in the machine's time zone. What shows it changes with the day; while nothing does, nothing looks at the clock. */
class Today {
  readonly #subscribe = createSubscriber((update) => {
    let date = dateNow();
    let timer: ReturnType<typeof setTimeout>;
    function wait() {
      timer = setTimeout(look, Math.min(LOOK_MS, msToMidnight()));
    }
    function look() {
      wait();
      if (dateNow() === date) return;
      date = dateNow();
      update();
    }
    wait();
    return () => clearTimeout(timer);
  });

  /** A time of today; it changes at midnight. */
  get ms(): number {
    this.#subscribe();
    return Date.now();
  }
}

export const today = new Today();

function dateNow(): string {
  return new Date().toDateString();
}

function msToMidnight(): number {
  return new Date().setHours(24, 0, 0, 0) - Date.now();
}
